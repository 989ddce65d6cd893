import type { LeafState } from './leaf.ts'
import type { NodeState } from './nodes.ts'

/** The knowledge of a tree, carried over to another one: with other classes, or less weight. */

/** All leaves changed, those of alternate trees too. */
function mapLeaves(state: NodeState, change: (leaf: LeafState) => LeafState): NodeState {
  if (!('children' in state)) return change(state)
  const [atMost, above] = state.children
  return {
    ...state,
    children: [mapLeaves(atMost, change), mapLeaves(above, change)],
    alternate: state.alternate === null ? null : mapLeaves(state.alternate, change),
  }
}

/** The weight of all samples; alternate trees have seen the same ones. */
export function weightOf(state: NodeState): number {
  if ('children' in state) return weightOf(state.children[0]) + weightOf(state.children[1])
  return state.weights.reduce((sum, weight) => sum + weight, 0)
}

/** The same tree for other classes, each with the place that it had; what was learned of others is left out. */
export function withClasses(state: NodeState, places: readonly (number | undefined)[]): NodeState {
  return mapLeaves(state, (leaf) => {
    const weights = places.map((place) => (place === undefined ? 0 : (leaf.weights[place] ?? 0)))
    return {
      ...leaf,
      weights,
      lookedAt: Math.min(
        leaf.lookedAt,
        weights.reduce((sum, weight) => sum + weight, 0),
      ),
      seen: leaf.seen.map((own) =>
        places.map((place) => (place === undefined ? null : (own[place] ?? null))),
      ),
    }
  })
}

/** The same tree as if it had seen fewer samples, so that others outweigh it soon. */
export function weighingAtMost(state: NodeState, most: number): NodeState {
  const factor = Math.min(1, most / Math.max(1e-9, weightOf(state)))
  return mapLeaves(state, (leaf) => ({
    ...leaf,
    weights: leaf.weights.map((weight) => weight * factor),
    right: [leaf.right[0] * factor, leaf.right[1] * factor],
    lookedAt: leaf.lookedAt * factor,
    seen: leaf.seen.map((own) =>
      own.map((one) => {
        if (one === null) return null
        const [weight, mean, least, greatest, spread] = one
        return [weight * factor, mean, least, greatest, spread * factor] as const
      }),
    ),
  }))
}
