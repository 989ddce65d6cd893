import { type Bytes, compose, keyValue, type Mutation, type StoreError, type WriteResult } from '@unikv/core'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { type WriteBehindOptions, writeBehind } from '../src/index.ts'

/** Let everything that can go on without waiting go on. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const goesOn = () => {}
export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
export const textOf = (value: Uint8Array | undefined) => value && Buffer.from(value).toString()

/** A memory store whose writes wait until they are let go, or fail. */
function controlled(options: { readonly clock?: () => number } = {}) {
  const inner: MemoryStore = memory(options)
  const writes: (readonly Mutation<Bytes>[])[] = []
  let waiting: ((error?: StoreError) => void)[] = []
  let isOpen = false
  let refuse: (mutation: Mutation<Bytes>) => StoreError | undefined = () => undefined
  const store: MemoryStore = {
    ...inner,
    write: async (mutations, call) => {
      writes.push(mutations)
      call.sent = true
      if (!isOpen)
        await new Promise<void>((resolve, reject) =>
          waiting.push((error) => (error === undefined ? resolve() : reject(error))),
        )
      const refused = mutations.map(refuse)
      // It takes a batch as a whole, or not at all.
      const error = refused.find((one) => one !== undefined)
      if (error !== undefined) return mutations.map((_, i): WriteResult => refused[i] ?? error)
      return inner.write(mutations, call)
    },
  }
  return {
    store,
    inner,
    writes,
    refuse: (how: typeof refuse) => {
      refuse = how
    },
    /** Answer what waits, or fail it. */
    answer: async (error?: StoreError) => {
      const all = waiting
      waiting = []
      for (const one of all) one(error)
      await turn()
    },
    open: async () => {
      isOpen = true
      for (const one of waiting) one()
      await turn()
    },
  }
}

export function behind(options: WriteBehindOptions = {}, clock?: () => number) {
  const control = controlled(clock === undefined ? {} : { clock })
  const layer = writeBehind({
    background: goesOn,
    delayMs: 0,
    retryMs: 1,
    dataset: 'tests',
    ...options,
    ...(clock && { clock }),
  })
  const store = compose(control.store, [layer])
  const kv = keyValue(store, [], clock === undefined ? {} : { clock })
  return { ...control, layer, kv, queue: store }
}

export async function started(writes: readonly unknown[], count = 1): Promise<void> {
  while (writes.length < count) await new Promise((resolve) => setTimeout(resolve, 1))
}
