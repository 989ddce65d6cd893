import { testClock } from '@unikv/conformance'
import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { monitor } from '../src/index.ts'
import { type RecorderOptions, recorder } from '../src/recorder/index.ts'

export const minute = 60_000
export const start = Date.UTC(2026, 0, 5, 10, 59)

/** A monitored store on a clock, and its recorder. */
export function recorded(options: RecorderOptions = {}) {
  const clock = testClock(start)
  const m = monitor({ clock, timeEverySync: true })
  const kv = keyValue(memory(), [m, json()])
  return { clock, m, kv, its: recorder(m, { clock, ...options }) }
}
