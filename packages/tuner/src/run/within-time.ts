import { StoreError } from '@unikv/core'
import { clearTimeout, setTimeout } from '@unikv/core/platform'

/**
 * The answer of foreign code, if it comes in time. Code that never answers must not stop the tuner.
 *
 * @throws {StoreError} `TIMEOUT` when the time is over, `CLOSED` when the signal aborts
 */
export async function withinTime<T>(run: () => Promise<T>, limitMs: number, signal: AbortSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let end = (): void => {}
  const over = new Promise<never>((_, reject) => {
    const late = new StoreError('TIMEOUT', `There was no answer within ${limitMs / 1000} s.`)
    timer = setTimeout(() => reject(late), limitMs)
    timer.unref()
    end = () => reject(new StoreError('CLOSED', 'The tuner is closed.'))
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
  })
  try {
    return await Promise.race([over, run()])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}
