import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { encryption, keyring } from '../src/index.ts'
import { keys, root1, root2, utf8 } from './records.ts'
import { dataset } from './stored.ts'

describe('rotation', () => {
  const old = keyring({ primary: 'k1', keys: { k1: root1 } })
  const both = keyring({ primary: 'k2', keys: { k1: root1, k2: root2 } })
  const after = keyring({ primary: 'k2', keys: { k1: { state: 'destroyed' }, k2: root2 } })

  test('the new keyring reads all; the old one says which key it lacks', async () => {
    const store = memory()
    const before = keyValue(store, [json(), encryption({ dataset, keys: old })])
    const during = keyValue(store, [json(), encryption({ dataset, keys: both })])
    await before.set('a', 1)
    await during.set('b', 2)
    expect(await during.getMany(['a', 'b'])).toEqual([1, 2])
    expect(await before.get('a')).toBe(1)
    await expect(before.get('b')).rejects.toMatchObject({
      code: 'UNKNOWN_KEY_ID',
      message: expect.stringContaining("'k2'"),
    })
    const done = keyValue(store, [json(), encryption({ dataset, keys: after })])
    await expect(done.get('a')).rejects.toMatchObject({
      code: 'UNKNOWN_KEY_ID',
      message: expect.stringContaining('destroyed'),
    })
    for await (const key of during.keys()) await during.update(key, (value) => value)
    expect(await done.getMany(['a', 'b'])).toEqual([1, 2])
  })

  test('a change of algorithm leaves old records readable', async () => {
    const store = memory()
    await keyValue(store, [encryption({ dataset, keys, algorithm: 'aes-128-gcm' })]).set('a', utf8('128'))
    await keyValue(store, [encryption({ dataset, keys, algorithm: 'aes-256-gcm' })]).set('b', utf8('256'))
    for (const algorithm of ['aes-128-gcm', 'aes-256-gcm'] as const) {
      const users = keyValue(store, [encryption({ dataset, keys, algorithm })])
      expect(await users.getMany(['a', 'b'])).toEqual([Buffer.from('128'), Buffer.from('256')])
    }
  })

  test('eight writers and a rotation leave every value readable to the new keyring', async () => {
    const store = memory()
    const writers = Array.from({ length: 8 }, (_, i) =>
      keyValue(store, [json(), encryption({ dataset, keys: i % 2 === 0 ? old : both })]),
    )
    for (let round = 0; round < 20; round++)
      await Promise.all(writers.map((kv, i) => kv.set(`k${(i * 7 + round) % 20}`, round)))
    const reader = keyValue(store, [json(), encryption({ dataset, keys: both })])
    for await (const [, { value }] of reader.entries()) expect(value).toBeTypeOf('number')
  })
})
