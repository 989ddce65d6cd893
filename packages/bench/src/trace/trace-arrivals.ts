import type { Arrivals } from '../loop/arrivals.ts'

/**
 * The arrivals of a trace, `speed` times as fast. Requests of the same time are spread evenly over the resolution of its
 * clock: a trace in whole seconds does not become a burst a second.
 *
 * @param atMs milliseconds since the first request, never falling
 */
export function traceArrivals(atMs: readonly number[], speed = 1): Arrivals {
  if (!(speed > 0 && Number.isFinite(speed))) throw new RangeError('The speed of a trace must be above 0.')
  const resolutionMs = resolutionOf(atMs)
  let index = 0
  let groupAt = 0
  let groupSize = 0
  let place = 0
  const begin = (): void => {
    groupAt = atMs[index] as number
    groupSize = 1
    place = 0
    while (atMs[index + groupSize] === groupAt) groupSize++
  }
  return {
    rate: rateOf(atMs, resolutionMs) * speed,
    next: () => {
      if (index >= atMs.length) return Number.POSITIVE_INFINITY
      if (place === groupSize) begin()
      index++
      return (groupAt + (place++ / groupSize) * resolutionMs) / speed
    },
  }
}

/** The least difference of two times; 0 if all are the same. */
function resolutionOf(atMs: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY
  for (let index = 1; index < atMs.length; index++) {
    const gap = (atMs[index] as number) - (atMs[index - 1] as number)
    if (gap > 0 && gap < least) least = gap
  }
  return least === Number.POSITIVE_INFINITY ? 0 : least
}

/** Requests a second; a trace of a single time takes none, and is as fast as the generator. */
function rateOf(atMs: readonly number[], resolutionMs: number): number {
  const lengthMs = (atMs.at(-1) ?? 0) + resolutionMs
  return lengthMs === 0 ? 0 : (atMs.length / lengthMs) * 1_000
}
