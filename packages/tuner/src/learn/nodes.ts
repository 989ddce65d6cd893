import { Adwin, type AdwinState } from './adwin.ts'
import { Leaf, type LeafSettings, type LeafState } from './leaf.ts'
import type { Split } from './split.ts'

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
export class Branch {
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

/** A tree, or a part of one. */
export type Node = Leaf | Branch

/** Whether one of the two errs less, but for a small chance. */
export function judged({ errors }: Branch, alternate: Node): 'switch' | 'drop' | undefined {
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

/** The leaf that a sample comes to. */
export function leafOf(node: Node, values: ArrayLike<number>): Leaf {
  let at = node
  while (at instanceof Branch) at = at.children[at.sideOf(values)]
  return at
}

/** The leaf that a sample comes to, and those of alternate trees on its way. */
export function leavesOf(node: Node, values: ArrayLike<number>): readonly Leaf[] {
  if (node instanceof Leaf) return [node]
  const own = leavesOf(node.children[node.sideOf(values)], values)
  return node.alternate === undefined ? own : [...own, ...leavesOf(node.alternate, values)]
}

/** Nodes of a tree, with those of alternate trees. */
export function sizeOf(node: Node): number {
  if (node instanceof Leaf) return 1
  const alternate = node.alternate === undefined ? 0 : sizeOf(node.alternate)
  return 1 + sizeOf(node.children[0]) + sizeOf(node.children[1]) + alternate
}

/** The state of a tree. */
export function stateOf(node: Node): NodeState {
  if (node instanceof Leaf) return node.state
  const { split, errors, children, alternate } = node
  return {
    ...split,
    errors: errors.state,
    children: [stateOf(children[0]), stateOf(children[1])],
    alternate: alternate === undefined ? null : stateOf(alternate),
  }
}

/** The tree of a state. */
export function nodeOf(settings: LeafSettings, state: NodeState): Node {
  if (!('children' in state)) return Leaf.of(settings, state)
  const { feature, threshold, errors, children, alternate } = state
  return new Branch(
    { feature, threshold },
    new Adwin(undefined, errors),
    [nodeOf(settings, children[0]), nodeOf(settings, children[1])],
    alternate === null ? undefined : nodeOf(settings, alternate),
  )
}
