import type { Bytes, Mutation, Read, Store } from '@unikv/core'
import { type MemoryStore, memory } from '@unikv/core/memory'

/** A memory store whose reads wait at a gate, and which counts what it is asked. */
export interface GatedStore extends Store<Bytes> {
  /** Reads that arrived, call by call. */
  readonly reads: (readonly Read[])[]
  readonly writes: (readonly Mutation<Bytes>[])[]
  /** Let waiting reads see the store now; they answer later. */
  look(): void
  /** Answer the waiting reads, or fail them. */
  open(error?: Error): Promise<void>
  readonly inner: MemoryStore
}

/** Reads look into the store when `look` or `open` is called, and answer when `open` is. */
export function gatedStore(
  options: { readonly clock?: () => number; readonly name?: string } = {},
): GatedStore {
  const inner = memory(options)
  let waiting: { look(): void; answer(error?: Error): void }[] = []
  const reads: (readonly Read[])[] = []
  const writes: (readonly Mutation<Bytes>[])[] = []
  return {
    name: inner.name,
    capabilities: { ...inner.capabilities, sync: 'none' },
    native: inner.native,
    inner,
    reads,
    writes,
    read: (asked, call) =>
      new Promise((resolve, reject) => {
        reads.push(asked)
        let seen: ReturnType<MemoryStore['read']> | undefined
        const look = () => {
          seen ??= inner.read(asked, call)
        }
        const answer = (error?: Error) => {
          look()
          if (error === undefined) resolve(seen as Awaited<typeof seen> as never)
          else reject(error)
        }
        waiting.push({ look, answer })
      }),
    write: async (mutations, call) => {
      writes.push(mutations)
      return inner.write(mutations, call)
    },
    scan: (range, call) => inner.scan(range, call),
    close: () => inner.close(),
    look: () => {
      for (const one of waiting) one.look()
    },
    open: async (error) => {
      for (const one of waiting.splice(0)) one.answer(error)
      waiting = []
      await turn()
    },
  }
}

/** Let everything that can go on without waiting go on. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
