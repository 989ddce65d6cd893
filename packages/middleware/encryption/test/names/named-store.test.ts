import { inspect } from 'node:util'
import { isStoreError, keyValue, newVersion } from '@unikv/core'
import { callOptions, internalKey, namespacePrefix, storedKey } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { encryption, keyring } from '../../src/index.ts'
import { keys, root1, root3, utf8 } from '../records.ts'
import {
  erase,
  everything,
  marker,
  moveTo,
  names,
  naming,
  otherNames,
  stackOf,
  usersOf,
  watched,
} from './named.ts'

async function listed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('a store below hashed names', () => {
  test('receives no part of a key or namespace, in no verb, page or resume', async () => {
    const planted = Array.from({ length: 48 }, (_, i) => `planted${i}secret`)
    const { store, seen, below } = watched()
    const root = usersOf(store)
    for (const [i, name] of planted.entries()) {
      const space =
        [root, root.namespace(name), root.namespace(name).namespace(`${name}inner`)][i % 3] ?? root
      await space.set(`key of ${name}`, utf8(`value ${i}`), { ttlMs: 60_000 })
      await space.setMany([[`many ${name}`, utf8('1')]])
      await space.get(`key of ${name}`)
      await space.has(`absent ${name}`)
      await space.getMany([`key of ${name}`, `absent ${name}`])
      await space.update(`key of ${name}`, (value) => value)
      await space.touch(`key of ${name}`, { ttlMs: 1_000_000 })
      await listed(space.keys({ prefix: `key of ${name}`, pageSize: 2 }))
      await listed(space.entries({ pageSize: 3 }))
      await space.delete(`many ${name}`)
      await stackOf(store).write(
        [
          {
            type: 'set',
            key: internalKey('chunk', `${namespacePrefix([name])}k`, `part of ${name}`),
            value: utf8('x'),
            version: newVersion(),
          },
        ],
        callOptions(),
      )
      if (i % 8 === 7) await space.clear({ prefix: `key of ${name}` })
      if (i % 16 === 15) await root.namespace(name).clear({ all: true })
    }
    const text = everything([seen, below.native])
    expect(text.length).toBeGreaterThan(100_000)
    for (const form of [/planted/i, /secret/i, /inner/, /key of/, /many /, /part of/])
      expect(text).not.toMatch(form)
    const forms = planted.flatMap((name) =>
      (['hex', 'base64', 'base64url'] as const).map((form) => Buffer.from(name).toString(form).slice(0, 12)),
    )
    for (const form of forms) expect(text).not.toContain(form)
  })

  test('has its resume between pages, which names nothing and continues in another instance', async () => {
    const { store, seen } = watched()
    const users = usersOf(store)
    await users.setMany(Array.from({ length: 20 }, (_, i) => [`planted${i}`, utf8(`${i}`)] as const))
    const found: string[] = []
    for await (const { items, cursor } of users.keys({ pageSize: 6 }).pages()) {
      found.push(...items)
      if (cursor === undefined) continue
      const rest = await listed(usersOf(store).keys({ pageSize: 6, cursor }))
      expect([...found, ...rest].toSorted()).toHaveLength(20)
    }
    expect(found.toSorted()).toEqual(Array.from({ length: 20 }, (_, i) => `planted${i}`).toSorted())
    expect(inspect(seen, { depth: 9, maxArrayLength: null })).not.toContain('planted')
  })

  test('tells its own hash to nobody above: errors name the key that was asked for', async () => {
    const store = memory()
    const users = usersOf(store)
    await users.set('ada', utf8('1'))
    await moveTo(store, naming.stored('ada'), naming.stored('bob'))
    const failure: unknown = await users.get('bob').catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'AUTHENTICATION_FAILED', key: 'bob' })
    expect(inspect(failure, { showHidden: true })).not.toContain(naming.stored('bob'))
  })
})

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
    const { Sealer } = await import('../../src/sealer.ts')
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

describe('namespaces of any depth', () => {
  test('are listed and cleared exactly, also below the fourth', async () => {
    const users = usersOf(memory())
    const deep = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    let space: ReturnType<typeof users.namespace> = users
    const spaces = [users as typeof space]
    for (const name of deep) {
      space = space.namespace(name)
      spaces.push(space)
    }
    for (const [i, one] of spaces.entries())
      await one.setMany([
        [`of ${i}`, utf8('1')],
        ['shared', utf8(`${i}`)],
      ])
    const sibling = (spaces[4] as typeof space).namespace('e2')
    await sibling.set('shared', utf8('sibling'))
    for (const [i, one] of spaces.entries())
      expect((await listed(one.keys())).toSorted()).toEqual([`of ${i}`, 'shared'])
    expect(await listed((spaces[6] as typeof space).keys({ prefix: 'of' }))).toEqual(['of 6'])
    await (spaces[5] as typeof space).clear({ all: true })
    for (const [i, one] of spaces.entries()) expect(await one.count()).toBe(i < 5 ? 2 : 0)
    expect(await sibling.get('shared')).toEqual(Buffer.from('sibling'))
    await (spaces[1] as typeof space).clear({ all: true })
    expect(await sibling.count()).toBe(0)
    expect(await users.count()).toBe(2)
  })

  test('hold keys of 1,024 bytes whatever the store takes, and one byte more is KEY_TOO_LONG', async () => {
    const store = memory()
    const narrow = { ...store, capabilities: { ...store.capabilities, maxKeyBytes: 180 } }
    const users = usersOf(narrow)
    const longest = 'k'.repeat(1024 - 9)
    const space = users.namespace('seven77')
    await space.set(longest, utf8('1'))
    expect(await listed(space.keys())).toEqual([longest])
    await expect(space.set(`${longest}k`, utf8('1'))).rejects.toMatchObject({ code: 'KEY_TOO_LONG' })
    for (const key of store.native.keys()) expect(Buffer.byteLength(key)).toBeLessThanOrEqual(180)
  })
})

