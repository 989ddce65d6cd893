import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

const events = ['unhandledRejection', 'uncaughtException'] as const

/**
 * Run, and fail if a promise is rejected without a handler, or an error is thrown where no code can catch it. The
 * listeners of the test runner rest meanwhile.
 */
export async function noStrays(run: () => Promise<void>): Promise<void> {
  const strays: unknown[] = []
  const note = (stray: unknown): void => void strays.push(stray)
  const others = events.map((event) => ({ event, listeners: process.rawListeners(event) }))
  for (const event of events) process.removeAllListeners(event).on(event, note)
  try {
    await run()
    await pause(1)
  } finally {
    for (const { event, listeners } of others) {
      process.removeAllListeners(event)
      for (const listener of listeners) process.on(event, listener as () => void)
    }
  }
  assert.deepEqual(strays, [], 'no error is lost where no code can catch it')
}
