import { type Bytes, compose, json, layer, newVersion, type Store, type WriteResult } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { encryption } from '../src/index.ts'
import { codeOf, keys, root1, utf8 } from './records.ts'
import { dataset, layerOf } from './stored.ts'

describe('bad use', () => {
  test.each([
    ['no dataset', { keys }],
    ['an empty dataset', { keys, dataset: '' }],
    ['no keys', { dataset }],
    ['keys that are no keyring', { dataset, keys: { k1: root1 } }],
    ['an unknown algorithm', { dataset, keys, algorithm: 'rot13' }],
  ])('%s is refused when the layer is made', (_, options) => {
    expect(codeOf(() => encryption(options as never))).toBe('INVALID_CONFIG')
  })

  test('a value that is not bytes is refused, and the rest of the batch written where the store allows it', async () => {
    const apart = loose(memory())
    const [one, two] = (await compose(apart, [layerOf()]).write(
      [
        { type: 'set', key: 'a', version: newVersion(), value: 'text' as never },
        { type: 'set', key: 'b', version: newVersion(), value: utf8('b') },
      ],
      callOptions(),
    )) as [WriteResult, WriteResult]
    expect(one).toMatchObject({ code: 'INVALID_VALUE' })
    expect(two).toMatchObject({ version: expect.any(String) })
    const whole = await compose(memory(), [layerOf()]).write(
      [
        { type: 'set', key: 'a', version: newVersion(), value: 'text' as never },
        { type: 'set', key: 'b', version: newVersion(), value: utf8('b') },
      ],
      callOptions(),
    )
    expect(whole).toMatchObject([{ code: 'INVALID_VALUE' }, { code: 'INVALID_VALUE' }])
  })

  test('an increment never reaches the store', async () => {
    const store = memory()
    const [result] = await compose(store, [layerOf()]).write(
      [{ type: 'increment', key: 'n', version: newVersion(), by: 1, initial: 0 }],
      callOptions(),
    )
    expect(result).toMatchObject({ code: 'UNSUPPORTED' })
    expect(store.native.size).toBe(0)
  })

  test('encryption before compression is refused with a sentence', () => {
    const compressing = layer<Bytes, Bytes>('compression', {
      inner: 'bytes',
      outer: 'bytes',
      wrap: (inner) => ({
        read: Object.assign((...call: Parameters<Store<Bytes>['read']>) => inner.read(...call), {
          [Symbol.for('@unikv/compressed')]: true,
        }),
      }),
    })
    const wrong = () => compose(memory(), [layerOf(), compressing])
    expect(codeOf(wrong)).toBe('INVALID_CONFIG')
    expect(wrong).toThrow('encrypted bytes do not compress')
    expect(codeOf(() => compose(memory(), [compressing, layerOf()]))).toBeUndefined()
  })

  test('encryption over objects does not compile, and is refused when it runs', () => {
    // @ts-expect-error -- encryption needs bytes
    expect(() => compose(memory(), [encryption({ dataset, keys }), json()])).toThrow('Wrong order')
  })
})

/** The store, with batches that take effect item by item. */
function loose(store: MemoryStore): Store<Bytes> {
  const batch = { ...store.capabilities.batch, atomicity: 'none' as const }
  return { ...store, capabilities: { ...store.capabilities, batch } }
}
