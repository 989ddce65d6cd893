import { compose, isStoreError, json, keyValue } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { encryption } from '../src/index.ts'
import { keys, utf8 } from './records.ts'
import { dataset, held, layerOf, plant } from './stored.ts'

describe('a store that was tampered with', () => {
  test('is refused record by record; the others stay readable', async () => {
    const store = memory()
    const users = keyValue(store, [json(), layerOf()])
    await users.setMany([
      ['ada', 1],
      ['bob', 2],
      ['eve', 3],
    ])
    await plant(store, 'ada', held(store, 'bob'))
    await plant(store, 'eve', utf8('3'))
    const failure: unknown = await users.getMany(['ada', 'bob', 'eve']).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'PARTIAL' })
    expect((failure as { results: unknown[] }).results).toMatchObject([
      { code: 'AUTHENTICATION_FAILED' },
      { value: 2 },
      { code: 'CORRUPT' },
    ])
    const errors = new Map<string, unknown>()
    const pages = compose(store, [layerOf()]).scan({ prefix: '', pageSize: 2, values: true }, callOptions())
    for await (const { entries } of pages)
      for (const { key, entry } of entries) errors.set(key, isStoreError(entry) ? entry.code : 'read')
    expect(Object.fromEntries(errors)).toEqual({ ada: 'AUTHENTICATION_FAILED', bob: 'read', eve: 'CORRUPT' })
  })

  test('cannot serve a record of another dataset', async () => {
    const store = memory()
    await keyValue(store, [encryption({ dataset: 'staging', keys })]).set('ada', utf8('Ada'))
    const users = keyValue(store, [layerOf()])
    await expect(users.get('ada')).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' })
  })

  test('cannot serve a plaintext record, unless the options say so', async () => {
    const store = memory()
    await plant(store, 'ada', utf8('written before the layer'))
    const strict = keyValue(store, [layerOf()])
    await expect(strict.get('ada')).rejects.toMatchObject({ code: 'CORRUPT' })
    const lenient = keyValue(store, [encryption({ dataset, keys, requireEncryption: false })])
    expect(await lenient.get('ada')).toEqual(utf8('written before the layer'))
    await lenient.set('bob', utf8('Bob'))
    await plant(store, 'ada', held(store, 'bob'))
    await expect(lenient.get('ada')).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' })
    expect(await strict.get('bob')).toEqual(Buffer.from('Bob'))
  })
})
