import { type Bytes, isStoreError, type Mutation, StoreError, type WriteResult } from '@unikv/core'
import { type BrokenStore, tick } from './broken-store.ts'

const topic = 'batches'

/** Stores whose batches are not what their items would be. */
export const brokenBatches: readonly BrokenStore[] = [
  {
    fault: 'answers in the order of keys',
    topic,
    found: 'results of a read are aligned with its keys, absent ones in between',
    breaks: (inner) => ({
      read: (reads) => reads.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(inner.read),
    }),
  },
  {
    fault: 'says that nothing was changed after it deleted several records',
    topic: 'outcomes while half of the store is away',
    found: 'deleteMany: what is told is true',
    breaks: (inner) => ({
      write: (mutations) => {
        const results = mutations.map(inner.write)
        if (mutations.length > 1 && mutations.every(({ type }) => type === 'delete'))
          throw new StoreError('UNAVAILABLE', 'Nothing was changed.')
        return results
      },
    }),
  },
  {
    fault: 'leaves absent keys out of its answer',
    topic,
    found: 'a read of absent keys alone is as many times undefined',
    breaks: (inner) => ({ read: (reads) => reads.map(inner.read).filter((found) => found !== undefined) }),
  },
  {
    fault: 'answers writes from the last to the first',
    topic,
    found: 'results of a write are aligned with its mutations',
    breaks: (inner) => ({ write: (mutations) => mutations.map(inner.write).toReversed() }),
  },
  {
    fault: 'forgets the last item of a batch of more than eight',
    topic,
    found: 'each item of a batch is written: first, last, and all between',
    breaks: (inner) => ({
      write: (mutations) =>
        mutations.map((mutation, i): WriteResult => {
          const last = mutations.length > 8 && i === mutations.length - 1
          return last ? { version: mutation.version } : inner.write(mutation)
        }),
    }),
  },
  {
    fault: 'writes a batch bit by bit and calls it atomic',
    topic,
    found: 'no reader sees a part of an atomic batch',
    breaks: (inner) => ({
      write: async (mutations) => {
        const results: WriteResult[] = []
        for (const mutation of mutations) {
          await Promise.resolve()
          results.push(inner.write(mutation))
        }
        return results
      },
    }),
  },
  {
    fault: 'gives every item of a batch the answer of the first',
    topic,
    found: 'what a batch of conditions answers is what it did',
    breaks: (inner) => ({
      write: (mutations) => {
        const results = mutations.map(inner.write)
        return results.map(() => results[0] as WriteResult)
      },
    }),
  },
  {
    fault: 'mixes batches that run at the same time',
    topic,
    found: 'batches that run at the same time do not mix their results',
    breaks: (inner) => {
      let asked: readonly string[] = []
      return {
        read: async (reads) => {
          asked = reads.map(({ key }) => key)
          await tick()
          return reads.map((_, i) => inner.read({ key: asked[i] ?? '' }))
        },
      }
    },
  },
  {
    fault: 'loses writes of others: reads everything, changes it, writes everything',
    topic: 'races',
    found: 'writers of different keys at the same time lose nothing',
    breaks: (inner) => ({
      write: async (mutations) => {
        const before = [...inner.pages({ prefix: '', pageSize: 10_000, values: true })].flatMap(
          ({ entries }) => entries,
        )
        await tick()
        for (const { key, entry } of before) {
          if (entry !== undefined && !isStoreError(entry))
            inner.write(setOf(key, entry.value, entry.version as string))
        }
        return mutations.map(inner.write)
      },
    }),
  },
  {
    fault: 'reads value and version one after the other',
    topic: 'races',
    found: 'readers see whole values while writers replace them',
    breaks: (inner) => ({
      read: async (reads) => {
        const values = reads.map(inner.read)
        await tick()
        return reads.map((read, i) => {
          const [value, head] = [values[i], inner.entry(read.key)]
          return value !== undefined && 'value' in value && head !== undefined
            ? { ...value, version: head.version }
            : value
        })
      },
      write: async (mutations) => {
        await tick()
        return mutations.map(inner.write)
      },
    }),
  },
  {
    fault: 'lets a later write overtake an earlier one after both were acknowledged',
    topic: 'coalescing and program order',
    found: 'of a hundred sets of one tick the last stays',
    breaks: (inner) => {
      let n = 0
      return {
        write: async (mutations) => {
          const late = n++ % 3 === 0
          if (late) setTimeout(() => mutations.map(inner.write), 5)
          await tick()
          return late ? mutations.map(({ version }) => ({ version })) : mutations.map(inner.write)
        },
      }
    },
  },
]

function setOf(key: string, value: Bytes, version: string): Mutation<Bytes> {
  return { type: 'set', key, value, version }
}
