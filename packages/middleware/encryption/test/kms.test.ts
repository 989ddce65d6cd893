import { inspect } from 'node:util'
import { compose, isStoreError, json, keyValue, newVersion, StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { readHeader } from '../src/envelope.ts'
import {
  encryption,
  type KmsKeysOptions,
  type KmsProvider,
  keyring,
  kmsKeys,
  localKms,
  open,
  reencrypt,
} from '../src/index.ts'
import { decodeWrappedKeys, encodeWrappedKeys } from '../src/wrapped-keys.ts'
import { watched, watchedKeys } from './kms-doubles.ts'
import { changed, codeOf, keys as plainKeys, root1, root2 } from './records.ts'
import { dataset, held, plant } from './stored.ts'

const entries = (count: number, from = 0): [string, number][] =>
  Array.from({ length: count }, (_, i) => [`user ${from + i}`, from + i])
const never = (): Promise<void> =>
  new Promise(() => {
    // A service that hangs.
  })

function opened(options: Partial<KmsKeysOptions> = {}) {
  const store = memory()
  const made = watchedKeys(options)
  const stackOf = (keys = made.keys) => keyValue(store, [json(), encryption({ dataset, keys })])
  return { ...made, store, stackOf, users: stackOf() }
}

describe('data keys of a service', () => {
  test('seal and open; the store holds the wrapped key, another process unwraps it', async () => {
    const { kms, store, users } = opened()
    await users.set('ada', { name: 'Ada' })
    expect(await users.get('ada')).toEqual({ name: 'Ada' })
    expect(kms.calls).toEqual({ generate: 1, encrypt: 0, decrypt: 0 })
    const header = readHeader(held(store, 'ada'))
    expect(header).toMatchObject({ keyringId: 'main', keyId: 'kms', flags: 0x20 })
    expect(decodeWrappedKeys(header.wrapped as Buffer)).toMatchObject([{ providerId: 'local' }])
    const elsewhere = kmsKeys({ providers: kms })
    const other = keyValue(store, [json(), encryption({ dataset, keys: elsewhere })])
    expect(await other.get('ada')).toEqual({ name: 'Ada' })
    expect(kms.calls.decrypt).toBe(1)
    expect(kms.contexts).toEqual([{ 'unikv:dataset': 'users' }, { 'unikv:dataset': 'users' }])
  })

  test('a batch needs one call; so do many writes at once, and the reads of what they wrote', async () => {
    const { kms, store, users } = opened()
    await Promise.all(entries(50).map(([key, value]) => users.set(key, value)))
    await users.setMany(entries(50, 50))
    expect(kms.calls.generate).toBe(1)
    const other = keyValue(store, [json(), encryption({ dataset, keys: kmsKeys({ providers: kms }) })])
    expect(await Promise.all(entries(100).map(([key]) => other.get(key)))).toHaveLength(100)
    const third = keyValue(store, [json(), encryption({ dataset, keys: kmsKeys({ providers: kms }) })])
    expect(await third.getMany(entries(100).map(([key]) => key))).toHaveLength(100)
    expect(kms.calls.decrypt).toBe(2)
  })

  test('declare that nothing is at hand, and leave room for the wrapped keys', () => {
    const { keys, store } = opened()
    const { capabilities } = compose(store, [encryption({ dataset, keys })])
    expect(capabilities.sync).toBe('none')
    expectTypeOf(capabilities.sync).toEqualTypeOf<'none'>()
    const { maxValueBytes } = compose(store, [encryption({ dataset, keys: plainKeys })]).capabilities
    // `kms` is a byte longer than `k1`.
    expect(maxValueBytes - capabilities.maxValueBytes).toBe(4096 + 1)
  })

  test('deleting, touching and scanning keys ask nothing', async () => {
    const { kms, users } = opened()
    kms.before = () => Promise.reject(new Error('not asked'))
    await users.delete('ada')
    expect(await users.touch('ada', { ttlMs: 1000 })).toBe(false)
    expect(await users.count()).toBe(0)
    expect(kms.calls).toEqual({ generate: 0, encrypt: 0, decrypt: 0 })
  })

  test('scan opens what it brings, a data key a page or less', async () => {
    const { kms, store, users } = opened({ maxMessages: 3 })
    for (const [key, value] of entries(12)) await users.set(key, value)
    const other = keyValue(store, [json(), encryption({ dataset, keys: kmsKeys({ providers: kms }) })])
    const found: unknown[] = []
    for await (const [, { value }] of other.entries({ pageSize: 5 })) found.push(value)
    expect(found.toSorted((a, b) => Number(a) - Number(b))).toEqual(entries(12).map(([, value]) => value))
    expect(kms.calls).toMatchObject({ generate: 4, decrypt: 4 })
  })
})

describe('a data key', () => {
  test('seals no more messages and bytes, and no longer, than it may', async () => {
    const { kms, time, users } = opened({ maxMessages: 10, maxBytes: 1000, maxAgeMs: 5000 })
    for (const [key, value] of entries(10)) await users.set(key, value)
    expect(kms.calls.generate).toBe(1)
    await users.set('eleventh', 1)
    expect(kms.calls.generate).toBe(2)
    await users.set('large', 'x'.repeat(1000))
    expect(kms.calls.generate).toBe(3)
    time.now += 4999
    await users.set('large 2', 'x'.repeat(1000))
    expect(kms.calls.generate).toBe(4)
    time.now += 4999
    await users.set('small', '')
    expect(kms.calls.generate).toBe(5)
    time.now += 5000
    await users.set('old', 1)
    expect(kms.calls.generate).toBe(6)
    await users.setMany(entries(25))
    expect(kms.calls.generate, 'a larger batch has one of its own').toBe(7)
  })

  test('is unwrapped again after its age, and when memory holds others', async () => {
    const { kms, time, store, users } = opened({ maxMessages: 1 })
    for (const [key, value] of entries(4)) await users.set(key, value)
    const keys = kmsKeys({ providers: kms, maxKeys: 2, maxAgeMs: 100, clock: () => time.now })
    const other = keyValue(store, [json(), encryption({ dataset, keys })])
    const read = async (...keysOf: string[]) => {
      for (const key of keysOf) await other.get(key)
      return kms.calls.decrypt
    }
    expect(await read('user 0', 'user 1', 'user 0')).toBe(2)
    expect(await read('user 2', 'user 0')).toBe(3)
    expect(await read('user 1')).toBe(4)
    time.now += 100
    expect(await read('user 1')).toBe(5)
    keys.forget()
    expect(await read('user 1')).toBe(6)
  })

  test('never serves another dataset, cipher or context', async () => {
    const { kms, keys, store } = opened()
    const stacks = [
      encryption({ dataset: 'a', keys }),
      encryption({ dataset: 'b', keys }),
      encryption({ dataset: 'a', keys, algorithm: 'aes-128-gcm' }),
      encryption({ dataset: 'a', keys, algorithm: 'aes-256-gcm' }),
    ].map((layer) => keyValue(store, [json(), layer]))
    for (const [i, stack] of stacks.entries()) await stack.set(`key ${i}`, i)
    expect(kms.calls.generate).toBe(3)
    const moved = changed(held(store, 'key 2'), (copy) => copy.writeUInt8(1, 5))
    await plant(store, 'key 2', moved)
    await expect(stacks[0]?.get('key 2')).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' })
    const tenant = kmsKeys({ providers: kms, context: { tenant: '7' } })
    const other = keyValue(store, [json(), encryption({ dataset: 'a', keys: tenant })])
    await expect(other.get('key 0')).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' })
  })
})

describe('a service that fails', () => {
  test('and does not answer ends the call at its own deadline, with nothing written', async () => {
    const { kms, store, users } = opened({ timeoutMs: 1e9 })
    kms.before = never
    await expect(users.set('ada', 1, { timeoutMs: 60 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    expect(store.native.size).toBe(0)
    const stop = new AbortController()
    const aborted = users.set('ada', 1, { signal: stop.signal })
    stop.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' })
    expect(kms.calls.generate, 'both waited for one answer').toBe(1)
    expect(store.native.size).toBe(0)
  })

  test('is told to stop after timeoutMs, and all who wait are told', async () => {
    const { kms, users } = opened({ timeoutMs: 400 })
    let signal: AbortSignal | undefined
    kms.before = (one) => {
      signal = one
      return never()
    }
    const outcomes = await Promise.allSettled(entries(3).map(([key, value]) => users.set(key, value)))
    expect(outcomes).toMatchObject(entries(3).map(() => ({ reason: { code: 'TIMEOUT' } })))
    expect(signal?.aborted).toBe(true)
    kms.before = async () => {
      // It is back.
    }
    await users.set('ada', 1)
    expect(await users.get('ada')).toBe(1)
  })

  test('fails writes with a typed error that holds nothing of its own, and never writes plain text', async () => {
    const { kms, store, users } = opened()
    const failure = Object.assign(new Error('the request with secret hunter2'), {
      name: 'InternalFailure',
      request: { authorization: 'hunter2' },
    })
    kms.before = () => Promise.reject(failure)
    const error: unknown = await users.set('ada', 1).catch((one: unknown) => one)
    expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('InternalFailure') })
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain('hunter2')
    kms.before = () => Promise.reject(new StoreError('ACCESS_DENIED', 'Not allowed.'))
    await expect(users.set('ada', 1)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
    expect(store.native.size).toBe(0)
  })

  test('fails only the records whose keys are not to be had', async () => {
    const { kms, store, users } = opened({ maxMessages: 1 })
    for (const [key, value] of entries(3)) await users.set(key, value)
    const keys = kmsKeys({ providers: kms })
    const other = keyValue(store, [json(), encryption({ dataset, keys })])
    await other.get('user 1')
    kms.before = () => Promise.reject(new Error('down'))
    const failure: unknown = await other
      .getMany(['user 0', 'user 1', 'missing', 'user 2'])
      .catch((e: unknown) => e)
    expect(failure).toMatchObject({ code: 'PARTIAL' })
    expect((failure as StoreError).results).toMatchObject([
      { code: 'UNAVAILABLE' },
      { value: 1 },
      undefined,
      { code: 'UNAVAILABLE' },
    ])
    expect(await other.has('user 0')).toBe(true)
    const scanned = compose(store, [encryption({ dataset, keys })]).scan(
      { prefix: '', pageSize: 9, values: true },
      callOptions(),
    )
    const found: string[] = []
    for await (const page of scanned)
      for (const { key, entry } of page.entries)
        found.push(`${key}: ${isStoreError(entry) ? entry.code : 'read'}`)
    expect(found.toSorted()).toEqual(['user 0: UNAVAILABLE', 'user 1: read', 'user 2: UNAVAILABLE'])
  })

  const wrongAnswers: readonly [string, (right: Uint8Array) => unknown][] = [
    ['another key', () => Buffer.alloc(32, 7)],
    ['31 bytes', (right) => right.slice(1)],
    ['33 bytes', (right) => Buffer.concat([right, Buffer.alloc(1)])],
    ['nothing', () => undefined],
    ['text', (right) => Buffer.from(right).toString('base64')],
  ]
  test.each(wrongAnswers)('by giving %s opens nothing, and spoils no later answer', async (_, wrong) => {
    const { kms, store, users } = opened()
    await users.set('ada', 1)
    let lies = true
    const lying: KmsProvider = {
      ...kms,
      decryptDataKey: async (...asked) => {
        const right = await kms.decryptDataKey(...asked)
        return (lies ? wrong(right) : right) as Uint8Array
      },
    }
    const other = keyValue(store, [json(), encryption({ dataset, keys: kmsKeys({ providers: lying }) })])
    await expect(other.get('ada')).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' })
    lies = false
    expect(await other.get('ada')).toBe(1)
  })

  test.each([
    ['no key', { key: undefined }],
    ['a short key', { key: new Uint8Array(16) }],
    ['no blob', { blob: undefined }],
    ['an empty blob', { blob: new Uint8Array() }],
  ])('by making %s seals nothing', async (_, change) => {
    const { kms, store } = opened()
    const strange: KmsProvider = {
      ...kms,
      generateDataKey: async (...asked) => ({ ...(await kms.generateDataKey(...asked)), ...change }) as never,
    }
    const users = keyValue(store, [json(), encryption({ dataset, keys: kmsKeys({ providers: strange }) })])
    await expect(users.set('ada', 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(store.native.size).toBe(0)
  })
})

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

describe('a record with wrapped keys that was tampered with', () => {
  test('is refused with a bit of any byte of its header flipped, and spoils no other', async () => {
    const { kms, store, users } = opened()
    await users.setMany([
      ['ada', 1],
      ['bob', 2],
    ])
    const genuine = Buffer.from(held(store, 'ada'))
    const { bytes } = readHeader(genuine)
    const codes = new Set<string>()
    for (let bit = 0; bit < bytes.length * 8; bit += 7) {
      const copy = changed(genuine, (one) => {
        one.writeUInt8((one[bit >> 3] as number) ^ (1 << (bit & 7)), bit >> 3)
      })
      await plant(store, 'ada', copy)
      const keys = kmsKeys({ providers: kms })
      const stack = compose(store, [encryption({ dataset, keys })])
      const [ada, bob] = await stack.read([{ key: 'ada' }, { key: 'bob' }], callOptions())
      expect(isStoreError(ada), `bit ${bit}`).toBe(true)
      codes.add((ada as StoreError).code)
      expect(bob, `bit ${bit}`).toMatchObject({ value: Buffer.from('2') })
    }
    expect(codes).toEqual(new Set(['AUTHENTICATION_FAILED', 'UNKNOWN_KEY_ID', 'CORRUPT']))
  })

  test('is refused at every length', async () => {
    const { users, store, keys } = opened()
    await users.set('ada', 1)
    const genuine = Buffer.from(held(store, 'ada'))
    const stack = compose(store, [encryption({ dataset, keys })])
    for (let length = 0; length < genuine.length; length++) {
      await plant(store, 'ada', genuine.subarray(0, length))
      const [result] = await stack.read([{ key: 'ada' }], callOptions())
      expect(isStoreError(result), `length ${length}`).toBe(true)
    }
  })
})

describe('the section of wrapped keys', () => {
  const key = { providerId: 'p', info: Buffer.from('i'), blob: Buffer.from('b') }

  test('is read as it was written, with 1 to 8 keys', () => {
    for (const count of [1, 2, 8]) {
      const keys = Array.from({ length: count }, (_, i) => ({
        ...key,
        providerId: `p${i}`,
        blob: Buffer.alloc(i + 1, i),
      }))
      expect(decodeWrappedKeys(encodeWrappedKeys(keys) as Buffer)).toEqual(keys)
    }
    expect(encodeWrappedKeys([{ ...key, blob: Buffer.alloc(4096) }])).toBeUndefined()
    expect(encodeWrappedKeys([{ ...key, blob: Buffer.alloc(4096 - 10) }])).toHaveLength(4096)
  })

  test.each([
    ['no key', '000a00 0170 0001 69 0001 62'],
    ['nine keys', '000b09 0170 0001 69 0001 62'],
    ['two where there is one', '000b02 0170 0001 69 0001 62'],
    ['something behind the last', '000c01 0170 0001 69 0001 62 00'],
    ['an empty blob', '000a01 0170 0001 69 0000'],
    ['an empty provider', '000a01 00 0001 69 0001 62'],
    ['a provider with a blank', '000b01 0120 0001 69 0001 62'],
    ['a provider of 33', `002b01 21${'70'.repeat(33)} 0001 69 0001 62`],
    ['an info past the end', '000b01 0170 ffff 69 0001 62'],
    ['a blob past the end', '000b01 0170 0001 69 0002 62'],
  ])('with %s is corrupt', (_, hex) => {
    expect(codeOf(() => decodeWrappedKeys(Buffer.from(hex.replaceAll(' ', ''), 'hex')))).toBe('CORRUPT')
  })
})

describe('kmsKeys', () => {
  const good = watched()
  const bad: readonly [string, unknown][] = [
    ['nothing', undefined],
    ['no provider', { providers: [] }],
    ['nine providers', { providers: Array.from({ length: 9 }, (_, i) => ({ ...good, id: `p${i}` })) }],
    ['one provider twice', { providers: [good, good] }],
    ['a provider without a name', { providers: { ...good, id: '' } }],
    ['a provider with a bad name', { providers: { ...good, id: 'a b' } }],
    ['a provider without info', { providers: { ...good, info: undefined } }],
    ['a provider that cannot decrypt', { providers: { ...good, decryptDataKey: undefined } }],
    [
      'a second provider that cannot encrypt',
      { providers: [good, { ...watched('second'), encryptDataKey: undefined }] },
    ],
    ['a bad id', { providers: good, id: 'a/b' }],
    ['ids of 17 bytes', { providers: good, id: 'main-keys-here', keyId: 'kms' }],
    ['a bad context', { providers: good, context: { a: 1 } }],
    ['a context of ours', { providers: good, context: { 'unikv:dataset': 'x' } }],
    ['no context', { providers: good, context: null }],
    ['no message', { providers: good, maxMessages: 0 }],
    ['no age', { providers: good, maxAgeMs: Number.NaN }],
    ['a keyring that is none', { providers: good, keyring: {} }],
  ]
  test.each(bad)('refuses %s', (_, options) => {
    expect(codeOf(() => kmsKeys(options as never))).toBe('INVALID_CONFIG')
  })

  test('shows identifiers alone', () => {
    expect(inspect(kmsKeys({ providers: good }), { showHidden: true, depth: 9 })).toBe(
      "KmsKeys { id: 'main', keyId: 'kms', providers: [ 'local' ] }",
    )
    expect(inspect(localKms({ keys: plainKeys }))).toBe("LocalKms { id: 'local', info: 'k1' }")
  })

  test('is refused where a keyring is due, and a look-alike where it is due', () => {
    expect(codeOf(() => localKms({ keys: kmsKeys({ providers: good }) as never }))).toBe('INVALID_CONFIG')
    expect(codeOf(() => encryption({ dataset, keys: { ...kmsKeys({ providers: good }) } }))).toBe(
      'INVALID_CONFIG',
    )
    expect(codeOf(() => localKms({ keys: {} as never }))).toBe('INVALID_CONFIG')
  })
})

test('a write of no values, and one that is refused, ask nothing and seal nothing', async () => {
  const { kms, store, keys } = opened()
  const stack = compose(store, [encryption({ dataset, keys })])
  const set = { type: 'set', key: 'ada', version: newVersion(), value: 'text' as never } as const
  expect(await stack.write([set], callOptions())).toMatchObject([{ code: 'INVALID_VALUE' }])
  expect(kms.calls.generate).toBeLessThanOrEqual(1)
  expect(store.native.size).toBe(0)
})
