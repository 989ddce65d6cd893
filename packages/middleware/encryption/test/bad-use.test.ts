import {
  type Bytes,
  compose,
  json,
  keyValue,
  layer,
  newVersion,
  type Store,
  type WriteResult,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { encryption, keyring, kmsKeys, localKms, nameKey, reencrypt, rekey } from '../src/index.ts'
import { codeOf, keys, root1, root2, root3, utf8 } from './records.ts'
import { dataset, layerOf } from './stored.ts'

describe('bad use', () => {
  test.each([
    ['no dataset', { keys }],
    ['an empty dataset', { keys, dataset: '' }],
    ['no keys', { dataset }],
    ['keys that are no keyring', { dataset, keys: { k1: root1 } }],
    ['an unknown algorithm', { dataset, keys, algorithm: 'rot13' }],
    ['requireEncryption as text', { dataset, keys, requireEncryption: 'false' }],
    ['padding with a misspelled option', { dataset, keys, padding: { toMultipleOf: 8, tomultipleof: 64 } }],
  ])('%s is refused when the layer is made', (_, options) => {
    expect(codeOf(() => encryption(options as never))).toBe('INVALID_CONFIG')
  })

  const [names, otherNames] = [nameKey(root2), nameKey(root3)]
  const moving = { dataset, keys, from: names, to: otherNames, settleMs: 0 }
  test.each<[what: string, code: string, work: () => unknown]>([
    ['a state that is misspelled', 'INVALID_CONFIG', () => ringOf({ k1: { key: root1, State: 'disabled' } })],
    ['an id for replace', 'INVALID_CONFIG', () => keys.replace(Object.assign({ id: 'other' }, ring))],
    [
      'a clock that is none',
      'INVALID_CONFIG',
      () => kmsKeys({ providers: localKms({ keys }), clock: 5 as never }),
    ],
    ['dryRun as null', 'INVALID_CONFIG', () => reencrypt(sealed(), { dryRun: null as never })],
    [
      'unconditional as text',
      'INVALID_ARGUMENT',
      () => reencrypt(sealed(), { unconditional: 'no' as never }),
    ],
    [
      'onProgress that is none',
      'INVALID_ARGUMENT',
      () => reencrypt(sealed(), { onProgress: 'log' as never }),
    ],
    [
      'a page without records',
      'INVALID_CONFIG',
      async () => rekey(await named(), { ...moving, pageSize: 0 }),
    ],
    [
      'finish as text',
      'INVALID_CONFIG',
      async () => rekey(await named(), { ...moving, finish: 'yes' as never }),
    ],
    [
      'unreadable misspelled',
      'INVALID_CONFIG',
      async () => rekey(await named(), { ...moving, unreadable: 'left' as never }),
    ],
  ])('%s is refused before anything is done', async (_, code, work) => {
    await expect((async () => work())()).rejects.toMatchObject({ name: 'StoreError', code })
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
      capabilities: () => ({ holds: ['compressed'] }),
      wrap: () => ({}),
    })
    const between = layer<Bytes, Bytes>('between', { inner: 'bytes', outer: 'bytes', wrap: () => ({}) })
    for (const layers of [
      [layerOf(), compressing],
      [layerOf(), between, compressing],
    ] as const) {
      const wrong = () => compose(memory(), layers)
      expect(codeOf(wrong)).toBe('INVALID_CONFIG')
      expect(wrong).toThrow('encrypted bytes do not compress')
    }
    expect(codeOf(() => compose(memory(), [compressing, layerOf()]))).toBeUndefined()
  })

  test('encryption over objects does not compile, and is refused when it runs', () => {
    // @ts-expect-error -- encryption needs bytes
    expect(() => compose(memory(), [encryption({ dataset, keys }), json()])).toThrow('Wrong order')
  })
})

const ring = { primary: 'k1', keys: { k1: root1 } }

function ringOf(settings: object): unknown {
  return keyring({ primary: 'k1', keys: settings as never })
}

function sealed(): Store<Bytes> {
  return compose(memory(), [layerOf()])
}

/** A dataset with hashed names. */
async function named(): Promise<MemoryStore> {
  const store = memory()
  await keyValue(store, [encryption({ dataset, keys, names: nameKey(root2) })]).set('a', utf8('a'))
  return store
}

/** The store, with batches that take effect item by item. */
function loose(store: MemoryStore): Store<Bytes> {
  const batch = { ...store.capabilities.batch, atomicity: 'none' as const }
  return { ...store, capabilities: { ...store.capabilities, batch } }
}
