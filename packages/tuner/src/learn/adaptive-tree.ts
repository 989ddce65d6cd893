import { highest, Leaf, type LeafSettings } from './leaf.ts'
import {
  Branch,
  judged,
  leafOf,
  leavesOf,
  type Node,
  type NodeState,
  nodeOf,
  type Step,
  sizeOf,
  stateOf,
} from './nodes.ts'
import { sum } from './split.ts'

/*
 * A Hoeffding adaptive tree, after A. Bifet and R. Gavaldà, "Adaptive learning from evolving data streams" (IDA 2009). Each
 * branch asks whether one feature of a sample is at most a threshold; the leaf at the end votes for a class. A leaf becomes a
 * branch when its best question is certain enough. Where errors begin to rise, an alternate tree grows beside a branch, and
 * takes its place when it errs less.
 */

/** A tree's settings. */
export interface AdaptiveTreeOptions {
  /** How many numbers a sample has. */
  readonly features: number
  /** How many classes there are. */
  readonly classes: number
  /** Uniform in [0, 1), for the draws by which samples weigh more or less. @default Math.random */
  readonly random?: (() => number) | undefined
  /** State of another tree with as many features and classes, to go on from. */
  readonly from?: NodeState | undefined
  /** Whether errors that rise make alternate trees. @default true */
  readonly adapts?: boolean | undefined
}

const settled = { gracePeriod: 200, delta: 1e-7, tau: 0.05 } as const

/** A tree of decisions that learns from a stream, and from its changes. */
export class AdaptiveTree {
  readonly #settings: LeafSettings
  readonly #adapts: boolean
  readonly #random: () => number
  #root: Node

  constructor({ features, classes, random = Math.random, adapts = true, from }: AdaptiveTreeOptions) {
    this.#settings = { features, classes, ...settled }
    this.#adapts = adapts
    this.#random = random
    this.#root = from === undefined ? new Leaf(this.#settings) : nodeOf(this.#settings, from)
  }

  /** All that it has learned, as plain data. */
  get state(): NodeState {
    return stateOf(this.#root)
  }

  /** Nodes of the tree, with those of alternate trees. */
  get size(): number {
    return sizeOf(this.#root)
  }

  /** Votes for the classes; 0 for all before anything was learned. */
  votes(values: ArrayLike<number>): Float64Array {
    const votes = new Float64Array(this.#settings.classes)
    for (const leaf of leavesOf(this.#root, values)) {
      const own = leaf.votes(values)
      const all = sum(own)
      if (all === 0) continue
      const trust = 1 / Math.max(1e-4, leaf.errors.mean) ** 2
      for (const [label, vote] of own.entries()) votes[label] = (votes[label] ?? 0) + (vote / all) * trust
    }
    return votes
  }

  /** The class with the highest vote. */
  predict(values: ArrayLike<number>): number {
    return highest(this.votes(values))
  }

  /** The questions that lead a sample to its leaf, and the weights of the classes there. */
  explain(values: ArrayLike<number>): {
    readonly steps: readonly Step[]
    readonly weights: readonly number[]
  } {
    const steps: Step[] = []
    let at = this.#root
    while (at instanceof Branch) {
      const { feature, threshold } = at.split
      const side = at.sideOf(values)
      steps.push({ feature, threshold, value: values[feature] ?? 0, isAtMost: side === 0 })
      at = at.children[side]
    }
    return { steps, weights: [...at.weights] }
  }

  /** Learn from a sample and its class. */
  learn(values: ArrayLike<number>, label: number): void {
    this.#root = this.#learned(this.#root, values, label, 1)
  }

  /** The node that takes the place of this one. */
  #learned(node: Node, values: ArrayLike<number>, label: number, weight: number): Node {
    return node instanceof Leaf
      ? this.#learnedByLeaf(node, values, label, weight)
      : this.#learnedByBranch(node, values, label, weight)
  }

  #learnedByLeaf(leaf: Leaf, values: ArrayLike<number>, label: number, weight: number): Node {
    const drawn = this.#adapts ? poisson(this.#random) : 1
    const split = leaf.learn(values, label, drawn > 0 ? weight * drawn : weight)
    if (split === undefined) return leaf
    const { feature, threshold, sides } = split
    const [atMost, above] = sides
    const children: [Leaf, Leaf] = [new Leaf(this.#settings, atMost), new Leaf(this.#settings, above)]
    return new Branch({ feature, threshold }, leaf.errors, children)
  }

  #learnedByBranch(branch: Branch, values: ArrayLike<number>, label: number, weight: number): Node {
    if (this.#adapts) {
      const before = branch.errors.mean
      const isRight = highest(leafOf(branch, values).votes(values)) === label
      const isChanged = branch.errors.add(isRight ? 0 : 1)
      if (isChanged && branch.errors.mean > before) branch.alternate ??= new Leaf(this.#settings)
      else if (branch.alternate !== undefined) {
        const verdict = judged(branch, branch.alternate)
        if (verdict === 'switch') return this.#learned(branch.alternate, values, label, weight)
        if (verdict === 'drop') branch.alternate = undefined
      }
      if (branch.alternate !== undefined)
        branch.alternate = this.#learned(branch.alternate, values, label, weight)
    }
    const side = branch.sideOf(values)
    branch.children[side] = this.#learned(branch.children[side], values, label, weight)
    return branch
  }
}

/** A draw of the Poisson distribution with mean 1. */
function poisson(random: () => number): number {
  const limit = Math.exp(-1)
  let [count, product] = [0, random()]
  for (; product > limit; count += 1) product *= random()
  return count
}
