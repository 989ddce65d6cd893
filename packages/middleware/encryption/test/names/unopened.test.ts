import { isStoreError, newVersion } from '@unikv/core'
import { callOptions, internalKey, namespacePrefix, storedKey } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { keyring } from '../../src/index.ts'
import { root3, utf8 } from '../records.ts'
import { listed, marker, naming, stackOf, usersOf } from './named.ts'

describe('records that do not open any more', () => {
  const ring = keyring({ primary: 'k2', keys: { k1: { state: 'destroyed' }, k2: root3 } })

  async function withDestroyed() {
    const store = memory()
    const before = usersOf(store)
    await before.set('old', utf8('1'))
    await before.namespace('team').set('old', utf8('2'))
    await before.namespace('other').set('old', utf8('3'))
    await stackOf(store).write(
      [{ type: 'set', key: internalKey('chunk', 'old', 'p'), value: utf8('x'), version: newVersion() }],
      callOptions(),
    )
    const users = usersOf(store, { ring })
    await users.set('new', utf8('4'))
    await users.namespace('team').set('new', utf8('5'))
    return { store, users }
  }

  test('are an error of a listing, never a shorter one, and name no key', async () => {
    const { users } = await withDestroyed()
    for (const list of [
      users.keys(),
      users.entries(),
      users.namespace('team').keys(),
      users.namespace('team').keys({ prefix: 'n' }),
    ]) {
      const failure: unknown = await listed<unknown>(list).catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'UNKNOWN_KEY_ID', key: undefined })
    }
    await expect(users.count()).rejects.toMatchObject({ code: 'UNKNOWN_KEY_ID' })
    await users.namespace('third').set('new', utf8('6'))
    expect(await listed(users.namespace('third').keys())).toEqual(['new'])
  })

  test('are errors of their own in a scan of the store, which goes on', async () => {
    const { store } = await withDestroyed()
    const entries = []
    for await (const page of stackOf(store, { ring }).scan(
      { prefix: '', pageSize: 2, values: true },
      callOptions(),
    ))
      entries.push(...page.entries)
    expect(entries.filter(({ entry }) => isStoreError(entry))).toHaveLength(4)
    expect(
      entries
        .filter(({ key }) => storedKey(key) === undefined)
        .map(({ key }) => key)
        .toSorted(),
    ).toEqual([`${namespacePrefix(['team'])}new`, 'new'])
  })

  test('go with a cleared namespace, and those of other namespaces stay', async () => {
    const { store, users } = await withDestroyed()
    expect(await users.namespace('team').clear({ all: true })).toBe(2)
    expect(await listed(users.namespace('team').keys())).toEqual([])
    expect(store.native.has(naming.stored(`${namespacePrefix(['other'])}old`))).toBe(true)
    expect(await users.get('new')).toEqual(Buffer.from('4'))
  })

  test('stay when a prefix is cleared, as nobody can tell whether they begin so', async () => {
    const { store, users } = await withDestroyed()
    expect(await users.clear({ prefix: 'n' })).toBe(1)
    const [root, inside] = [naming.stored('old'), naming.stored(`${namespacePrefix(['team'])}old`)]
    // Nor does what the store calls them count, which may begin with anything.
    for (const prefix of [root, root.slice(0, 1), inside]) await users.clear({ prefix })
    for (const prefix of [inside, '\u0001', inside.slice(-32)])
      await users.namespace('team').clear({ prefix })
    expect(store.native.has(root)).toBe(true)
    expect(store.native.has(inside)).toBe(true)
  })

  test('go with the whole dataset, but the marker stays', async () => {
    const { store, users } = await withDestroyed()
    expect(await users.clear({ all: true })).toBe(5)
    expect([...store.native.keys()]).toEqual([marker])
    expect(await users.count()).toBe(0)
  })

  test('can be written anew and deleted by their key', async () => {
    const { users } = await withDestroyed()
    await expect(users.get('old')).rejects.toMatchObject({ code: 'UNKNOWN_KEY_ID' })
    await users.set('old', utf8('again'))
    expect(await users.get('old')).toEqual(Buffer.from('again'))
    await users.namespace('team').delete('old')
    expect(await listed(users.namespace('team').keys())).toEqual(['new'])
  })

  test('cannot be read or written by what stands for them in a scan', async () => {
    const { store } = await withDestroyed()
    const stack = stackOf(store, { ring })
    const unnamed = internalKey('unnamed', '', naming.stored('old'))
    const [read] = await stack.read([{ key: unnamed }], callOptions())
    expect(read).toMatchObject({ code: 'INVALID_KEY' })
    const [written] = await stack.write(
      [{ type: 'set', key: unnamed, value: utf8('x'), version: newVersion() }],
      callOptions(),
    )
    expect(written).toMatchObject({ code: 'INVALID_KEY' })
  })
})
