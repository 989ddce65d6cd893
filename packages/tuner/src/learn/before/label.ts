import { pairedTest } from '@unikv/bench/statistics'
import { trials } from './plan.ts'

/** The figures of one round of a set-up. */
export interface Round {
  readonly opsPerSecond: number
  readonly p99Ms: number
}

/** Rounds by set-up. Round i of all of them saw the same machine. */
export type Rounds = { readonly [trial: string]: readonly Round[] }

/** A gain by less is none. */
const leastGain = 1.05

/** The tactic whose set-up was best by more than 5 %, with 95 % certainty; else `none`. Throughput and p99 count the same. */
export function labelOf(rounds: Rounds): string {
  const plain = (rounds['plain'] ?? []).map(worth)
  const gains = trials.flatMap(({ name, tactic }) => {
    const own = (rounds[name] ?? []).map(worth)
    if (tactic === 'none' || own.length < 2 || own.length !== plain.length) return []
    const { ratio, interval } = pairedTest(plain, own, 0.9)
    return ratio >= leastGain && interval[0] > 1 ? [{ tactic, ratio }] : []
  })
  const [best] = gains.toSorted((a, b) => b.ratio - a.ratio)
  return best?.tactic ?? 'none'
}

/** Throughput over p99, so that twice as much is twice as good. */
function worth({ opsPerSecond, p99Ms }: Round): number {
  return Math.sqrt(Math.max(1e-9, opsPerSecond) / Math.max(1e-6, p99Ms))
}
