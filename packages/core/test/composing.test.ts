import { expect, test } from 'vitest'
import { structured } from '../src/codecs/structured.ts'
import { type AnyLayer, compose, json, keyValue, layer, passThrough, text } from '../src/index.ts'
import { memory } from '../src/memory/memory.ts'
import { slowStore } from './slow-store.ts'

const identity = passThrough('identity', { wrap: () => ({}) })

test('a composed store can be composed again, and keeps its values', async () => {
  const kv = keyValue(compose(compose(memory(), [json()]), [identity]), [identity])
  await kv.set('a', { deep: [1] })
  expect(await kv.get('a')).toEqual({ deep: [1] })
})

test('a wrong order is refused over a composed store too', () => {
  for (const composed of [compose(memory(), [json()]), compose(memory(), [json(), identity])]) {
    for (const layer of [json(), structured(), text()] as AnyLayer[]) {
      expect(() => compose(composed, [layer] as readonly AnyLayer[])).toThrow(/Wrong order: .* holds objects/)
    }
  }
})

test('calls are merged once, next to the store, however often it was composed', async () => {
  const { store, sent } = slowStore({ batch: { coalesce: { min: 1, max: 4 } } })
  const batches: number[] = []
  const counting = passThrough('counting', {
    wrap: (inner) => ({
      read: (reads, call) => {
        batches.push(reads.length)
        return inner.read(reads, call)
      },
    }),
  })
  const kv = keyValue(compose(compose(store, [identity]), [counting]))
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => kv.get(key)))
  expect(batches).toEqual([1, 1, 1, 1, 1])
  expect(sent.map(({ keys }) => keys.length)).toEqual([1, 4])
})

test('a layer without wrap is told when it is made', () => {
  const bare = { inner: 'bytes', outer: 'bytes' } as never
  for (const make of [
    () => layer('bare', bare),
    () => passThrough('bare', bare),
    () => layer('bare', undefined as never),
  ])
    expect(make).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
})