describe('stacks that do not agree about names', () => {
  test('with another name key get INVALID_CONFIG from every verb instead of a miss', async () => {
    const store = memory()
    await usersOf(store).set('ada', utf8('1'))
    const other = usersOf(store, { by: otherNames })
    for (const call of [
      () => other.get('ada'),
      () => other.has('ada'),
      () => other.getMany(['ada', 'bob']),
      () => other.set('ada', utf8('2')),
      () => other.delete('ada'),
      () => listed(other.keys()),
      () => other.clear({ all: true }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    expect(store.native.size).toBe(2)
  })

  test('without names: a dataset of theirs is refused, for reading and for writing', async () => {
    const store = memory()
    await keyValue(store, [encryption({ dataset: 'users', keys })]).set('ada', utf8('1'))
    const users = usersOf(store)
    for (const call of [
      () => users.get('ada'),
      () => users.set('bob', utf8('2')),
      () => listed(users.keys()),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    expect(store.native.size).toBe(1)
  })

  test('without names: they refuse the records of hashed names, and hashed names theirs', async () => {
    const store = memory()
    const users = usersOf(store)
    await users.set('ada', utf8('1'))
    const plain = keyValue(store, [encryption({ dataset: 'users', keys })])
    await expect(plain.get(naming.stored('ada'))).rejects.toMatchObject({ code: 'CORRUPT' })
    await plain.set('ada', utf8('plain'))
    await plain.set(naming.stored('bob'), utf8('plain'))
    expect(await users.get('ada')).toEqual(Buffer.from('1'))
    await expect(users.get('bob')).rejects.toMatchObject({ code: 'CORRUPT' })
    await expect(listed(users.keys())).rejects.toMatchObject({ code: 'CORRUPT' })
  })

  test('two that make the marker at once under two name keys: one is refused', async () => {
    const store = memory()
    const both = await Promise.allSettled([
      usersOf(store).set('ada', utf8('1')),
      usersOf(store, { by: otherNames }).set('ada', utf8('2')),
    ])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'INVALID_CONFIG' },
    })
  })

  test('a marker that was lost is made again, and one that is damaged is an error', async () => {
    const store = memory()
    await usersOf(store).set('ada', utf8('1'))
    await erase(store, marker)
    const users = usersOf(store)
    expect(await users.get('ada')).toEqual(Buffer.from('1'))
    expect(store.native.has(marker)).toBe(false)
    await users.set('bob', utf8('2'))
    expect(store.native.has(marker)).toBe(true)
    await erase(store, marker)
    await expect(usersOf(store, { by: otherNames }).get('ada')).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    })
    await store.write(
      [{ type: 'set', key: marker, value: utf8('unikv/names/1'), version: newVersion() }],
      callOptions(),
    )
    await expect(usersOf(store).get('ada')).rejects.toMatchObject({ code: 'CORRUPT' })
  })

  test('what can only be plain text is refused when the layer is made', () => {
    const options = { dataset: 'users', keys, names, requireEncryption: false }
    expect(() => encryption(options)).toThrow(/requireEncryption/)
    expect(() => encryption({ dataset: 'users', keys, names: root1 as never })).toThrow(/nameKey/)
  })
})

describe('the marker', () => {
  test('is read along with the first keys and not again, and made by the first write', async () => {
    const { store, seen } = watched()
    const users = usersOf(store)
    await users.set('ada', utf8('1'))
    const reads = () =>
      seen.filter((what) => Array.isArray(what) && what.some((one) => one?.key === marker)).length
    const once = reads()
    await users.get('ada')
    await users.set('bob', utf8('1'))
    await listed(users.keys())
    expect(reads()).toBe(once)
    const second = usersOf(store)
    const calls = seen.length
    await second.get('ada')
    await second.get('bob')
    // Two reads, each with its answer: the marker took no call of its own.
    expect(seen.length - calls).toBe(4)
  })

  test('is no record that anybody sees', async () => {
    const store = memory()
    const users = usersOf(store)
    await users.set('ada', utf8('1'))
    await users.delete('ada')
    expect([...store.native.keys()]).toEqual([marker])
    expect(await users.count()).toBe(0)
    const pages = []
    for await (const page of stackOf(store).scan({ prefix: '', pageSize: 10, values: true }, callOptions()))
      pages.push(...page.entries)
    expect(pages).toEqual([])
  })
})
