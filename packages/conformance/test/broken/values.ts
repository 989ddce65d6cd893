import {
  type Bytes,
  type Entry,
  isEntry,
  type Mutation,
  type ReadResult,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import { type BrokenStore, itemwise, type Sound } from './broken-store.ts'

const binary = 'binary values'
const safety = 'mutation safety'

/** Stores that change values, or let others change them. */
export const brokenValues: readonly BrokenStore[] = [
  {
    fault: 'ends values at the first NUL',
    topic: binary,
    found: 'bytes that look like text, numbers or nothing survive',
    breaks: (inner) =>
      storing(inner, (value) => (value.includes(0) ? value.slice(0, value.indexOf(0)) : value)),
  },
  {
    fault: 'keeps values as UTF-8 text',
    topic: binary,
    found: 'bytes that are not UTF-8 survive',
    breaks: (inner) => storing(inner, (value) => Buffer.from(Buffer.from(value).toString())),
  },
  {
    fault: 'takes a value of no bytes for no value',
    topic: binary,
    found: 'a value of no bytes is a value',
    breaks: (inner) => reading(inner, (entry) => (entry.value.length === 0 ? undefined : entry)),
  },
  {
    fault: 'stores the whole buffer of a view',
    topic: binary,
    found: 'a view into a larger buffer is stored as the view alone',
    breaks: (inner) => storing(inner, (value) => new Uint8Array(value.buffer)),
  },
  {
    fault: 'takes its own header off twice when a value looks like a record',
    topic: binary,
    found: 'bytes that look like a record or like another format survive',
    breaks: (inner) =>
      reading(inner, (entry) =>
        entry.value[0] === 0xd5 ? { ...entry, value: entry.value.subarray(20) } : entry,
      ),
  },
  {
    fault: 'keeps the first 65,535 bytes',
    topic: binary,
    found: 'values around powers of two survive',
    breaks: (inner) => storing(inner, (value) => value.slice(0, 65_535)),
  },
  {
    fault: 'leaves the end of a longer value behind a shorter one',
    topic: 'read and write',
    found: 'a shorter value replaces a longer one completely',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation) => {
          const there = inner.entry(mutation.key)
          if (mutation.type !== 'set' || there === undefined || there.value.length <= mutation.value.length)
            return inner.write(mutation)
          return inner.write({
            ...mutation,
            value: Buffer.concat([mutation.value, there.value.subarray(mutation.value.length)]),
          })
        },
      }),
  },
  {
    fault: 'hands out its own bytes',
    topic: safety,
    found: 'a result that is changed by its reader changes no other',
    breaks: (inner) => {
      const held = new Map<string, Entry<Bytes>>()
      return itemwise(inner, {
        read: (read) => {
          const fresh = inner.entry(read.key)
          const known = held.get(read.key)
          if (fresh === undefined || known?.version === fresh.version) return fresh && known
          held.set(read.key, fresh)
          return fresh
        },
      })
    },
  },
  {
    fault: 'keeps the bytes that it is given',
    topic: safety,
    found: 'a value that is changed after its write stays in the store as it was',
    breaks: (inner) => {
      const given = new Map<string, Bytes>()
      return itemwise(inner, {
        read: (read) => {
          const found = inner.entry(read.key)
          return found === undefined
            ? undefined
            : { ...found, value: Buffer.from(given.get(read.key) ?? found.value) }
        },
        write: (mutation) => {
          if (mutation.type === 'set') given.set(mutation.key, mutation.value)
          return inner.write(mutation)
        },
      })
    },
  },
  {
    fault: 'hands out views of one buffer that it uses again',
    topic: safety,
    found: 'bytes of a small result do not uncover or share those of another',
    breaks: (inner) => {
      const pool = Buffer.alloc(65_536)
      return {
        read: (reads) =>
          reads.map((read): ReadResult<Bytes> => {
            const found = inner.read(read)
            if (!isEntry(found) || found.value.length > pool.length) return found
            pool.set(found.value)
            return { ...found, value: pool.subarray(0, found.value.length) }
          }),
      }
    },
  },
  {
    fault: 'shows the value in its errors',
    topic: 'errors',
    found: 'a counter that is none is refused without its value',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation): WriteResult => {
          const result = inner.write(mutation)
          if (mutation.type !== 'increment' || !(result instanceof Error)) return result
          return new StoreError(
            'INVALID_VALUE',
            `This is no number: ${Buffer.from(inner.entry(mutation.key)?.value ?? []).toString()}`,
          )
        },
      }),
  },
  {
    fault: 'takes less than it declares',
    topic: 'limits',
    found: 'the largest declared value is taken',
    declares: { maxValueBytes: 100_000 },
    breaks: (inner) => storing(inner, (value) => value.slice(0, 99_990)),
  },
]

function storing(inner: Sound, change: (value: Bytes) => Bytes) {
  const write = (mutation: Mutation<Bytes>) =>
    inner.write(mutation.type === 'set' ? { ...mutation, value: change(mutation.value) } : mutation)
  return itemwise(inner, { write })
}

function reading(inner: Sound, change: (entry: Entry<Bytes>) => Entry<Bytes> | undefined) {
  return itemwise(inner, {
    read: (read) => {
      const found = inner.read(read)
      return isEntry(found) ? change(found) : found
    },
  })
}
