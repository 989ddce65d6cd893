import { newVersion, type StoreError } from '@unikv/core'
import { callOptions, internalKey, namespacePrefix } from '@unikv/core/adapter'
import { describe, expect, test } from 'vitest'
import { kmsKeys } from '../../src/index.ts'
import { utf8 } from '../records.ts'
import { listed, marker, stackOf } from './named.ts'
import { many, opened } from './named-kms-opened.ts'

const deep = ['a', 'b', 'c', 'd', 'e'] as const

describe('hashed names while the service is down', () => {
  const down = () => Promise.reject(new Error('down'))

  test('are written by nobody, and no marker is left', async () => {
    const { kms, store, users } = opened()
    kms.before = down
    await expect(users.set('ada', utf8('1'))).rejects.toMatchObject({ code: 'UNAVAILABLE', key: 'ada' })
    expect(store.native.size).toBe(0)
  })

  test('fail the reads of those records alone whose data key is not at hand, by their own key', async () => {
    const { kms, users, elsewhere } = opened({ maxMessages: 1 })
    for (const [key, value] of many(3)) await users.set(key, value)
    const other = elsewhere()
    await other.get('user 1')
    kms.before = down
    const failure = (await other
      .getMany(['user 0', 'user 1', 'none'])
      .catch((error: unknown) => error)) as StoreError
    expect(failure).toMatchObject({ code: 'PARTIAL' })
    expect(failure.results).toMatchObject([
      { code: 'UNAVAILABLE', key: 'user 0' },
      { value: Buffer.from('1') },
      undefined,
    ])
  })

  test('fail each by its own key, also where one data key is missing for all of them', async () => {
    const { kms, users, elsewhere } = opened()
    await users.setMany(many(3))
    kms.before = down
    const keys = ['user 2', 'user 0']
    const failure = (await elsewhere()
      .getMany(keys)
      .catch((error: unknown) => error)) as StoreError
    expect(failure.results).toMatchObject(keys.map((key) => ({ code: 'UNAVAILABLE', key })))
    const calls = await Promise.allSettled(keys.map((key) => elsewhere().get(key)))
    expect(calls).toMatchObject(keys.map((key) => ({ reason: { code: 'UNAVAILABLE', key } })))
  })

  test('are never a shorter listing or count, nor a part that is cleared as if it were all', async () => {
    const { kms, store, users, elsewhere } = opened()
    await users.setMany(many(3))
    let space = users.namespace('a')
    for (const segment of deep.slice(1)) space = space.namespace(segment)
    await space.setMany(many(3))
    await users.namespace('team').setMany(many(3))
    const internal = internalKey('chunk', `${namespacePrefix(['team'])}user 1`, 'part')
    await stackOf(store, { ring: kmsKeys({ providers: kms }) }).write(
      [{ type: 'set', key: internal, value: utf8('x'), version: newVersion() }],
      callOptions(),
    )
    const size = store.native.size
    kms.before = down
    const other = elsewhere()
    let inDeep = other.namespace('a')
    for (const segment of deep.slice(1)) inDeep = inDeep.namespace(segment)
    for (const call of [
      () => listed(other.keys()),
      () => other.count(),
      () => other.clear({ prefix: 'user' }),
      () => inDeep.count(),
      () => inDeep.clear({ all: true }),
      () => other.namespace('team').clear({ prefix: 'user' }),
      () => other.namespace('team').clear({ all: true }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'UNAVAILABLE', key: undefined })
    expect(store.native.size).toBe(size)
    kms.before = async () => undefined
    expect(await inDeep.clear({ all: true })).toBe(3)
    expect(await other.namespace('team').clear({ all: true })).toBe(3)
    expect(store.native.size).toBe(4)
  })

  test('can all be cleared, the root as a whole', async () => {
    const { kms, store, users, elsewhere } = opened()
    await users.setMany(many(3))
    await users.namespace('team').setMany(many(3))
    kms.before = down
    expect(await elsewhere().clear({ all: true })).toBe(6)
    expect([...store.native.keys()]).toEqual([marker])
  })

  test('of a namespace do not fail a prefix of root keys, which they cannot have', async () => {
    const { kms, users, elsewhere } = opened({ maxMessages: 1 })
    await users.set('user 1', utf8('1'))
    await users.namespace('team').set('user 2', utf8('2'))
    const other = elsewhere()
    await other.get('user 1')
    kms.before = down
    expect(await listed(other.keys({ prefix: 'user' }))).toEqual(['user 1'])
  })

  test('and slow end each call at its own deadline', async () => {
    const { kms, elsewhere, users } = opened({ timeoutMs: 1e9 })
    await users.set('ada', utf8('1'))
    kms.before = () => new Promise(() => undefined)
    const other = elsewhere()
    await expect(other.get('ada', { timeoutMs: 50 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    await expect(other.set('ada', utf8('2'), { timeoutMs: 50 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    const stop = new AbortController()
    const aborted = other.count({ signal: stop.signal })
    stop.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' })
    expect(await users.get('ada')).toEqual(Buffer.from('1'))
  })
})
