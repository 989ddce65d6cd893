import { Bench } from 'tinybench'
import { times } from './report.ts'
import { type Contestant, median } from './rounds.ts'

/** Length of one sample: long enough that looking at the clock does not count, short enough to be undisturbed. */
const groupUs = 200
/** Most calls in one sample. */
const mostCalls = 100

/**
 * A contestant that does `work` again and again for about `durationMs` a round; `perCall` operations each time.
 * `tinybench` samples groups of calls, and the result is the median: pauses of the machine fall on few groups.
 */
export function repeated(
  name: string,
  work: () => unknown,
  { durationMs = 150, perCall = 1 }: { readonly durationMs?: number; readonly perCall?: number } = {},
): Contestant {
  return {
    name,
    run: async () => {
      const { calls, isAsync } = await groupOf(work)
      const bench = new Bench({ time: durationMs, iterations: 1 })
      bench.add(name, isAsync ? () => inTurn(work, calls) : () => atOnce(work, calls))
      const [task] = await bench.run()
      if (task?.result?.error !== undefined) throw new Error(`${name} failed.`, { cause: task.result.error })
      const p50Us = (median(task?.result?.samples ?? []) * 1000) / (calls * perCall)
      return { opsPerSecond: 1_000_000 / p50Us, p50Us }
    },
  }
}

/** How many calls make a sample, as measured by some of them. */
async function groupOf(work: () => unknown): Promise<{ readonly calls: number; readonly isAsync: boolean }> {
  const isAsync = work() instanceof Promise
  const before = performance.now()
  let done = 0
  while (done < mostCalls && (performance.now() - before) * 1000 < groupUs) {
    await inTurn(work, 1)
    done++
  }
  return { calls: Math.max(1, done), isAsync }
}

async function inTurn(work: () => unknown, calls: number): Promise<void> {
  for (let i = 0; i < calls; i++) {
    const answer = work()
    if (answer instanceof Promise) await answer
  }
}

function atOnce(work: () => unknown, calls: number): void {
  for (let i = 0; i < calls; i++) work()
}

/** One line of the performance budget, and whether this run kept it. */
export interface BudgetLine {
  readonly what: string
  readonly limit: string
  readonly measured: string
  readonly kept: boolean
}

/** A line for a figure that must be at most, or at least, so many times another. */
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
