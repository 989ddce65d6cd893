import { times } from './report.ts'
import { type Contestant, median } from './rounds.ts'

/** Time between two looks at the clock: long enough that looking does not count, short enough to be undisturbed. */
const groupUs = 200

/**
 * A contestant that does `work` again and again for about `durationMs` a round; `perCall` operations each time.
 * Its result is the median of groups of calls: what the machine does besides falls on few of them.
 */
export function repeated(
  name: string,
  work: () => unknown,
  { durationMs = 150, perCall = 1 }: { readonly durationMs?: number; readonly perCall?: number } = {},
): Contestant {
  return {
    name,
    run: async () => {
      const groupsUs: number[] = []
      const endAt = performance.now() + durationMs
      let callsALook = 1
      for (let before = performance.now(); before < endAt; ) {
        for (let i = 0; i < callsALook; i++) {
          const answer = work()
          if (answer instanceof Promise) await answer
        }
        const now = performance.now()
        const callUs = ((now - before) * 1000) / callsALook
        groupsUs.push(callUs / perCall)
        callsALook = Math.max(1, Math.min(100, Math.round(groupUs / callUs)))
        before = now
      }
      const p50Us = median(groupsUs)
      return { opsPerSecond: 1_000_000 / p50Us, p50Us }
    },
  }
}

/** One line of the performance budget, and whether this run kept it. */
export interface BudgetLine {
  readonly what: string
  readonly limit: string
  readonly measured: string
  readonly kept: boolean
}

/** A line for a figure that is to be at most, or at least, so many times another. */
export function ratioLine(
  what: string,
  measured: number,
  bound: 'most' | 'least',
  limit: number,
): BudgetLine {
  return {
    what,
    limit: `${bound === 'most' ? '≤' : '≥'} ${times(limit)}`,
    measured: times(measured),
    kept: bound === 'most' ? measured <= limit : measured >= limit,
  }
}

/** Budget lines as rows of a table. */
export function budgetRows(lines: readonly BudgetLine[]): readonly (readonly string[])[] {
  return lines.map(({ what, limit, measured, kept }) => [what, limit, measured, kept ? 'kept' : 'MISSED'])
}
