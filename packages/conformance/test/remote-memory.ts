import type { Bytes, Capabilities, Page, Store } from '@unikv/core'
import { type MemoryOptions, type MemoryStore, memory } from '@unikv/core/memory'

/** What a store behind a pool of connections might declare. */
const remoteCapabilities = {
  batch: { atomicity: 'none', maxItems: 50, maxBytes: 1_000_000, coalesce: { min: 2, max: 16 } },
  maxKeyBytes: 250,
  maxValueBytes: 2_000_000,
  sync: 'none',
} as const satisfies Partial<Capabilities>

/**
 * Memory at the end of several lines of different length: a call takes effect some turns of the event loop
 * after it was made, and is answered some turns later, so that calls overtake each other.
 */
export function remoteMemory(options: MemoryOptions): Store<Bytes> {
  const inner: MemoryStore = memory({ ...options, name: 'remote' })
  let calls = 0
  const far = async <T>(run: () => T): Promise<T> => {
    const line = calls++
    await turns((line * 7) % 4)
    const answer = run()
    await turns((line * 5) % 3)
    return answer
  }
  return {
    ...inner,
    capabilities: { ...inner.capabilities, ...remoteCapabilities },
    read: (reads, call) => far(() => inner.read(reads, call)) as ReturnType<Store<Bytes>['read']>,
    write: (mutations, call) => far(() => inner.write(mutations, call)) as ReturnType<Store<Bytes>['write']>,
    scan: async function* (range, call): AsyncGenerator<Page<Bytes>> {
      for (let resume = range.resume; ; ) {
        const [page] = await far(() =>
          [...(inner.scan({ ...range, resume }, call) as Iterable<Page<Bytes>>)].slice(0, 1),
        )
        yield page ?? { entries: [] }
        resume = page?.resume
        if (resume === undefined) return
      }
    },
  }
}

async function turns(n: number): Promise<void> {
  for (let i = 0; i < n; i++) await new Promise((resolve) => setImmediate(resolve))
}
