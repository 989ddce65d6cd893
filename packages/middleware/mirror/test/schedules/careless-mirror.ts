import { type Bytes, isWritten, type Mutation, newVersion, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import type { Mirrored } from './schedule.ts'

/**
 * What programs do that mirror by themselves: write to the second what the first acknowledged, and again what failed. No
 * order of the writes of a key, and no second look at what was lost.
 */
export function carelessMirror(primary: Store<Bytes>, secondary: Store<Bytes>): Mirrored {
  const failed = new Set<string>()
  const again = async (key: string): Promise<void> => {
    failed.delete(key)
    try {
      const [entry] = await primary.read([{ key }], callOptions())
      const version = newVersion()
      const mutation: Mutation<Bytes> =
        entry !== undefined && 'value' in entry && entry.version !== undefined
          ? { ...entry, type: 'set', key, version: entry.version }
          : { type: 'delete', key, version }
      await secondary.write([mutation], callOptions())
    } catch {
      failed.add(key)
    }
  }
  return {
    write: async (mutations, call) => {
      try {
        const results = await primary.write(mutations, call)
        for (const [i, mutation] of mutations.entries()) {
          if (!isWritten(results[i] as never)) continue
          if (mutation.type === 'set' && mutation.expiresAt !== 'keep')
            void Promise.resolve(
              secondary.write([{ ...mutation, ifVersion: undefined }], callOptions()),
            ).catch(() => void failed.add(mutation.key))
          else void again(mutation.key)
        }
        return results
      } catch (error) {
        for (const { key } of mutations) failed.add(key)
        throw error
      }
    },
    stats: () => ({ dirty: failed.size, mustResync: false }),
    repair: async () => {
      for (const key of Array.from(failed)) void again(key)
      return failed.size
    },
  }
}
