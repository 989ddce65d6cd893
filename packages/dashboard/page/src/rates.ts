import type { FiguresNow } from './api.ts'

/** Calls a second between two frames. */
export function rate(before: FiguresNow, after: FiguresNow, store: string, operation: string): number {
  const calls = (frame: FiguresNow): number => frame.stores[store]?.[operation]?.calls ?? 0
  const seconds = (after.at - before.at) / 1_000
  return seconds <= 0 ? 0 : Math.max(0, (calls(after) - calls(before)) / seconds)
}
