import { type Capabilities, json, keyValue, passThrough, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { structured } from '@unikv/core/structured'
import { describe, expect, expectTypeOf, test } from 'vitest'

describe('finding where the store cannot', () => {
  test('it is refused by types and at run time unless the caller says scan: true', async () => {
    const kv = keyValue(memory(), [json<{ readonly n: number }>()])
    await kv.setMany([
      ['a', { n: 2 }],
      ['b', { n: 1 }],
    ])
    // @ts-expect-error -- this store needs scan: true
    const refused = kv.find({ where: { n: 1 } })
    await expect(refused).rejects.toMatchObject({ code: 'UNSUPPORTED', operation: 'find', store: 'memory' })
    const { items } = await kv.find({ orderBy: ['n'], scan: true })
    expectTypeOf(items).toExtend<readonly (readonly [string, { readonly value: { readonly n: number } }])[]>()
    expect(items.map(([key]) => key)).toEqual(['b', 'a'])
    expect(await kv.aggregate({ of: 'n', scan: true })).toEqual({ count: 2, sum: 3, min: 1, max: 2 })
  })

  test('what JSON does not know is placed: dates as their text, everything else with objects', async () => {
    const kv = keyValue(memory(), [structured<unknown>()])
    const at = new Date('2026-12-01T00:00:00Z')
    await kv.setMany([
      ['a', { v: at }],
      ['b', { v: Number.NaN }],
      ['c', { v: 10n }],
      ['d', { v: -0 }],
    ])
    const { items } = await kv.find({ where: { v: { exists: true } }, orderBy: ['v'], scan: true })
    expect(items.map(([key]) => key)).toEqual(['d', 'a', 'b', 'c'])
    expect((await kv.find({ where: { v: { gte: '2026-12' } }, scan: true })).items).toHaveLength(1)
    expect((await kv.find({ where: { v: 0 }, scan: true })).items).toHaveLength(1)
  })

  test('a layer that does not know of it takes it away, and says so', async () => {
    const capabilities: Capabilities & { readonly find: true } = { ...memory().capabilities, find: true }
    const found = { entries: [{ key: 'a', entry: { value: 1, version: undefined, expiresAt: undefined } }] }
    const store: Store<unknown, typeof capabilities> = {
      ...memory(),
      capabilities,
      find: () => found,
    } as never
    expect((await keyValue(store).find({})).items).toHaveLength(1)
    const passing = passThrough('passing', { passesFind: true, wrap: () => ({}) })
    expect((await keyValue(store, [passing]).find({})).items).toHaveLength(1)
    const kv = keyValue(store, [passThrough('mine', { wrap: () => ({}) })])
    await expect(kv.find({})).rejects.toThrow(/declares find, but mine above it removes it/)
  })

  test.each([
    [{ where: [] }, /`where` must be an object/],
    [{ where: { a: { like: 'b' } } }, /Unknown comparison `like`/],
    [{ where: { a: { gt: null } } }, /must be a string, a number or a boolean/],
    [{ where: { a: Number.NaN } }, /finite number.*got NaN/],
    [{ where: { a: '\ud800' } }, /lone surrogate/],
    [{ where: { a: { in: 'b' } } }, /`in` must be a list/],
    [{ where: { a: { contains: 1 } } }, /`contains` must be a string, got a number/],
    [{ where: { a: { contains: '\ude00' } } }, /lone surrogate/],
    [{ where: { a: { contain: 'b' } } }, /Did you mean `contains`/],
    [{ where: { 'a..b': 1 } }, /A path is/],
    [{ where: { a: { in: Array.from({ length: 1001 }, (_, n) => n) } } }, /more than 1000 conditions/],
    [{ where: { or: Array.from({ length: 1001 }, () => ({ a: { exists: true } })) } }, /more than 1000/],
    [{ where: { and: Array.from({ length: 1001 }, () => ({})) } }, /more than 1000/],
    [{ where: { or: Array.from({ length: 201 }, (_, n) => ({ [`a${n}`]: 1 })) } }, /more than 200 fields/],
    // oxlint-disable-next-line no-sparse-arrays -- a hole is what is tried
    [{ where: { a: { in: [1, , 2] } } }, /got undefined/],
    [{ where: { or: [undefined, { a: 1 }] } }, /must be an object of conditions, got undefined/],
    [{ orderBy: Array.from({ length: 1 }) }, /takes paths/],
    // A place whose rank is an object.
    [{ after: Buffer.from('[2,"",[],[[{}]]]').toString('base64url') }, /belongs to another store/],
    [{ orderBy: 'a' }, /`orderBy` must be a list/],
    [{ orderBy: [{ asc: 'a' }] }, /takes paths and \{ desc: path \}/],
    [{ limit: 10_001 }, /from 1 to 10,000, got 10001/],
    [{ after: 'x' }, /belongs to another store/],
    [{ sort: ['a'] }, /Did you mean `orderBy`/],
    [{ scan: 1 }, /`scan` must be true or false/],
  ])('a wrong query is refused: %j', async (query, message) => {
    const kv = keyValue(memory(), [json()])
    await expect(kv.find({ scan: true, ...query } as never)).rejects.toThrow(message)
    await expect(kv.find({ scan: true, ...query } as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })
})
