import type { Operations } from '@unikv/bench/loop'
import { fastRandom, zipfAlias } from '@unikv/bench/statistics'
import { type Bytes, type KeyValue, newVersion, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'

const items = 100_000
const reads = 0.95
const value: Bytes = Buffer.alloc(100)

/** 95 % reads, 5 % updates of 100,000 keys, by the exact Zipf law of exponent 0.99. */
function readMostly(get: (key: string) => unknown, set: (key: string, value: Bytes) => unknown): Operations {
  const random = fastRandom(42)
  const rank = zipfAlias({ items }, random)
  const keys = Array.from({ length: items }, (_, i) => `user${i}`)
  return {
    kinds: ['read', 'update'],
    pick: () => (random.next() < reads ? 0 : 1),
    start: (kind) => {
      const key = keys[rank.next()] as string
      return kind === 0 ? get(key) : set(key, value)
    },
  }
}

/** Through KeyValue, as applications go. */
export function throughKeyValue(kv: KeyValue<string, Bytes>): Operations {
  return readMostly(
    (key) => kv.get(key),
    (key, bytes) => kv.set(key, bytes),
  )
}

/** At the store itself: what the generator can do at most. */
export function atStore(store: Store<Bytes>): Operations {
  const options = callOptions()
  const version = newVersion()
  return readMostly(
    (key) => store.read([{ key }], options),
    (key, bytes) => store.write([{ type: 'set', key, value: bytes, version }], options),
  )
}
