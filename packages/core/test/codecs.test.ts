import { constants } from 'node:buffer'
import { inspect, isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { structured } from '../src/codecs/structured.ts'
import {
  bytes,
  codec,
  isStoreError,
  json,
  keyValue,
  passThrough,
  type StoreError,
  text,
} from '../src/index.ts'
import { memory } from '../src/memory/memory.ts'

class Point {
  x = 1
}
const cyclic: Record<string, unknown> = { name: 'loop' }
cyclic['self'] = cyclic
const holey: unknown[] = [1]
holey[2] = 3

test('json brings back exactly what it took', async () => {
  const kv = keyValue(memory(), [json()])
  const value = fc.jsonValue({ noUnicodeString: false }).filter((one) => !/-0/.test(fc.stringify(one)))
  await fc.assert(
    fc.asyncProperty(value, async (one) => {
      await kv.set('k', one)
      expect(isDeepStrictEqual(await kv.get('k'), one)).toBe(true)
    }),
    { numRuns: 200 },
  )
})

test.each([
  ['-0', -0],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['a bigint', 1n],
  ['a Date', new Date(0)],
  ['a Map', new Map()],
  ['a Set', new Set()],
  ['a function', () => 1],
  ['a symbol', Symbol('s')],
  ['a class instance', new Point()],
  ['undefined inside an array', [undefined]],
  ['a hole in an array', holey],
  ['a cycle', cyclic],
  ['a Uint8Array', new Uint8Array(1)],
])('json refuses %s, wherever it stands', async (what, value) => {
  const kv = keyValue(memory(), [json()])
  for (const nested of [value, { deep: [{ value }] }]) {
    await expect(kv.set('k', nested as never)).rejects.toMatchObject({
      code: 'INVALID_VALUE',
      message: expect.stringContaining(what),
    })
  }
  expect(await kv.has('k')).toBe(false)
})

test('an error names the place by position, and its path by name for programs only', async () => {
  for (const [layer, bad] of [
    [json(), Number.NaN],
    [structured(), new Point()],
  ] as const) {
    const kv = keyValue(memory(), [layer as ReturnType<typeof json>])
    const error = await refusal(kv.set('k', { ok: 1, alice_secret_id: [0, { deep: bad as number }] }))
    expect(error.message).toContain('at <property 2>[1].<property 1>.')
    expect(inspect(error)).not.toMatch(/alice|deep/)
    expect(error.path).toEqual(['alice_secret_id', 1, 'deep'])
  }
})

class Names extends Array<string> {}

test.each([
  ['a subclass of Array', Names.from(['a'])],
  ['a toJSON method', Object.assign([1, 2], { toJSON: () => 'replaced' })],
  ['a toJSON method', Object.defineProperty({ a: 1 }, 'toJSON', { value: () => 'replaced' })],
])('json refuses %s, which it would not bring back', async (what, value) => {
  const kv = keyValue(memory(), [json()])
  for (const nested of [value, { deep: [{ value }] }])
    expect((await refusal(kv.set('k', nested as never))).message).toContain(what)
})

test.each([
  ['an Array subclass', Names.from(['a'])],
  ['a Date with properties', Object.assign(new Date(0), { zone: 'UTC' })],
  ['a Map with properties', Object.assign(new Map(), { size2: 1 })],
  ['a Set with properties', Object.assign(new Set(), { extra: 1 })],
])('structured refuses %s instead of dropping what it cannot keep', async (_what, value) => {
  const kv = keyValue(memory(), [structured()])
  for (const nested of [value, new Map([['x', [value]]])])
    expect(await refusal(kv.set('k', nested as never))).toMatchObject({ code: 'INVALID_VALUE' })
  expect(await kv.has('k')).toBe(false)
})

test('a named type may be an interface', async () => {
  interface User {
    readonly name: string
  }
  const ada: User = { name: 'Ada' }
  for (const layer of [json<User>(), structured<User>()]) {
    const users = keyValue(memory(), [layer])
    await users.set('ada', ada)
    expect((await users.get('ada'))?.name).toBe('Ada')
  }
})

async function refusal(call: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!isStoreError(error)) throw new Error('the call was not refused')
  return error
}

test('undefined properties count as absent, undefined itself is refused', async () => {
  const kv = keyValue(memory(), [json()])
  await kv.set('k', { a: undefined, b: null })
  expect(Object.keys((await kv.get('k')) as object)).toEqual(['b'])
  await expect(kv.set('k', undefined as never)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
  await kv.set('null', null)
  expect(await kv.get('null')).toBeNull()
})

test('own __proto__ keys are data in json and structured, and no prototype changes', async () => {
  const hostile = JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}}}') as never
  for (const layer of [json(), structured()]) {
    const kv = keyValue(memory(), [layer as ReturnType<typeof json>])
    await kv.set('k', hostile)
    const back = (await kv.get('k')) as { admin?: boolean }
    expect(Object.hasOwn(back, '__proto__')).toBe(true)
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype)
    expect(back.admin).toBeUndefined()
  }
  expect(({} as { admin?: boolean }).admin).toBeUndefined()
})

