import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type PolicyName, policies, Residents } from '../src/policies/index.ts'
import {
  GdsfModel,
  type Item,
  LruModel,
  type Model,
  maxBytes,
  maxEntries,
  S3FifoModel,
  SieveModel,
} from './policy-models.ts'

const names = Object.keys(policies) as PolicyName[]

let ids = 0
/** Costs differ from item to item, so that no two are worth the same. */
function itemOf(key: string, bytes: number): Item {
  const id = ids++
  const cost = 1 + (id % 997) / 1e6
  return { id, key, bytes, cost, newer: undefined, older: undefined, uses: 0, place: 0, rank: 0 }
}

const key = fc.integer({ min: 0, max: 24 }).map(String)
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('get' as const), key }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('set' as const), key, bytes: fc.integer({ min: 1, max: 30 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('set' as const), key, bytes: fc.constant(101) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), key }) },
)
const steps = fc.array(step, { maxLength: 300 })

/** Does the steps to both; an item of its own for each, as policies write on them. */
function compare(
  name: PolicyName,
  model: Model,
  all: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
) {
  let evictions = 0
  const kept = new Residents<Item>(
    { maxEntries, maxBytes },
    policies[name],
    (_, cause) => cause === 'evicted' && evictions++,
  )
  for (const one of all) {
    if (one.do === 'get') expect(kept.get(one.key)?.id).toBe(model.get(one.key)?.id)
    else if (one.do === 'set') {
      const item = itemOf(one.key, one.bytes)
      kept.set(item)
      model.set({ ...item })
    } else {
      kept.delete(one.key)
      model.delete(one.key)
    }
    expect([kept.size, kept.bytes, evictions]).toEqual([model.items.length, model.bytes, model.evictions])
  }
  expect(model.items.map((item) => kept.peek(item.key)?.id)).toEqual(model.items.map(({ id }) => id))
}

describe.each<[PolicyName, new () => Model]>([
  ['lru', LruModel],
  ['sieve', SieveModel],
  ['s3-fifo', S3FifoModel],
  ['gdsf', GdsfModel],
])('%s', (name, ModelOf) => {
  test('keeps what its paper says, whatever is done in whatever order', () => {
    fc.assert(
      fc.property(steps, (all) => compare(name, new ModelOf(), all)),
      { numRuns: 150 },
    )
  })
})

describe.each(names)('%s', (name) => {
  test('stays within its bounds, loses nobody and invents nobody', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const present = new Map<string, Item>()
        let evictions = 0
        const kept = new Residents<Item>(
          { maxEntries, maxBytes },
          policies[name],
          (_, cause) => cause === 'evicted' && evictions++,
        )
        for (const one of all) {
          if (one.do === 'get') kept.get(one.key)
          else if (one.do === 'delete') kept.delete(one.key)
          else {
            const item = itemOf(one.key, one.bytes)
            kept.set(item)
            if (one.bytes <= maxBytes) expect(kept.peek(one.key)).toBe(item)
            present.set(one.key, item)
          }
          for (const [name, item] of present) if (kept.peek(name) !== item) present.delete(name)
          const bytes = [...present.values()].reduce((sum, item) => sum + item.bytes, 0)
          expect([kept.size, kept.bytes]).toEqual([present.size, bytes])
          expect(kept.size).toBeLessThanOrEqual(maxEntries)
          expect(kept.bytes).toBeLessThanOrEqual(maxBytes)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('is as new after clear', () => {
    const kept = new Residents<Item>({ maxEntries, maxBytes }, policies[name], () => {})
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 40; n++) {
        kept.set(itemOf(`${n}`, 5))
        kept.get(`${n % 7}`)
      }
      expect(kept.size).toBe(maxEntries)
      kept.clear()
      expect([kept.size, kept.bytes, kept.peek('39')]).toEqual([0, 0, undefined])
    }
  })

  test('a cache of one entry keeps the last one', () => {
    const kept = new Residents<Item>({ maxEntries: 1, maxBytes }, policies[name], () => {})
    for (const name of ['a', 'b', 'a', 'c']) {
      kept.set(itemOf(name, 1))
      kept.get(name)
      expect([kept.size, kept.peek(name)?.key]).toEqual([1, name])
    }
  })
})

/** Hits among requests for a few hot keys between which others pass by once. */
function hitsUnderScan(name: PolicyName): number {
  const kept = new Residents<Item>({ maxEntries: 100, maxBytes: 1e9 }, policies[name], () => {})
  let hits = 0
  for (let round = 0; round < 200; round++) {
    const asked = [
      ...Array.from({ length: 50 }, (_, n) => `hot ${n}`),
      ...Array.from({ length: 80 }, (_, n) => `${round} ${n}`),
    ]
    for (const name of asked) {
      if (kept.get(name) !== undefined) hits++
      else kept.set(itemOf(name, 1))
    }
  }
  return hits / (200 * 50)
}

test.each<PolicyName>(['s3-fifo', 'w-tinylfu'])(
  'keys that come once push out no hot ones from %s',
  (name) => {
    expect(hitsUnderScan('lru')).toBe(0)
    expect(hitsUnderScan(name)).toBeGreaterThan(0.9)
  },
)
