import { type Awaitable, isPromise } from '@unikv/core'

/** As many as the thread pool has threads: more would only hold memory. */
const laneCount = 4

/**
 * Change each item, a few at a time: with a promise only if one of them answers with one. `change` reports
 * failures in its answer.
 */
export function each<T, U>(items: readonly T[], change: (item: T) => Awaitable<U>): Awaitable<readonly U[]> {
  const results: U[] = []
  let next = 0
  const advance = (): [number, Promise<U>] | undefined => {
    for (; next < items.length; next++) {
      const answer = change(items[next] as T)
      if (isPromise(answer)) return [next++, answer]
      results[next] = answer
    }
    return undefined
  }
  const lane = async (first: [number, Promise<U>]): Promise<void> => {
    for (let now: typeof first | undefined = first; now !== undefined; now = advance())
      results[now[0]] = await now[1]
  }
  const lanes: Promise<void>[] = []
  while (lanes.length < laneCount) {
    const first = advance()
    if (first === undefined) break
    lanes.push(lane(first))
  }
  return lanes.length === 0 ? results : Promise.all(lanes).then(() => results)
}