test('20,000 levels deep is refused by json and held by structured', async () => {
  let deep: unknown = 1
  for (let i = 0; i < 20_000; i++) deep = [deep]
  await expect(keyValue(memory(), [json()]).set('k', deep as never)).rejects.toMatchObject({
    code: 'INVALID_VALUE',
  })
  const kv = keyValue(memory(), [structured()])
  await kv.set('k', deep as never)
  let back: unknown = await kv.get('k')
  for (let i = 0; i < 20_000; i++) back = (back as unknown[])[0]
  expect(back).toBe(1)
})

test('structured brings back type and all, shared and cyclic references included', async () => {
  const kv = keyValue(memory(), [structured()])
  const shared = { n: 1 }
  const values: unknown[] = [
    undefined,
    -0,
    0,
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    123_456_789_012_345_678_901n,
    new Date(5),
    new Date(Number.NaN),
    new Map<unknown, unknown>([[{ k: 1 }, new Set([1, 'a'])]]),
    new Uint8Array([0, 255]),
    [1, undefined, -0, 0],
    { a: undefined, b: [shared, shared] },
    'text \ud800',
  ]
  for (const value of values) {
    await kv.set('k', { value } as never)
    expect(await kv.get('k')).toStrictEqual({ value })
  }
  const back = await (await kv.set('k', { a: shared, b: shared }), kv.get('k'))
  const { a, b } = back as unknown as { a: object; b: object }
  expect(a).toBe(b)
  await kv.set('k', cyclic as never)
  const loop = (await kv.get('k')) as unknown as { self: unknown }
  expect(loop.self).toBe(loop)
  await kv.set('k', holey as never)
  expect(1 in ((await kv.get('k')) as unknown as unknown[])).toBe(false)
  await expect(kv.set('k', new Point() as never)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
})

test('structured refuses damaged dates and bytes instead of guessing', async () => {
  const store = memory()
  const kv = keyValue(store, [structured()])
  const damaged = [
    '["d","x"]',
    '["d",1.5]',
    '["d",1e99]',
    '["y","QQ"]',
    '["y","!!!!"]',
    '["y",5]',
    '["y","QR=="]',
  ]
  for (const node of damaged) {
    await keyValue(store).set('k', Buffer.from(`[1,${node}]`))
    await expect(kv.get('k')).rejects.toMatchObject({ code: 'CORRUPT' })
  }
})

test('a schema is checked both ways, and may bring back what JSON writes as text', async () => {
  const store = memory()
  const Event = z.object({ at: z.coerce.date(), name: z.string().min(2) })
  const kv = keyValue(store, [json(Event)])
  await kv.set('k', { at: new Date(7), name: 'launch' })
  expect(await kv.get('k')).toEqual({ at: new Date(7), name: 'launch' })
  await expect(kv.set('k', { at: new Date(7), name: 'x' })).rejects.toMatchObject({
    code: 'INVALID_VALUE',
    message: expect.stringContaining('at name'),
  })
  await keyValue(store, [json()]).set('k', { at: 'never', name: 'launch' })
  await expect(kv.get('k')).rejects.toMatchObject({ code: 'CORRUPT' })
})

test('a schema that transforms for good is refused at set, not at get', async () => {
  const kv = keyValue(memory(), [json(z.string().transform(Number))])
  await expect(kv.set('k', 5)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
  const doubling = keyValue(memory(), [json(z.number().transform((n) => n * 2))])
  await expect(doubling.set('k', 5)).rejects.toThrow(/would change it/)
})

test('an asynchronous schema works, asynchronously', async () => {
  const kv = keyValue(memory(), [json(z.string().refine(async (value) => value !== 'no'))])
  await kv.set('k', 'yes')
  expect(await kv.get('k')).toBe('yes')
  await expect(kv.set('k', 'no')).rejects.toMatchObject({ code: 'INVALID_VALUE' })
})

test('one bad value of a batch does not hide what became of the others', async () => {
  const kv = keyValue(memory(), [json()])
  const written = kv.setMany([
    ['a', 1],
    ['b', Number.NaN],
  ])
  await expect(written).rejects.toMatchObject({
    code: 'PARTIAL',
    results: [{ code: 'INVALID_VALUE' }, { code: 'INVALID_VALUE' }],
  })
  expect(await kv.count()).toBe(0)
  await keyValue(memory(), [bytes()]).set('k', new Uint8Array(1))
  await expect(keyValue(memory(), [bytes()]).set('k', 'text' as never)).rejects.toMatchObject({
    code: 'INVALID_VALUE',
  })
})

test('getMany with one corrupt record is PARTIAL, with all results attached', async () => {
  const store = memory()
  const kv = keyValue(store, [json()])
  await kv.set('a', 1)
  await keyValue(store).set('b', Buffer.from('{'))
  const error: unknown = await kv.getMany(['a', 'b', 'c']).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ code: 'PARTIAL' })
  const { results } = error as { results: unknown[] }
  expect(results[0]).toMatchObject({ value: 1 })
  expect(results[1]).toMatchObject({ code: 'CORRUPT', key: 'b' })
  expect(results[2]).toBeUndefined()
  expect(JSON.stringify(error)).not.toContain('results')
})

