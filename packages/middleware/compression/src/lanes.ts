import { type Awaitable, isPromise } from '@unikv/core'
import { nextTurn } from '@unikv/core/platform'

/** As many as the thread pool has threads: more would only hold memory. */
const laneCount = 4

/** How much of the work each lane does at once, in bytes: then others have a turn of the event loop. */
const turnBytes = 262_144

/**
 * Change each item, a few at a time: with a promise only if one of them answers with one, or if together they are too much
 * for one turn of the event loop. `change` reports failures in its answer.
 *
 * @param weightOf Bytes of an item that was changed at once. Without it all is done in one turn.
 */
export function each<T, U>(
  items: readonly T[],
  change: (item: T) => Awaitable<U>,
  weightOf?: (item: T) => number,
): Awaitable<readonly U[]> {
  const results: U[] = []
  let next = 0
  let done = 0
  const advance = (): [number, Promise<U>] | undefined => {
    for (; next < items.length; next++) {
      const item = items[next] as T
      if (done >= turnBytes) {
        done = 0
        return [next++, nextTurn().then(() => change(item))]
      }
      const answer = change(item)
      if (isPromise(answer)) return [next++, answer]
      results[next] = answer
      if (weightOf !== undefined) done += weightOf(item)
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
