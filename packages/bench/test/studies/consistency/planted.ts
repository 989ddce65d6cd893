import type { Bytes, Mutation, ReadResult, Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'

/** A store whose weaker level answers some reads with what was there before the last write. */
export function planted(isStale: (sinceWriteMs: number) => boolean, now: () => number): Store<Bytes> {
  const inner = memory()
  const before = new Map<string, { readonly at: number; readonly entry: ReadResult<Bytes> }>()
  return {
    name: 'planted',
    native: undefined,
    capabilities: { ...inner.capabilities, isolation: 'eventual', consistency: ['strong', 'eventual'] },
    read: async (reads, call) => {
      const found = await inner.read(reads, call)
      if (call.consistency !== 'eventual') return found
      return found.map((entry, index) => {
        const last = before.get(reads[index]!.key)
        return last !== undefined && isStale(now() - last.at) ? last.entry : entry
      })
    },
    write: async (mutations: readonly Mutation<Bytes>[], call) => {
      const old = await inner.read(
        mutations.map(({ key }) => ({ key })),
        call,
      )
      const results = await inner.write(mutations, call)
      for (const [index, { key }] of mutations.entries()) before.set(key, { at: now(), entry: old[index] })
      return results
    },
    scan: (range, call) => inner.scan(range, call),
    close: () => inner.close(),
  }
}
