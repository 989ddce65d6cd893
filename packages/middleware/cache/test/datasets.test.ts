import { compose, json, type KeyValue, keyValue, passThrough, type Store } from '@unikv/core'
import { layersOf } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { cache } from '../src/index.ts'

type Kv = Pick<KeyValue<string, unknown>, 'set' | 'get' | 'close'>

describe('two datasets in one cache store', () => {
  test('never meet, also through one layer', async () => {
    const remote = memory()
    const layer = cache({ store: remote })
    const layers = [layer, layer, cache({ store: remote })]
    const kvs = layers.map((one) => keyValue(memory(), [json(), one]))
    await kvs[0]?.set('1', 'ada')
    await kvs[0]?.get('1')
    for (const other of kvs.slice(1)) expect(await other.get('1')).toBeUndefined()
    expect(await kvs[0]?.get('1')).toBe('ada')
  })

  test('also where stores name none', async () => {
    const remote = memory()
    const bare = () =>
      ({ ...memory(), dataset: undefined, native: undefined }) as never as ReturnType<typeof memory>
    const [users, orders] = [bare(), bare()].map((store) =>
      keyValue(store, [json(), cache({ store: remote })]),
    )
    await users?.set('1', 'ada')
    await users?.get('1')
    expect(await orders?.get('1')).toBeUndefined()
  })

  test('are voided each by its own tags', async () => {
    const remote = memory()
    const tags = () => ['all']
    const layer = cache({ store: remote, tags })
    await expect(layer.invalidateTags('all')).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    const sources = [memory(), memory()]
    const kvs = sources.map((source) => keyValue(source, [json(), layer]))
    for (const [i, kv] of kvs.entries()) {
      await kv.set('k', 'old')
      await kv.get('k')
      await keyValue(sources[i] as (typeof sources)[0], [json()]).set('k', 'new')
      expect(await kv.get('k')).toBe('old')
    }
    await layer.invalidateTags('all')
    for (const kv of kvs) expect(await kv.get('k')).toBe('new')
  })

  test('save apart, too', async () => {
    const files = memory()
    const sources = [memory(), memory()]
    const open = (i: number) => {
      const near = cache({
        warm: { store: files, resume: 'fresh', uptime: async () => undefined },
        freshForMs: 1e9,
      })
      return { near, kv: keyValue(sources[i] as (typeof sources)[0], [near, json()]) }
    }
    for (const i of [0, 1]) {
      const { near, kv } = open(i)
      await near.loaded()
      await kv.set('k', i)
      await kv.get('k')
      await kv.close()
    }
    for (const i of [0, 1]) {
      const { near, kv } = open(i)
      await near.loaded()
      expect(near.stats().warm?.loaded).toBe(1)
      expect(await kv.get('k')).toBe(i)
      expect(near.stats().hits).toBe(1)
      await kv.close()
    }
  })
})

test('stacks over one dataset share its records, whatever layers lie between', async () => {
  const db = memory()
  const remote = memory()
  const noted = passThrough('noted', { wrap: () => ({}) })
  const one = cache({ store: remote })
  const two = cache({ store: remote })
  const [a, b] = [keyValue(db, [json(), one]), keyValue(compose(db, [noted]), [json(), two])]
  await a.set('k', 1)
  await a.get('k')
  await b.get('k')
  expect(two.stats().hits).toBe(1)
})

test('a store that wraps a memory store holds the same dataset', async () => {
  const db = memory()
  const remote = memory()
  const { dataset: _, ...wrapped } = db
  const [a, b] = [db, wrapped].map((store) => keyValue(store, [json(), cache({ store: remote })]))
  await a?.set('k', 1)
  await a?.get('k')
  await keyValue(db, [json()]).set('k', 2)
  expect(await b?.get('k')).toBe(1)
})

test('a stack that is closed closes its cache store for no other one', async () => {
  const remote = memory()
  let closed = 0
  const store: Store<Uint8Array> = { ...remote, close: async () => void closed++ }
  const open = (): Kv => keyValue(memory(), [json(), cache({ store })])
  const [a, b] = [open(), open()]
  await a.close()
  expect(closed).toBe(0)
  await b.set('k', 1)
  expect(await b.get('k')).toBe(1)
  await b.close()
  expect(closed).toBe(1)
})

test('a dataset has one name in all layers of its stack', () => {
  const db = memory()
  const stack = compose(db, [json(), cache({ store: memory() })])
  expect(db.dataset).toMatch(/^memory\//)
  expect([stack, ...layersOf(stack).map(({ inner }) => inner)].map(({ dataset }) => dataset)).toEqual([
    db.dataset,
    db.dataset,
    db.dataset,
  ])
})
