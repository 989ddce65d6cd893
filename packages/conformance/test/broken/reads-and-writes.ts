import { type Bytes, type Entry, isStoreError, newVersion, type ReadResult } from '@unikv/core'
import { type BrokenStore, itemwise, tick } from './broken-store.ts'

const topic = 'read and write'

/** Stores that answer something else than what was written. */
export const brokenReadsAndWrites: readonly BrokenStore[] = [
  {
    fault: 'acknowledges a write before it is done',
    topic,
    found: 'each of many rounds of set, read, delete, read sees the round before it',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation) => {
          setImmediate(() => inner.write(mutation))
          return { version: mutation.version }
        },
      }),
  },
  {
    fault: 'caches reads and never learns of writes',
    topic,
    found: 'a write replaces the value and the version',
    breaks: (inner) => {
      const cached = new Map<string, ReadResult<Bytes>>()
      return itemwise(inner, {
        read: (read) => {
          if (!cached.has(read.key)) cached.set(read.key, inner.read(read))
          return cached.get(read.key)
        },
      })
    },
  },
  {
    fault: 'brings a deleted value back when a read was under way',
    topic,
    found: 'a read that began before a delete does not bring the value back for later reads',
    breaks: (inner) => {
      const cached = new Map<string, Entry<Bytes>>()
      return itemwise(inner, {
        read: async (read) => {
          const hit = cached.get(read.key)
          if (hit !== undefined) return hit
          const found = inner.entry(read.key)
          await tick()
          if (found !== undefined) cached.set(read.key, found)
          return found
        },
        write: (mutation) => {
          cached.delete(mutation.key)
          return inner.write(mutation)
        },
      })
    },
  },
  {
    fault: 'skips the write of an equal value',
    topic,
    found: 'a write of an equal value still replaces the version',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation) => {
          const there = inner.entry(mutation.key)
          const equal =
            mutation.type === 'set' &&
            there !== undefined &&
            Buffer.compare(there.value, mutation.value) === 0
          return equal ? { version: mutation.version } : inner.write(mutation)
        },
      }),
  },
  {
    fault: 'makes versions of its own and tells the ones it was given',
    topic,
    found: 'a read returns the value, the version and no expiry',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation) => {
          inner.write({ ...mutation, version: newVersion() })
          return { version: mutation.version }
        },
      }),
  },
  {
    fault: 'counts versions of a key from one',
    topic: 'versions',
    found: 'a record that was deleted and made again has the version of its new write',
    breaks: (inner) => {
      const count = (key: string) => Number.parseInt(inner.entry(key)?.version ?? '0', 16) + 1
      return itemwise(inner, {
        write: (mutation) =>
          inner.write({ ...mutation, version: count(mutation.key).toString(16).padStart(24, '0') }),
      })
    },
  },
  {
    fault: 'answers not modified whatever the version',
    topic: 'versions',
    found: 'a read of a version that was replaced brings the new value',
    breaks: (inner) =>
      itemwise(inner, {
        read: (read) => {
          const found = inner.entry(read.key)
          if (found === undefined || read.ifNotVersion === undefined) return found
          return { notModified: true, version: found.version, expiresAt: found.expiresAt }
        },
      }),
  },
  {
    fault: 'sends the value although the version is the same',
    topic: 'versions',
    found: 'a read of a version that is still there brings no value',
    breaks: (inner) => itemwise(inner, { read: ({ key }) => inner.entry(key) }),
  },
  {
    fault: 'fails to delete what is not there',
    topic,
    found: 'deleting an absent key is a success',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation) =>
          mutation.type === 'delete' && inner.entry(mutation.key) === undefined
            ? { conditionFailed: true }
            : inner.write(mutation),
      }),
  },
  {
    fault: 'shares its data with other datasets',
    topic,
    found: 'two stores over datasets of their own share nothing',
    breaks: (inner) =>
      itemwise(inner, {
        read: ({ key }) => shared.get(key),
        write: (mutation) => (shared.set(mutation.key, entryOf(mutation)), { version: mutation.version }),
      }),
  },
  {
    fault: 'takes an error for an absent key',
    topic: 'errors',
    found: 'a damaged record is an error for every read of its value, never absent and never another value',
    breaks: (inner) =>
      itemwise(inner, {
        read: (read) => {
          const found = inner.read(read)
          return isStoreError(found) ? undefined : found
        },
      }),
  },
  {
    fault: 'fails a whole batch for one damaged record',
    topic: 'errors',
    found: 'a damaged record does not hide the others of its batch',
    breaks: (inner) => ({
      read: (reads) =>
        reads.map((read) => {
          const found = inner.read(read)
          if (isStoreError(found)) throw found
          return found
        }),
    }),
  },
]

const shared = new Map<string, Entry<Bytes>>()

function entryOf(mutation: Parameters<Parameters<typeof itemwise>[1]['write'] & object>[0]): Entry<Bytes> {
  return {
    value: mutation.type === 'set' ? mutation.value : new Uint8Array(),
    version: mutation.version,
    expiresAt: undefined,
  }
}
