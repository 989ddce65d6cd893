import { type Bytes, compose, newVersion } from '@unikv/core'
import { callOptions, namespacePrefix } from '@unikv/core/adapter'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { readHeader } from '../../src/envelope/envelope.ts'
import { encryption, kmsKeys, reencrypt } from '../../src/index.ts'
import { watchedKeys } from '../kms-doubles.ts'
import { keys as plainKeys, utf8 } from '../records.ts'
import {
  everything,
  listed,
  marker,
  moveTo,
  names,
  naming,
  otherNames,
  stackOf,
  usersOf,
  watched,
} from './named.ts'
import { many, opened } from './named-kms-opened.ts'

describe('hashed names with the keys of a service', () => {
  test('hold wrapped key and true key in one envelope, under a name that another process finds', async () => {
    const { kms, store, users, elsewhere } = opened()
    await users.namespace('team').set('ada', utf8('Ada'))
    const stored = naming.stored(`${namespacePrefix(['team'])}ada`)
    const header = readHeader(store.native.get(stored)?.value as Bytes)
    expect(header).toMatchObject({ keyringId: 'main', keyId: 'kms', flags: 0x60 })
    expect(await elsewhere().namespace('team').get('ada')).toEqual(Buffer.from('Ada'))
    expect(await listed(elsewhere().namespace('team').keys())).toEqual(['ada'])
    expect(kms.calls).toEqual({ generate: 1, encrypt: 0, decrypt: 2 })
  })

  test('show no name, value or data key to the store, and no name to the service', async () => {
    const { store, seen, below } = watched()
    const { kms, keys } = watchedKeys()
    const users = usersOf(store, { ring: keys })
    for (const name of ['planted 1', 'planted 2']) {
      await users.namespace(name).setMany([[`${name} key`, utf8(`${name} value`)]])
      await users.namespace(name).getMany([`${name} key`, `${name} absent`])
      await listed(users.namespace(name).keys({ prefix: name }))
    }
    expect(everything([seen, below.native])).not.toMatch(/planted/)
    expect(new Set(kms.contexts.map((context) => JSON.stringify(context)))).toEqual(
      new Set(['{"unikv:dataset":"users"}']),
    )
  })

  test('declare what both declare, and leave room for wrapped keys and the longest name', () => {
    const { store, keys } = opened()
    const { capabilities } = compose(store, [encryption({ dataset: 'users', keys, names })])
    expect(capabilities).toMatchObject({
      sync: 'none',
      maxKeyBytes: 1024,
      scan: { order: 'none', prefix: 'namespaces' },
    })
    expectTypeOf(capabilities.sync).toEqualTypeOf<'none'>()
    expectTypeOf(capabilities.scan.prefix).toEqualTypeOf<'namespaces'>()
    // `kms` is a byte longer than `k1`.
    expect(stackOf(store).capabilities.maxValueBytes - capabilities.maxValueBytes).toBe(4096 + 1)
  })

  test('refuse records that were swapped, moved between namespaces or taken from another dataset', async () => {
    const { store, keys, users } = opened()
    await users.setMany(many(2))
    await users.namespace('team').set('user 0', utf8('3'))
    const other = compose(store, [encryption({ dataset: 'staging', keys, names: otherNames })])
    const inTeam = naming.stored(`${namespacePrefix(['team'])}user 0`)
    for (const [from, to] of [
      [naming.stored('user 0'), naming.stored('user 1')],
      [inTeam, naming.stored('user 1')],
    ] as const) {
      await moveTo(store, from, to)
      await expect(users.get('user 1')).rejects.toMatchObject({
        code: 'AUTHENTICATION_FAILED',
        key: 'user 1',
      })
      await expect(listed(users.keys())).rejects.toMatchObject({
        code: 'AUTHENTICATION_FAILED',
        key: undefined,
      })
    }
    expect(() => other.read([{ key: 'user 0' }], callOptions())).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG' }),
    )
  })

  test('under another name key are INVALID_CONFIG, never a miss, whatever the service answers', async () => {
    const { store, keys, kms, users } = opened()
    await users.set('ada', utf8('1'))
    const other = usersOf(store, { ring: keys, by: otherNames })
    kms.before = () => Promise.reject(new Error('down'))
    for (const call of [() => other.get('ada'), () => other.delete('ada'), () => listed(other.keys())])
      await expect(call()).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  })

  test('on a dataset without marker look at one record of it, also while a cache of data keys is empty', async () => {
    const { store, elsewhere, users, keys, kms } = opened()
    await users.setMany(many(3))
    await store.write([{ type: 'delete', key: marker, version: newVersion() }], callOptions())
    expect(await elsewhere().get('user 1')).toEqual(Buffer.from('1'))
    await expect(usersOf(store, { ring: keys, by: otherNames }).get('user 1')).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    })
    kms.before = () => Promise.reject(new Error('down'))
    await expect(elsewhere().get('user 1')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(elsewhere().delete('user 1')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('are sealed anew by a sweep, from a keyring to a service, with the same names', async () => {
    const { kms, store } = opened()
    const before = usersOf(store)
    await before.setMany(many(20))
    await before.namespace('team').set('ada', utf8('x'))
    const names20 = [...store.native.keys()].toSorted()
    const both = kmsKeys({ providers: kms, keyring: plainKeys })
    expect(await reencrypt(stackOf(store, { ring: both }))).toMatchObject({ rewritten: 21, failed: 0 })
    expect([...store.native.keys()].toSorted()).toEqual(names20)
    const after = usersOf(store, { ring: kmsKeys({ providers: kms }) })
    expect(await after.get('user 7')).toEqual(Buffer.from('7'))
    expect(await listed(after.namespace('team').keys())).toEqual(['ada'])
    await expect(usersOf(store).get('user 7')).rejects.toMatchObject({ code: 'UNKNOWN_KEY_ID' })
  })

  test('may stand above another encryption whose keys are of a service', async () => {
    const { store, keys } = opened()
    const below = compose(store, [encryption({ dataset: 'outer', keys })])
    const users = usersOf(below)
    await users.set('ada', utf8('1'))
    await store.write([{ type: 'delete', key: marker, version: newVersion() }], callOptions())
    const again = usersOf(compose(store, [encryption({ dataset: 'outer', keys })]))
    expect(await again.get('ada')).toEqual(Buffer.from('1'))
    expect(await listed(again.keys())).toEqual(['ada'])
  })
})
