import { randomBytes } from 'node:crypto'
import { keyValue, text } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { isEnvelope, readHeader } from '../../src/envelope/envelope.ts'
import { encryption, keyring, nameKey, reencrypt } from '../../src/index.ts'

const dataset = 'names'
const [k1, k2] = [randomBytes(32), randomBytes(32)]
const names = nameKey(randomBytes(32))

test('what has a hashed name is sealed again under the same name, and tells its key as before', async () => {
  const store = memory()
  const keys = keyring({ primary: 'k1', keys: { k1, k2 } })
  const users = keyValue(store, [text(), encryption({ dataset, keys, names })])
  const inside = users.namespace('inside')
  await users.setMany(Array.from({ length: 50 }, (_, i) => [`user ${i}`, `value ${i}`] as const))
  await inside.set('one', 'more')
  const before = (await users.getEntry('user 7'))?.version

  const rotated = keyring({ primary: 'k2', keys: { k1, k2 } })
  const stack = keyValue(store, [text(), encryption({ dataset, keys: rotated, names })])
  const first = await reencrypt(stack)
  expect(first).toMatchObject({ failed: 0, failures: {} })
  expect(first.rewritten).toBe(51)
  expect(await reencrypt(stack)).toMatchObject({ rewritten: 0, failed: 0 })

  const alone = keyring({ primary: 'k2', keys: { k2, k1: { state: 'destroyed' } } })
  const after = keyValue(store, [text(), encryption({ dataset, keys: alone, names })])
  expect(await after.get('user 7')).toBe('value 7')
  expect((await after.getEntry('user 7'))?.version).toBe(before)
  expect(await after.namespace('inside').get('one')).toBe('more')
  const listed: string[] = []
  for await (const key of after.keys()) listed.push(key)
  expect(listed).toHaveLength(50)
  const keyIds = Array.from(
    store.native.values(),
    ({ value }) => isEnvelope(value) && readHeader(value).keyId,
  )
  expect(keyIds.filter((keyId) => keyId === 'k2')).toHaveLength(51)
  expect(keyIds).toHaveLength(52)
})
