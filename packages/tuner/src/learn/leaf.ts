import { Adwin, type AdwinState } from './adwin.ts'
import { Gaussian, type GaussianState } from './gaussian.ts'
import { bestSplit, hoeffdingBound, type Split, sum } from './split.ts'

/** Settings of a tree that its leaves need. */
export interface LeafSettings {
  readonly features: number
  readonly classes: number
  /** Weight between two looks for a split. */
  readonly gracePeriod: number
  /** How often a split is made that the whole stream would not make. */
  readonly delta: number
  /** Splits that differ by less are as good as each other. */
  readonly tau: number
}

/** State of a leaf, from which it can be made again. */
export interface LeafState {
  readonly weights: readonly number[]
  readonly right: readonly [majority: number, bayes: number]
  readonly lookedAt: number
  readonly errors: AdwinState
  /** Distributions for each feature and class; `null`: not seen. */
  readonly seen: readonly (readonly (GaussianState | null)[])[]
}

/** A class with more than this share of a leaf leaves nothing to divide. */
const pure = 0.99

/** The end of a way through the tree: weights of classes, and how the values of each feature are distributed in each class. */
export class Leaf {
  readonly errors: Adwin
  readonly weights: Float64Array
  readonly #settings: LeafSettings
  /** Distributions for each feature and class. */
  readonly #seen: readonly (Gaussian | undefined)[][]
  #weight: number
  #lookedAt: number
  /** Weights that the two ways to vote were right about. */
  #majorityRight = 0
  #bayesRight = 0

  /** @param weights of the classes, when it begins */
  constructor(
    settings: LeafSettings,
    weights: Float64Array = new Float64Array(settings.classes),
    errors: Adwin = new Adwin(),
  ) {
    this.#settings = settings
    this.errors = errors
    this.weights = weights
    this.#seen = Array.from({ length: settings.features }, () =>
      Array.from({ length: settings.classes }, () => undefined),
    )
    this.#weight = sum(weights)
    this.#lookedAt = this.#weight
  }

  static of(settings: LeafSettings, state: LeafState): Leaf {
    const leaf = new Leaf(settings, Float64Array.from(state.weights), new Adwin(undefined, state.errors))
    ;[leaf.#majorityRight, leaf.#bayesRight] = state.right
    leaf.#lookedAt = state.lookedAt
    for (const [feature, classes] of state.seen.entries())
      for (const [label, own] of classes.entries())
        if (own !== null) (leaf.#seen[feature] as (Gaussian | undefined)[])[label] = new Gaussian(own)
    return leaf
  }

  get state(): LeafState {
    return {
      weights: [...this.weights],
      right: [this.#majorityRight, this.#bayesRight],
      lookedAt: this.#lookedAt,
      errors: this.errors.state,
      seen: this.#seen.map((classes) => classes.map((own) => own?.state ?? null)),
    }
  }

  /** Votes for the classes: by naive Bayes, or the weights, whichever was right more often. */
  votes(values: ArrayLike<number>): Float64Array {
    return this.#prefersBayes ? this.#bayes(values) : this.weights
  }

  /** Returns a split, if one is due that is the best but for a small chance. */
  learn(values: ArrayLike<number>, label: number, weight: number): Split | undefined {
    this.#judge(values, label, weight)
    this.#weight += weight
    this.weights[label] = (this.weights[label] ?? 0) + weight
    for (const [feature, classes] of this.#seen.entries()) {
      const value = values[feature] ?? 0
      const own = classes[label]
      if (own === undefined) classes[label] = Gaussian.of(value, weight)
      else own.add(value, weight)
    }
    if (this.#weight - this.#lookedAt < this.#settings.gracePeriod) return undefined
    this.#lookedAt = this.#weight
    return this.#split()
  }

  get #prefersBayes(): boolean {
    return this.#bayesRight > this.#majorityRight
  }

  /** Whether it is right about a sample before it learns it. */
  #judge(values: ArrayLike<number>, label: number, weight: number): void {
    const byMajority = highest(this.weights) === label
    const byBayes = highest(this.#bayes(values)) === label
    this.errors.add((this.#prefersBayes ? byBayes : byMajority) ? 0 : 1)
    if (this.#weight === 0) return
    if (byMajority) this.#majorityRight += weight
    if (byBayes) this.#bayesRight += weight
  }

  #split(): Split | undefined {
    const { delta, tau } = this.#settings
    if (Math.max(...this.weights) > pure * this.#weight) return undefined
    const splits = this.#seen.flatMap((classes, feature) => bestSplit(feature, classes, this.weights) ?? [])
    const [best, second] = splits.sort((one, other) => other.merit - one.merit)
    // Not to split is the other choice of the last.
    if (best === undefined || best.merit <= 0) return undefined
    const range = Math.log2(Math.max(2, this.weights.filter((weight) => weight > 0).length))
    const bound = hoeffdingBound(range, delta, this.#weight)
    return best.merit - Math.max(0, second?.merit ?? 0) > bound || bound < tau ? best : undefined
  }

  #bayes(values: ArrayLike<number>): Float64Array {
    const logs = this.weights.map((weight, label) => {
      if (weight === 0) return Number.NEGATIVE_INFINITY
      let log = Math.log(weight)
      for (const [feature, classes] of this.#seen.entries()) {
        const own = classes[label]
        if (own !== undefined) log += own.logDensity(values[feature] ?? 0)
      }
      return log
    })
    const most = Math.max(...logs)
    return most === Number.NEGATIVE_INFINITY ? this.weights : logs.map((log) => Math.exp(log - most))
  }
}

/** The class with the highest vote. */
export function highest(votes: ArrayLike<number>): number {
  let best = 0
  for (let label = 1; label < votes.length; label += 1)
    if ((votes[label] as number) > (votes[best] as number)) best = label
  return best
}
