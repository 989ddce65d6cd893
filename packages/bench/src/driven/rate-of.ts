import type { RunSample } from './result.ts'

/** A run, as far as its operations are told of. */
export type RunOfKinds = Pick<RunSample, 'countedMs' | 'kinds'>

/** Operations a second of one run, of all its kinds or of some of them: successes that ended within its time. */
export function rateOf({ countedMs, kinds }: RunOfKinds): number {
  const inTime = kinds.reduce((sum, { service, late }) => sum + service.count - late, 0)
  return countedMs === 0 ? 0 : (inTime / countedMs) * 1_000
}
