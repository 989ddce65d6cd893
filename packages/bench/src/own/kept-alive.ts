import { AbortController, pause } from '@unikv/core/platform'

/** Keep the process alive until work has settled: the timers of deadlines alone do not. */
export async function keptAlive<T>(work: () => Promise<T>): Promise<T> {
  const settled = new AbortController()
  void pause(Infinity, { signal: settled.signal })
  try {
    return await work()
  } finally {
    settled.abort()
  }
}
