import { formatLength } from '../../report/words/units.ts'
import type { RunSample } from '../result.ts'

/** Operations in flight at the end of a run end somewhat later; those that take longer than this share of it are told of. */
const leastShare = 0.1
/** Timers are late by so much, in milliseconds. */
const slackMs = 50

/** A sentence about operations that ended long after the time of their run, such as transactions that waited before another attempt. */
export function lateNote(store: string, runs: readonly RunSample[]): readonly string[] {
  const lateMs = Math.max(0, ...runs.map(({ elapsedMs, countedMs }) => elapsedMs - countedMs))
  const isLong = runs.some(
    ({ elapsedMs, countedMs }) => elapsedMs - countedMs > Math.max(slackMs, countedMs * leastShare),
  )
  const late = sumOf(runs, (kind) => kind.late)
  if (!isLong || late === 0) return []
  const all = sumOf(runs, ({ service }) => service.count)
  const last = formatLength(lateMs < 1_000 ? Math.round(lateMs) : Math.round(lateMs / 100) * 100)
  const [some, of] = [late, all].map((count) => count.toLocaleString('en-US'))
  return [
    `${store}: ${some} of ${of} operations ended up to ${last} after the time of a run. Such operations are in the times, and not in the rate.`,
  ]
}

function sumOf(runs: readonly RunSample[], of: (kind: RunSample['kinds'][number]) => number): number {
  return runs.reduce((sum, { kinds }) => kinds.reduce((found, kind) => found + of(kind), sum), 0)
}
