/** For each node of a graph the nodes that come after it. */
export type Edges = number[][]

/** The nodes of a cycle, in order; `undefined` if there is none. */
export function cycleOf(edges: Edges): readonly number[] | undefined {
  const left = withoutEnds(edges)
  const [start] = left
  if (start === undefined) return undefined
  // Each node that is left has one before it that is left: going back leads into a cycle.
  const before = new Map<number, number>()
  for (const from of left) for (const to of edges[from] ?? []) if (left.has(to)) before.set(to, from)
  const seen = new Set<number>()
  let node = start
  for (; !seen.has(node); node = before.get(node) as number) seen.add(node)
  const way = [...seen]
  return way.slice(way.indexOf(node)).reverse()
}

/** Nodes of cycles and those after them: the others are taken away, one by one, once nothing is before them. */
function withoutEnds(edges: Edges): ReadonlySet<number> {
  const counts = new Uint32Array(edges.length)
  for (const after of edges) for (const to of after) counts[to] = (counts[to] as number) + 1
  const open = edges.flatMap((_, node) => (counts[node] === 0 ? [node] : []))
  const left = new Set(edges.keys())
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    left.delete(node)
    for (const to of edges[node] as number[]) {
      counts[to] = (counts[to] as number) - 1
      if (counts[to] === 0) open.push(to)
    }
  }
  return left
}
