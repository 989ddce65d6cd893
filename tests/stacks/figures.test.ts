import { cache } from '@unikv/cache'
import {
  type Capabilities,
  compose,
  json,
  keyValue,
  type Mutation,
  newVersion,
  type Store,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { monitor } from '@unikv/monitor'
import { isWhole } from '@unikv/test-kit/vitest'
import { writeBehind } from '@unikv/write-behind'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'

type Step =
  | { readonly op: 'read' | 'strong'; readonly keys: readonly string[] }
  | { readonly op: 'write'; readonly changes: readonly (readonly [string, 'set' | 'delete'])[] }
  | { readonly op: 'later' }

const keys = ['a', 'b', 'c', 'd']
const someKeys = fc.uniqueArray(fc.constantFrom(...keys), { minLength: 1, maxLength: 4 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: someKeys.map((its): Step => ({ op: 'read', keys: its })) },
  { weight: 1, arbitrary: someKeys.map((its): Step => ({ op: 'strong', keys: its })) },
  {
    weight: 2,
    arbitrary: fc
      .uniqueArray(fc.tuple(fc.constantFrom(...keys), fc.constantFrom('set' as const, 'delete' as const)), {
        minLength: 1,
        selector: ([key]) => key,
      })
      .map((changes): Step => ({ op: 'write', changes })),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ op: 'later' }) },
)

/** A store that counts by itself. */
function counting(isAtOnce: boolean) {
  const inner = memory()
  const seen = { reads: 0, set: 0, delete: 0, touch: 0, increment: 0 }
  const store: Store<Uint8Array, Capabilities> = {
    ...inner,
    capabilities: { ...inner.capabilities, sync: isAtOnce ? 'all' : 'none' },
    read: (reads, call) => {
      seen.reads += reads.length
      const answer = inner.read(reads, call)
      return isAtOnce ? answer : Promise.resolve(answer)
    },
    write: (mutations: readonly Mutation<Uint8Array>[], call) => {
      for (const { type } of mutations) seen[type]++
      const answer = inner.write(mutations, call)
      return isAtOnce ? answer : Promise.resolve(answer)
    },
  }
  return { store, seen }
}

const places = ['cache', 'cache in a store', 'none'] as const

test('the figures of monitors are those of the cache, the store and the caller', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 30 }),
      fc.record({
        place: fc.constantFrom(...places),
        isAtOnce: fc.boolean(),
        absentForMs: fc.constantFrom(0, 60, 1e9),
        freshForMs: fc.constantFrom(0, 60, 1e9),
        isBehind: fc.boolean(),
      }),
      async (steps, { place, isAtOnce, absentForMs, freshForMs, isBehind }) => {
        let now = 1e12
        const clock = (): number => now
        const { store, seen } = counting(isAtOnce)
        const [above, below] = [monitor(), monitor()]
        const times = { absentForMs, freshForMs, clock, monotonicClock: clock }
        const behind =
          isBehind && place === 'none' ? [writeBehind({ background: () => {}, delayMs: 60_000 })] : []
        const near =
          place === 'none'
            ? undefined
            : place === 'cache'
              ? cache(times)
              : cache({ ...times, store: memory() })
        const layers = near === undefined ? [] : [near]
        const kv = keyValue(store, [above, json(), ...(layers as []), ...(behind as []), below], {
          coalesce: false,
        })
        const caller = { read: 0, absent: 0, set: 0, delete: 0 }
        for (const one of steps) {
          if (one.op === 'later') now += 50
          else if (one.op === 'write') {
            for (const [, type] of one.changes) caller[type]++
            const of = (type: 'set' | 'delete'): readonly string[] =>
              one.changes.flatMap(([key, its]) => (its === type ? [key] : []))
            // In one turn, so that they may be under way together.
            await Promise.all([
              ...of('set').map((key) => kv.set(key, key)),
              of('delete').length > 0 ? kv.deleteMany(of('delete')) : undefined,
            ])
          } else {
            const settings = one.op === 'strong' && near !== undefined ? { consistency: 'strong' } : {}
            const found = await kv.getMany(one.keys, settings)
            caller.read += found.length
            caller.absent += found.filter((value) => value === undefined).length
          }
        }
        const seenByCaller = above.snapshot().stores['memory']
        const stats = near?.stats()
        expect(seenByCaller?.read?.items ?? 0).toBe(caller.read)
        expect(seenByCaller?.read?.absent ?? 0).toBe(caller.absent)
        expect(seenByCaller?.set?.items ?? 0).toBe(caller.set)
        expect(seenByCaller?.delete?.items ?? 0).toBe(caller.delete)
        if (stats !== undefined && caller.read > 0) {
          const hits = seenByCaller?.read?.hits[stats.tier] ?? 0
          expect([hits, seenByCaller?.read?.misses]).toEqual([
            stats.hits,
            stats.misses + stats.joins + stats.bypasses,
          ])
        }
        await kv.close()
        const seenByStore = below.snapshot().stores['memory']
        expect(seenByStore?.read?.items ?? 0).toBe(seen.reads)
        for (const type of ['set', 'delete'] as const)
          expect(seenByStore?.[type]?.items ?? 0).toBe(seen[type])
        if (stats !== undefined) expect(seen.reads).toBe(stats.loads)
      },
    ),
    { numRuns: isWhole ? 300 : 100 },
  )
})

test('writes of several types in one batch are counted by type', async () => {
  for (const isAtOnce of [true, false]) {
    const { store } = counting(isAtOnce)
    const below = monitor()
    const stack = compose(store, [below])
    const write = (type: 'set' | 'delete', key: string): Mutation<Uint8Array> =>
      type === 'set'
        ? { type, key, value: new Uint8Array(), version: newVersion() }
        : { type, key, version: newVersion() }
    await stack.write(
      [write('set', 'a'), write('delete', 'b'), write('delete', 'c'), write('set', 'd')],
      callOptions(),
    )
    const { set, delete: deleted } = below.snapshot().stores['memory'] ?? {}
    expect([set?.items, set?.calls, deleted?.items, deleted?.calls]).toEqual([2, 1, 2, 1])
    expect([set?.underWay, deleted?.underWay]).toEqual([0, 0])
  }
})

test('a reader who joins a load is told of the absence of his own key alone, and many absences cost no more than entries', async () => {
  const above = monitor()
  const far = memory()
  const kv = keyValue(counting(false).store, [
    above,
    cache(),
    json(),
    cache({ store: far, absentForMs: 1e9 }),
  ])
  const absent = Array.from({ length: 20_000 }, (_, n) => `absent ${n}`)
  await kv.set('here', 1)
  await kv.getMany(absent)
  above.reset()
  await Promise.all([kv.getMany([...absent, 'here']), ...Array.from({ length: 50 }, () => kv.get('here'))])
  expect(above.snapshot().stores['memory']?.read).toMatchObject({ absent: 20_000, misses: 51 })
  await kv.close()
})
