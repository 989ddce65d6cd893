import { json, keyValue, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { encryption, keyring, kmsKeys, localKms, open, reencrypt } from '../../src/index.ts'
import { watched } from '../kms-doubles.ts'
import { codeOf, keys as plainKeys, root1, root2 } from '../records.ts'
import { dataset, held } from '../stored.ts'
import { entries, never, opened } from './opened.ts'

describe('several services', () => {
  test('wrap one data key, and each of them alone opens it', async () => {
    const store = memory()
    const [first, second, third] = [watched('local'), watched('second'), watched('third')]
    const users = keyValue(store, [
      json(),
      encryption({ dataset, keys: kmsKeys({ providers: [first, second] }) }),
    ])
    await users.set('ada', 1)
    expect([first.calls.generate, second.calls.encrypt]).toEqual([1, 1])
    for (const only of [first, second]) {
      const other = keyValue(store, [json(), encryption({ dataset, keys: kmsKeys({ providers: only }) })])
      expect(await other.get('ada')).toBe(1)
    }
    const foreign = keyValue(store, [json(), encryption({ dataset, keys: kmsKeys({ providers: third }) })])
    await expect(foreign.get('ada')).rejects.toMatchObject({
      code: 'UNKNOWN_KEY_ID',
      message: expect.stringContaining("'local', 'second'"),
    })
    expect(third.calls.decrypt, 'who is not named is not asked').toBe(0)
  })

  test('are asked in order until one gives the right key', async () => {
    const store = memory()
    const [first, second] = [watched('local'), watched('second')]
    await keyValue(store, [
      json(),
      encryption({ dataset, keys: kmsKeys({ providers: [first, second] }) }),
    ]).set('ada', 1)
    const again = () =>
      keyValue(store, [
        json(),
        encryption({ dataset, keys: kmsKeys({ providers: [first, second], timeoutMs: 400 }) }),
      ])
    first.before = () => Promise.reject(new Error('down'))
    expect(await again().get('ada')).toBe(1)
    first.before = never
    expect(await again().get('ada')).toBe(1)
    second.before = () => Promise.reject(new StoreError('ACCESS_DENIED', 'No.'))
    await expect(again().get('ada')).rejects.toMatchObject({ code: 'TIMEOUT' })
    const lying = { ...first, before: undefined, decryptDataKey: async () => Buffer.alloc(32, 9) }
    second.before = async () => {
      // It answers.
    }
    const mixed = keyValue(store, [
      json(),
      encryption({ dataset, keys: kmsKeys({ providers: [lying, second] }) }),
    ])
    expect(await mixed.get('ada')).toBe(1)
  })

  test('seal nothing while one of them cannot wrap', async () => {
    const store = memory()
    const [first, second] = [watched('local'), watched('second')]
    second.before = () => Promise.reject(new Error('down'))
    const users = keyValue(store, [
      json(),
      encryption({ dataset, keys: kmsKeys({ providers: [first, second] }) }),
    ])
    await expect(users.set('ada', 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(store.native.size).toBe(0)
  })
})

describe('from and to a keyring', () => {
  test('records of a keyring are opened beside the service, and a sweep moves them', async () => {
    const { kms, store } = opened()
    await keyValue(store, [json(), encryption({ dataset, keys: plainKeys })]).setMany(entries(20))
    const strict = keyValue(store, [json(), encryption({ dataset, keys: kmsKeys({ providers: kms }) })])
    await expect(strict.get('user 1')).rejects.toMatchObject({ code: 'UNKNOWN_KEY_ID' })
    const keys = kmsKeys({ providers: kms, keyring: plainKeys })
    const users = keyValue(store, [json(), encryption({ dataset, keys })])
    expect(await users.get('user 1')).toBe(1)
    expect(await reencrypt(users)).toMatchObject({ rewritten: 20, keys: { k1: 20 } })
    expect(await strict.get('user 1')).toBe(1)
    expect(kms.calls.generate).toBe(1)
    const back = keyValue(store, [json(), encryption({ dataset, keys: plainKeys })])
    await expect(back.get('user 1')).rejects.toMatchObject({ code: 'UNKNOWN_KEY_ID' })
    expect(codeOf(() => open(held(store, 'user 1'), { dataset, key: 'user 1', keys: plainKeys }))).toBe(
      'UNKNOWN_KEY_ID',
    )
  })

  test("a sweep wraps anew what an older key of the service's wrapped", async () => {
    const store = memory()
    const wrapping = keyring({ primary: 'w1', keys: { w1: root1 } })
    const providers = localKms({ keys: wrapping })
    const users = keyValue(store, [
      json(),
      encryption({ dataset, keys: kmsKeys({ providers, maxAgeMs: 1e9 }) }),
    ])
    await users.setMany(entries(5))
    expect(await reencrypt(users)).toMatchObject({ skipped: 5 })
    wrapping.replace({ primary: 'w2', keys: { w1: root1, w2: root2 } })
    const later = keyValue(store, [json(), encryption({ dataset, keys: kmsKeys({ providers }) })])
    expect(await reencrypt(later)).toMatchObject({ rewritten: 5 })
    wrapping.destroy('w1')
    expect(
      await keyValue(store, [json(), encryption({ dataset, keys: kmsKeys({ providers }) })]).get('user 3'),
    ).toBe(3)
  })
})
