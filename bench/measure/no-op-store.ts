import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Bytes, Store, WriteResult } from '@unikv/core'
import { memory } from '@unikv/core/memory'

/** How a store that does nothing answers: at once, by a promise that is settled already, or after a turn of the event loop. */
export type Answer = 'at once' | 'by promise' | 'after setImmediate'

/** A store that does nothing, so that only the generator and KeyValue cost anything. It holds every key. */
export function noOpStore(answer: Answer): Store<Bytes> {
  const entry = { value: Buffer.alloc(100), version: '0'.repeat(24), expiresAt: undefined }
  const found = [entry]
  const written: readonly WriteResult[] = [{ version: entry.version }]
  const empty = memory()
  const answered = <T>(value: T): T | Promise<T> => {
    if (answer === 'at once') return value
    return answer === 'by promise' ? Promise.resolve(value) : nextTurn(value)
  }
  return {
    name: 'no-op',
    capabilities: { ...empty.capabilities, sync: answer === 'at once' ? 'all' : 'none' },
    native: empty.native,
    read: (reads) => answered(reads.length === 1 ? found : reads.map(() => entry)),
    write: (mutations) =>
      answered(mutations.length === 1 ? written : mutations.map(() => ({ version: entry.version }))),
    scan: (range, options) => empty.scan(range, options),
    close: () => empty.close(),
  }
}
