import { Adwin, type AdwinState } from './adwin.ts'
import { highest, Leaf, type LeafSettings, type LeafState } from './leaf.ts'
import { mulberry32, poisson } from './random.ts'
import { type Split, sum } from './split.ts'

/*
 * A Hoeffding adaptive tree, after A. Bifet and R. Gavaldà, "Adaptive learning from evolving data streams" (IDA 2009). It asks
 * of a sample whether one feature is at most a threshold, then whether another one is, and so on; a leaf votes for a class. A
 * leaf becomes a question when the best one is certain enough. Where errors begin to rise, an alternate tree grows beside a
 * question, and takes its place when it errs less.
 */

/** A tree's settings. */
export interface AdaptiveTreeOptions {
  /** How many numbers a sample has. */
  readonly features: number
  /** How many classes there are. */
  readonly classes: number
  /** Seed of the draws by which samples weigh more or less. @default 1 */
  readonly seed?: number | undefined
  /** State of another tree with as many features and classes, to go on from. */
  readonly from?: NodeState | undefined
  /** Whether errors that rise make alternate trees. @default true */
  readonly adapts?: boolean | undefined
}

const settled = { gracePeriod: 200, delta: 1e-7, tau: 0.05 } as const
/** Both trees have seen more than so many samples before one is given up. */
const judgedFrom = 300
/** How often the better tree is given up, at most. */
const significance = 0.05

/** Whether a feature is at most a threshold. */
type Question = Pick<Split, 'feature' | 'threshold'>

/** State of a node: plain data, from which it can be made again. */
export type NodeState =
  | LeafState
  | {
      readonly feature: number
      readonly threshold: number
      readonly errors: AdwinState
      readonly children: readonly [NodeState, NodeState]
      readonly alternate: NodeState | null
    }

/** A question on the way of a sample to its leaf, and the answer. */
export interface Step extends Question {
  readonly value: number
  readonly isAtMost: boolean
}

/** A question, and the trees below it. */
class Branch {
  readonly errors: Adwin
  readonly split: Question
  readonly children: [atMost: Node, above: Node]
  alternate: Node | undefined

  constructor(split: Question, errors: Adwin, children: [Node, Node], alternate?: Node) {
    this.split = split
    this.errors = errors
    this.children = children
    this.alternate = alternate
  }

  sideOf(values: ArrayLike<number>): 0 | 1 {
    return (values[this.split.feature] ?? 0) <= this.split.threshold ? 0 : 1
  }
}

type Node = Leaf | Branch

/** A tree of decisions that learns from a stream, and from its changes. */
export class AdaptiveTree {
  readonly #settings: LeafSettings
  readonly #adapts: boolean
  readonly #random: () => number
  #root: Node

  constructor({ features, classes, seed = 1, adapts = true, from }: AdaptiveTreeOptions) {
    this.#settings = { features, classes, ...settled }
    this.#adapts = adapts
    this.#random = mulberry32(seed)
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

/** Whether one of the two errs less, but for a small chance. */
function judged({ errors }: Branch, alternate: Node): 'switch' | 'drop' | undefined {
  const [old, fresh] = [errors, alternate.errors]
  if (old.width <= judgedFrom || fresh.width <= judgedFrom) return undefined
  const bound = switchBound(old.mean, old.width, fresh.width)
  if (bound < old.mean - fresh.mean) return 'switch'
  return bound < fresh.mean - old.mean ? 'drop' : undefined
}

/** The errors of two trees that are as good as each other differ by no more. */
export function switchBound(error: number, seen: number, seenByAlternate: number): number {
  const inverse = 1 / seen + 1 / seenByAlternate
  return Math.sqrt(2 * error * (1 - error) * Math.log(2 / significance) * inverse)
}

function leafOf(node: Node, values: ArrayLike<number>): Leaf {
  let at = node
  while (at instanceof Branch) at = at.children[at.sideOf(values)]
  return at
}

/** The leaf that a sample comes to, and those of alternate trees on its way. */
function leavesOf(node: Node, values: ArrayLike<number>): readonly Leaf[] {
  if (node instanceof Leaf) return [node]
  const own = leavesOf(node.children[node.sideOf(values)], values)
  return node.alternate === undefined ? own : [...own, ...leavesOf(node.alternate, values)]
}

function sizeOf(node: Node): number {
  if (node instanceof Leaf) return 1
  const alternate = node.alternate === undefined ? 0 : sizeOf(node.alternate)
  return 1 + sizeOf(node.children[0]) + sizeOf(node.children[1]) + alternate
}

function stateOf(node: Node): NodeState {
  if (node instanceof Leaf) return node.state
  const { split, errors, children, alternate } = node
  return {
    ...split,
    errors: errors.state,
    children: [stateOf(children[0]), stateOf(children[1])],
    alternate: alternate === undefined ? null : stateOf(alternate),
  }
}

function nodeOf(settings: LeafSettings, state: NodeState): Node {
  if (!('children' in state)) return Leaf.of(settings, state)
  const { feature, threshold, errors, children, alternate } = state
  return new Branch(
    { feature, threshold },
    new Adwin(undefined, errors),
    [nodeOf(settings, children[0]), nodeOf(settings, children[1])],
    alternate === null ? undefined : nodeOf(settings, alternate),
  )
}
