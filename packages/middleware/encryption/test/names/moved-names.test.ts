import { keyValue, newVersion } from '@unikv/core'
import { callOptions, namespacePrefix } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { encryption } from '../../src/index.ts'
import { keys, utf8 } from '../records.ts'
import { listed, marker, moveTo, names, naming, stackOf, usersOf } from './named.ts'

describe('a store that changes names', () => {
  test('cannot swap two records, nor move one, in the root or between namespaces', async () => {
    const store = memory()
    const users = usersOf(store)
    const team = users.namespace('team')
    await users.setMany([
      ['ada', utf8('1')],
      ['bob', utf8('2')],
    ])
    await team.set('ada', utf8('3'))
    const [a, b, c] = ['ada', 'bob', `${namespacePrefix(['team'])}ada`].map((key) => naming.stored(key)) as [
      string,
      string,
      string,
    ]
    const kept = new Map(store.native)
    for (const [from, to] of [
      [a, b],
      [b, a],
      [a, c],
      [c, b],
    ] as const) {
      await moveTo(store, from, to)
      const key = to === c ? team.get('ada') : users.get(to === a ? 'ada' : 'bob')
      await expect(key).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' })
      await expect(listed(to === c ? team.keys() : users.keys())).rejects.toMatchObject({
        code: 'AUTHENTICATION_FAILED',
      })
      for (const [at, { value }] of kept)
        await store.write([{ type: 'set', key: at, value, version: newVersion() }], callOptions())
    }
    expect(await users.get('ada')).toEqual(Buffer.from('1'))
    expect((await listed(users.keys())).toSorted()).toEqual(['ada', 'bob'])
  })

  test('gets an error for a record whose true key is another, although it lies where it was sealed', async () => {
    // What two keys of one hash would look like; only a holder of the root key can make it.
    const store = memory()
    const stack = stackOf(store)
    await usersOf(store).set('ada', utf8('1'))
    const { Sealer } = await import('../../src/envelope/sealer.ts')
    const sealer = new Sealer({ keys, dataset: 'users', maxTrueKeyBytes: 1024 })
    const at = naming.stored('ada')
    const value = sealer.batch()(at, utf8('of bob'), 'bob')
    await store.write([{ type: 'set', key: at, value, version: newVersion() }], callOptions())
    const [result] = await stack.read([{ key: 'ada' }], callOptions())
    expect(result).toMatchObject({ code: 'AUTHENTICATION_FAILED' })
    // Not listed as bob either: it does not lie where bob's record would.
    expect(await listed(usersOf(store).keys())).toEqual([])
  })

  test('cannot serve records of another dataset under the same keys', async () => {
    const store = memory()
    const staging = keyValue(store, [encryption({ dataset: 'staging', keys, names })])
    await staging.set('ada', utf8('1'))
    await expect(usersOf(store).get('ada')).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  })

  test('cannot make a key that looks like a hashed one, or like a prefix, another record', async () => {
    const store = memory()
    const users = usersOf(store)
    await users.set('ada', utf8('ada'))
    const hashed = naming.stored('ada')
    await users.set(hashed, utf8('looks hashed'))
    await users.set(naming.stored(hashed), utf8('looks hashed twice'))
    await users.set(marker, utf8('looks like the marker'))
    await users.namespace(hashed).set(hashed, utf8('in a namespace'))
    await users.set(
      `${naming.storedPrefix(namespacePrefix(['team'])).stored}ada`,
      utf8('looks like a namespace'),
    )
    expect(await users.get('ada')).toEqual(Buffer.from('ada'))
    expect(await users.get(hashed)).toEqual(Buffer.from('looks hashed'))
    expect(await users.get(marker)).toEqual(Buffer.from('looks like the marker'))
    expect(await users.count()).toBe(5)
    expect(await users.namespace('team').count()).toBe(0)
    expect(await users.namespace(hashed).count()).toBe(1)
  })
})
