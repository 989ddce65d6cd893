import { type AnyStore, isEntry, keyValue, newVersion, type Store, text } from '@unikv/core'
import { callOptions, internalKey } from '@unikv/core/adapter'
import type { MemoryStore } from '@unikv/core/memory'
import { expect } from 'vitest'

/** Everything that a store holds, below all layers. */
export async function contents(store: AnyStore): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>()
  for await (const { entries } of store.scan({ prefix: '', pageSize: 1_000, values: true }, callOptions()))
    for (const { key, entry } of entries)
      if (isEntry(entry))
        found.set(key, [Buffer.from(entry.value).toString(), entry.version, entry.expiresAt])
  return found
}

/** Keys of several kinds: of the root, of namespaces, and of layers. */
export async function filled<S extends Store<Uint8Array>>(store: S, count = 2_500): Promise<S> {
  const kv = keyValue(store as unknown as MemoryStore, [text()])
  await kv.setMany(Array.from({ length: count }, (_, i) => [`key ${i}`, `value ${i}`] as const))
  await kv.set('soon', 'gone in an hour', { ttlMs: 3_600_000 })
  await kv.namespace('a').namespace('b').set('\u0002odd', 'in a namespace')
  const internal = [internalKey('chunk', 'key 1', 'part'), internalKey('lease', 'key 1')]
  await store.write(
    internal.map((key) => ({ type: 'set' as const, key, value: Buffer.from(key), version: newVersion() })),
    callOptions(),
  )
  return store
}

/** The records of a source that its copy has. */
export async function wanted(store: AnyStore): Promise<Map<string, unknown>> {
  const all = await contents(store)
  all.delete(internalKey('lease', 'key 1'))
  return all
}

/** An error with this code, and words that its message must have. */
export function refusal(code: string, words: RegExp): unknown {
  return expect.objectContaining({ code, message: expect.stringMatching(words) })
}
