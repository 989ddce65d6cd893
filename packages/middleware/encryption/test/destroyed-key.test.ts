import { compose, isStoreError, json, keyValue, type StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { beforeEach, describe, expect, test } from 'vitest'
import { encryption, type Keyring, keyring } from '../src/index.ts'
import { root1, root2 } from './records.ts'
import { dataset } from './stored.ts'

describe('records of a key that was destroyed', () => {
  let store = memory()
  let keys: Keyring
  let lostVersion = ''
  const users = () => keyValue(store, [json(), encryption({ dataset, keys })])

  beforeEach(async () => {
    store = memory()
    keys = keyring({ primary: 'k1', keys: { k1: root1, k2: root2 } })
    ;({ version: lostVersion = '' } = await users().set('lost', 1))
    keys.replace({ primary: 'k2', keys: { k1: root1, k2: root2 } })
    await users().setMany([
      ['a', 2],
      ['z', 3],
    ])
    keys.destroy('k1')
  })

  test('answer UNKNOWN_KEY_ID to a read, and the others of the batch are there', async () => {
    const failure: unknown = await users()
      .getMany(['a', 'lost', 'missing', 'z'])
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'PARTIAL' })
    expect((failure as StoreError).results).toMatchObject([
      { value: 2 },
      { code: 'UNKNOWN_KEY_ID', message: expect.stringContaining("'k1', which is destroyed") },
      undefined,
      { value: 3 },
    ])
  })

  test('stand in a listing with their error, and keys are listed all', async () => {
    const stack = compose(store, [json(), encryption({ dataset, keys })])
    const found = new Map<string, unknown>()
    for await (const { entries } of stack.scan({ prefix: '', pageSize: 2, values: true }, callOptions()))
      for (const { key, entry } of entries) found.set(key, isStoreError(entry) ? entry.code : entry?.value)
    expect(Object.fromEntries(found)).toEqual({ a: 2, lost: 'UNKNOWN_KEY_ID', z: 3 })
    expect(await users().count()).toBe(3)
  })

  test('are not modified for who has the value, and an error for who needs it', async () => {
    expect(await users().revalidate('lost', lostVersion)).toMatchObject({ notModified: true })
    await expect(users().revalidate('lost', '0'.repeat(24))).rejects.toMatchObject({ code: 'UNKNOWN_KEY_ID' })
  })

  test('can be replaced and deleted', async () => {
    await users().set('lost', 4)
    expect(await users().get('lost')).toBe(4)
    await users().delete('lost')
    expect(await users().get('lost')).toBeUndefined()
  })

  test('cannot be updated, as nobody knows their value: nothing is lost over that', async () => {
    await expect(users().update('lost', () => 5)).rejects.toMatchObject({ code: 'UNKNOWN_KEY_ID' })
  })
})
