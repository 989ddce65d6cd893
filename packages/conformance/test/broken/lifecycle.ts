import { type BrokenStore, itemwise, tick } from './broken-store.ts'

const topic = 'lifecycle'

/** Stores that do not begin, end or declare as they should. */
export const brokenLifecycles: readonly BrokenStore[] = [
  {
    fault: 'keeps a timer after it was closed',
    topic,
    found: 'an open, used and closed store leaves nothing that keeps the process alive',
    breaks: (inner) => ({
      write: (mutations) => {
        // Long enough for the suite to see it, short enough for the process that runs it.
        setTimeout(() => {}, 30_000)
        return mutations.map(inner.write)
      },
    }),
  },
  {
    fault: 'cannot be closed twice',
    topic,
    found: 'a store that was used can be closed, twice, and twice at once',
    breaks: () => {
      let closed = false
      return {
        close: async () => {
          if (closed) throw new Error('already closed')
          closed = true
        },
      }
    },
  },
  {
    fault: 'does not answer after it was closed',
    topic,
    found: 'the verbs of a closed store settle',
    breaks: (inner) => {
      let closed = false
      return {
        read: (reads) => (closed ? new Promise(() => {}) : reads.map(inner.read)),
        close: async () => {
          closed = true
        },
      }
    },
  },
  {
    fault: 'declares to answer at once and answers by promise',
    topic: 'declared capabilities',
    found: 'verbs that are declared to answer at once do',
    breaks: (inner) => ({
      read: async (reads) => {
        await tick()
        return reads.map(inner.read)
      },
    }),
  },
  {
    fault: 'declares a capability that there is not',
    topic: 'declared capabilities',
    found: 'capabilities are a closed list of plain data, the same for every instance',
    declares: { transactions: true } as object,
    breaks: () => ({}),
  },
  {
    fault: 'declares a limit below the portable one',
    topic: 'declared capabilities',
    found: 'limits are such that every portable key and a batch fit',
    declares: { maxKeyBytes: 100 },
    breaks: () => ({}),
  },
  {
    fault: 'declares increments that it does not do',
    topic: 'increment',
    found: 'KeyValue counts',
    breaks: (inner) =>
      itemwise(inner, {
        write: (mutation) =>
          mutation.type === 'increment' ? { version: mutation.version } : inner.write(mutation),
      }),
  },
]