test('a codec of your own that throws anything gives a typed error without the value', async () => {
  const failing = codec<string>({
    name: 'failing',
    encode: (value) => {
      throw new Error(`secret ${value}`)
    },
    decode: () => {
      throw new Error('secret')
    },
  })
  const error = (await keyValue(memory(), [failing])
    .set('k', 'hunter2')
    .catch((caught: unknown) => caught)) as Error
  expect(error).toMatchObject({ code: 'INVALID_VALUE', operation: 'set' })
  expect(error.message).not.toContain('hunter2')
})

test.each([
  ['encrypted', '9e756b7601'],
  ['compressed', 'c10000000001'],
  ['written as deltas', 'f90101'],
])('a codec over what looks %s names the layer that is missing', async (looks, hex) => {
  const store = memory()
  await keyValue(store, [bytes()]).set('k', Buffer.from(hex, 'hex'))
  for (const own of [json(), text(), structured()])
    await expect(keyValue(store, [own as ReturnType<typeof json>]).get('k')).rejects.toMatchObject({
      code: 'CORRUPT',
      message: expect.stringContaining(`looks ${looks} by unikv: add the layer `),
    })
})

test('a sound value that no string can hold is VALUE_TOO_LARGE in both directions', async () => {
  // Zeros that nobody wrote take no memory.
  const stored = Buffer.alloc(constants.MAX_STRING_LENGTH + 1)
  const large = passThrough('large', {
    wrap: () => ({
      read: async (reads) =>
        reads.map(() => ({ value: stored, version: '0'.repeat(24), expiresAt: undefined })),
    }),
  })
  await expect(keyValue(memory(), [json(), large]).get('k')).rejects.toMatchObject({
    code: 'VALUE_TOO_LARGE',
    message: expect.stringMatching(/has 536870889 bytes.* 536870888 characters/),
  })
  const own = codec<string>({
    name: 'doubling',
    encode: () => Buffer.from('a'.repeat(2 ** 29)),
    decode: String,
  })
  await expect(keyValue(memory(), [own]).set('k', 'v')).rejects.toMatchObject({
    code: 'VALUE_TOO_LARGE',
    message: expect.stringContaining('536870888'),
  })
})

test('structured gives bytes back as Buffer if it is told to, each with memory of its own', async () => {
  const kv = keyValue(memory(), [structured<{ readonly bytes: Uint8Array }>({ bytes: 'buffer' })])
  await kv.set('key', { bytes: new Uint8Array([1, 2]) })
  const read = await kv.get('key')
  expect(Buffer.isBuffer(read?.bytes)).toBe(true)
  expect(read?.bytes.toString()).toBe('\u0001\u0002')
  expect(read?.bytes.buffer.byteLength).toBe(2)
  for (const wrong of [{ bytes: 'Buffer' }, { byte: 'buffer' }, 'buffer', null, 1])
    expect(() => structured(wrong as never)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
})

test('json names structured only for what it keeps', async () => {
  const [lossy, kept] = [keyValue(memory(), [json()]), keyValue(memory(), [structured()])]
  const values: readonly unknown[] = [
    new Date(0),
    new Map(),
    new Set(),
    new Uint8Array(1),
    1n,
    -0,
    Number.NaN,
    [undefined],
    new URL('http://host'),
    () => 1,
    /x/,
    new Error('x'),
    new (class Point {})(),
    { toJSON() {} },
  ]
  for (const value of values) {
    const error: Error = await lossy.set('key', value as never).then(
      () => expect.unreachable(),
      (thrown: Error) => thrown,
    )
    const isKept = await kept.set('key', value as never).then(
      () => true,
      () => false,
    )
    expect(error.message.includes('structured()'), error.message).toBe(isKept)
  }
})
