import type { LoadContext, Loader, LoadResult } from '../src/index.ts'
import { turn } from './gated-store.ts'

/** A loader whose loads wait until they are answered. */
export interface GatedLoader<V> {
  readonly load: Loader<V>
  /** What each load was told, in the order in which they began. */
  readonly contexts: LoadContext[]
  /** Answer all that wait. */
  readonly answer: (result: LoadResult<V>) => Promise<void>
  /** Fail all that wait. */
  readonly fail: (error: unknown) => Promise<void>
}

export function gatedLoader<V>(): GatedLoader<V> {
  const contexts: LoadContext[] = []
  let waiting: {
    readonly resolve: (result: LoadResult<V>) => void
    readonly reject: (error: unknown) => void
  }[] = []
  const all = async (end: (one: (typeof waiting)[number]) => void): Promise<void> => {
    const ending = waiting
    waiting = []
    for (const one of ending) end(one)
    await turn()
  }
  return {
    contexts,
    load: (context) => {
      contexts.push(context)
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
    },
    answer: (result) => all(({ resolve }) => resolve(result)),
    fail: (error) => all(({ reject }) => reject(error)),
  }
}
