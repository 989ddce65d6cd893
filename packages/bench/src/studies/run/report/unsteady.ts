import type { RunResult } from '../result.ts'
import { longestWarmupMs } from '../steady-watch.ts'

/** Stores whose warm-up ended without seconds that are alike: a reader must know. */
export function unsteadyWarmups({ targets }: RunResult): readonly string[] {
  const stores = targets.filter(({ isSteady }) => isSteady === false).map(({ store }) => store)
  return [...new Set(stores)].map(
    (store) =>
      `${store}: the warm-up ended before its seconds were alike (it lasts ${longestWarmupMs / 1_000} s at most), so the runs may still show a store that warms up.`,
  )
}
