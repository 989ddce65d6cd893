import type { Awaitable } from '@unikv/core'
import { Silence } from '@unikv/core/platform'

/** A reader that does not wait for longer. */
export interface SoftTimeout<T> {
  readonly ms: number
  /** Substitute after the timeout, if any. An error counts as none. */
  readonly instead: () => Awaitable<T | undefined>
  /** Makes the answer of what was fetched, unless something else was the answer before. */
  readonly last?: (found: T) => T
  /** Takes what goes on after the answer. */
  readonly background: ((work: Promise<unknown>) => unknown) | undefined
}

/** The fetched answer, or the substitute if fetching takes longer. */
export function within<T>(
  fetched: Promise<T>,
  { ms, instead, last, background }: SoftTimeout<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let isAnswered = false
    const look = async (): Promise<void> => {
      const found = await instead()
      if (found === undefined || isAnswered) return
      isAnswered = true
      resolve(found)
      background?.(fetched.catch(() => {}))
    }
    const silence = new Silence(ms, () => void look().catch(() => {})).unref()
    const end = (found: T): void => {
      if (!isAnswered) resolve(last === undefined ? found : last(found))
      isAnswered = true
    }
    void fetched
      .then(end)
      .catch(reject)
      .finally(() => silence.end())
  })
}
