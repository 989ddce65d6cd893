import { createCache, type PolicyName } from '@unikv/cache'

// One cache of `cache-memory`, in a process of its own: `POLICY KIND ENTRIES`. Fills it to its bound with half as many
// entries again, so that a third have made room, and says what the heap grew by.

/** Values of which nothing is shared, by their number. */
const kinds: Readonly<Record<string, (i: number) => unknown>> = {
  'bytes, 100': (i: number) => Buffer.allocUnsafeSlow(100).fill(i),
  'string, 200': (i: number) => Buffer.alloc(200, `value ${i} `).toString('latin1'),
  object: (i: number) => ({ id: `user:${i}`, name: `Ada ${i}`, age: i % 90, email: `ada${i}@example.org` }),
}

export interface Grown {
  readonly entries: number
  readonly accountedBytes: number
  readonly heapBytes: number
}

const [policy, kind, count] = process.argv.slice(2) as [PolicyName, string, string]
const entries = Number(count)
const make = kinds[kind] as (i: number) => unknown
const keyOf = (i: number): string => Buffer.from(`user:${String(i).padStart(10, '0')}`).toString('latin1')

const maxBytes = entries * (await bytesOfOne())
const before = heapNow()
const cache = createCache<unknown>({ policy, maxBytes, maxEntries: entries * 2, share: 'reference' })
for (let i = 0; i < entries * 1.5; i++) await cache.put(keyOf(i), make(i))
const heapBytes = heapNow() - before
const { bytes = 0, entries: kept = 0 } = cache.stats()
process.send?.({ entries: kept, accountedBytes: bytes, heapBytes } satisfies Grown)

async function bytesOfOne(): Promise<number> {
  const one = createCache<unknown>({ policy, share: 'reference' })
  await one.put(keyOf(entries), make(entries))
  const { bytes = 0 } = one.stats()
  await one.close()
  return bytes
}

function heapNow(): number {
  for (let i = 0; i < 3; i++) globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
