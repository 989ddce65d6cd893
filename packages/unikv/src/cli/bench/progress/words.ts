import type { BenchEvent } from '@unikv/bench'
import { formatCount, formatDuration, formatExact, formatMs } from '@unikv/bench/words'

/** Shows how a run goes on. */
export interface Progress {
  readonly show: (event: BenchEvent) => void
  /** Leave the line free for what comes next. */
  readonly end: () => void
}

/** An event of this type. */
export type EventOf<T extends string> = Extract<BenchEvent, { readonly type: T }>

/** The extent of a run that begins. */
export function startText({ cells, leastMs }: EventOf<'started'>): string {
  const count = `${formatExact(cells)} measurement${cells === 1 ? '' : 's'}`
  return leastMs < 1_000 ? count : `${count}, at least ${formatDuration(leastMs)}`
}

/** The runs whose data was removed before this one. */
export function leftoversText({ target, runs }: EventOf<'leftovers-removed'>): string {
  return `${target}: removed what ${runs.length === 1 ? 'an earlier run' : `${runs.length} earlier runs`} left behind`
}

/** The name of a run by its number. */
export function runText(run: number): string {
  return run === 0 ? 'warm-up' : `run ${run}`
}

/** The second that just passed. */
export function rateText({ all, lengthMs }: EventOf<'interval'>['interval'], separator: string): string {
  const rate = `${formatCount((all.operations / lengthMs) * 1_000)} operations/s`
  const p99 = all.p99Ms === null ? [] : [`p99 ${formatMs(all.p99Ms)}`]
  const errors = all.errors === 0 ? [] : [`${formatExact(all.errors)} failed`]
  return [rate, ...p99, ...errors].join(separator)
}
