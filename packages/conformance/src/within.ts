import { setTimeout as pause } from 'node:timers/promises'

/** Wait for this work so long, and no longer: then with this error. */
export async function within(timeoutMs: number, what: string, work: Promise<unknown>): Promise<void> {
  const done = new AbortController()
  const late = pause(timeoutMs, undefined, { signal: done.signal }).then(
    () => {
      throw new Error(`${what} did not end within ${timeoutMs} ms.`)
    },
    () => {},
  )
  try {
    await Promise.race([work, late])
  } finally {
    done.abort()
  }
}
