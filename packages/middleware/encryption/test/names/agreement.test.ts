import { type CallOptions, keyValue, newVersion } from '@unikv/core'
import { callOptions, leftMs } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { encryption } from '../../src/index.ts'
import { keys, root1, utf8 } from '../records.ts'
import { erase, listed, marker, names, naming, otherNames, stackOf, usersOf, watched } from './named.ts'

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

  test('is looked for within the deadline and by the signal of the call', async () => {
    const below = memory()
    const asked: CallOptions[] = []
    const users = usersOf({
      ...below,
      read: (reads, call) => {
        if (reads.some(({ key }) => key === marker)) asked.push(call)
        return below.read(reads, call)
      },
    })
    const { signal } = new AbortController()
    await users.set('ada', utf8('1'), { timeoutMs: 60_000, signal })
    expect(asked.map((call) => leftMs(call) > 0 && leftMs(call) <= 60_000 && call.signal === signal)).toEqual(
      [true],
    )
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
