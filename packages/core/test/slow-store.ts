import type { Bytes, CallOptions, Mutation, Read, Store } from '@unikv/core'
import { type MemoryCapabilities, memory } from '@unikv/core/memory'

/** A batch that reached the store. */
export interface Sent {
  readonly verb: 'read' | 'write'
  readonly keys: readonly string[]
}

/** A memory store behind a wire: answers come as promises, in any order that `pause` makes of them. */
export function slowStore(options: {
  readonly pause?: () => Promise<void>
  readonly batch?: Partial<MemoryCapabilities['batch']>
  readonly capabilities?: Partial<MemoryCapabilities>
}): { readonly store: Store<Bytes, MemoryCapabilities>; readonly sent: Sent[] } {
  const inner = memory()
  const sent: Sent[] = []
  const pause = options.pause ?? (() => new Promise<void>((resolve) => setImmediate(resolve)))
  const batch = { ...inner.capabilities.batch, coalesce: { min: 2, max: 32 }, ...options.batch }
  const store: Store<Bytes, MemoryCapabilities> = {
    ...inner,
    capabilities: { ...inner.capabilities, ...options.capabilities, batch },
    async read(reads: readonly Read[], call: CallOptions) {
      sent.push({ verb: 'read', keys: reads.map(({ key }) => key) })
      await pause()
      return inner.read(reads, call)
    },
    async write(mutations: readonly Mutation<Bytes>[], call: CallOptions) {
      sent.push({ verb: 'write', keys: mutations.map(({ key }) => key) })
      await pause()
      return inner.write(mutations, call)
    },
  }
  return { store, sent }
}

/** A store that never answers. */
export function silentStore(): Store<Bytes, MemoryCapabilities> {
  return slowStore({ pause: () => new Promise(() => {}) }).store
}
