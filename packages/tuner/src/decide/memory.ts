import { isDeepStrictEqual } from 'node:util'
import { queryNamed } from '@unikv/monitor'
import type { StoreWork } from '../observe/work.ts'
import type { Candidate, Change } from '../tactic.ts'

/** An action of the past, as far as it binds decisions. */
export interface Past {
  readonly tactic: string
  readonly change: Change
  readonly end: 'kept' | 'undone' | 'failed' | 'rejected'
  /** When it ended (milliseconds since the epoch). */
  readonly at: number
  /** The load at that time. */
  readonly load: LoadShape
}

/** A load as far as it tells situations apart: calls a second, and the share of each operation. */
export interface LoadShape {
  readonly callsPerSecond: number
  readonly mix: { readonly [operation: string]: number }
}

/** An action that failed is not tried again for an hour. */
const failedMs = 3_600_000
/** An owner who said no is not asked again for a week, unless the load changes. */
const rejectedMs = 7 * 86_400_000
/** A change is not turned back within a day, unless the load changes. */
const turnMs = 86_400_000

/** The shape of a load. */
export function shapeOf(work: StoreWork): LoadShape {
  const whole = Object.entries(work).filter(([name]) => queryNamed(name) === undefined)
  const callsPerSecond = whole.reduce((sum, [, its]) => sum + its.callsPerSecond, 0)
  const mix = whole.map(([name, its]) => [
    name,
    callsPerSecond === 0 ? 0 : its.callsPerSecond / callsPerSecond,
  ])
  return { callsPerSecond, mix: Object.fromEntries(mix) }
}

/** Whether two loads are alike: less than twice as much, and less than a quarter of the calls of another kind. */
function isAlike(a: LoadShape, b: LoadShape): boolean {
  const least = Math.min(a.callsPerSecond, b.callsPerSecond)
  const most = Math.max(a.callsPerSecond, b.callsPerSecond)
  const names = new Set([...Object.keys(a.mix), ...Object.keys(b.mix)])
  const moved = [...names].reduce((sum, name) => sum + Math.abs((a.mix[name] ?? 0) - (b.mix[name] ?? 0)), 0)
  return most <= 2 * Math.max(least, 1e-9) && moved / 2 < 0.25
}

/** The past of one store: what was done, and how it ended. */
export class Memory {
  readonly #past: readonly Past[]

  constructor(past: readonly Past[] = []) {
    this.#past = past
  }

  /** Why a candidate should not be tried now; `undefined`: nothing in the past speaks against it. */
  against(tactic: string, { change, undoes }: Candidate, work: StoreWork, now: number): string | undefined {
    const load = shapeOf(work)
    for (const past of this.#past.toReversed()) {
      const isAgain = past.tactic === tactic && isDeepStrictEqual(past.change, change)
      const isTurn = undoes?.tactic === past.tactic && isDeepStrictEqual(past.change, undoes.change)
      const isSameLoad = isAlike(past.load, load)
      const age = now - past.at
      if (isAgain && past.end === 'kept' && age < turnMs)
        return `It was done on ${day(past.at)}, and is kept.`
      if (isAgain && past.end === 'undone' && isSameLoad)
        return `It was tried, and taken back on ${day(past.at)}. The load has not changed since.`
      if (isAgain && past.end === 'failed' && age < failedMs)
        return `It failed on ${day(past.at)}; it is not tried again for an hour.`
      if (isAgain && past.end === 'rejected' && age < rejectedMs && isSameLoad)
        return `Its owner rejected it on ${day(past.at)}, and the load has not changed since.`
      if (isTurn && past.end === 'kept' && age < turnMs && isSameLoad)
        return `It would take back what was done on ${day(past.at)}, less than a day ago, at the same load.`
    }
    return undefined
  }
}

function day(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
