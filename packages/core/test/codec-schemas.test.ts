import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { structured } from '../src/codecs/structured.ts'
import { isStoreError, json, keyValue, type Schema, type StoreError } from '../src/index.ts'
import { memory } from '../src/memory/memory.ts'

// What the messages about schemas say: the place, the trouble and the remedy, and never data.

const parseFirst = /Parse the value with the schema first and store the result/
const opened = (schema: Schema) => keyValue(memory(), [json(schema)])

async function refusal(schema: Schema, value: unknown): Promise<StoreError> {
  const error: unknown = await opened(schema)
    .set('k', value)
    .then(
      () => undefined,
      (reason: unknown) => reason,
    )
  if (!isStoreError(error)) throw new Error('the value was not refused')
  expect(error.code).toBe('INVALID_VALUE')
  return error
}

test.each([
  ['a default left out', z.object({ role: z.string().default('user') }), {}, 'at role: it adds a property'],
  ['a trim', z.object({ name: z.string().trim() }), { name: ' a ' }, 'at name: it returns another value'],
  [
    'an unknown property',
    z.object({ a: z.number() }),
    { a: 1, b: 2 },
    'at <property 2>: it drops a property',
  ],
  [
    'a deep trim',
    z.object({ list: z.array(z.object({ name: z.string().trim() })) }),
    { list: [{ name: 'a ' }] },
    'at list[0].name',
  ],
  [
    'a lost __proto__',
    z.object({ a: z.number() }),
    JSON.parse('{"a":1,"__proto__":{}}'),
    'at <property 2>: it drops',
  ],
])('%s: the place, and to parse first', async (_what, schema, value, place) => {
  const error = await refusal(schema, value)
  expect(error.message).toContain(place)
  expect(error.message).toMatch(parseFirst)
  expect(error.message).not.toContain('structured')
  const users = opened(schema)
  await users.set('k', schema.parse(value))
  expect(await users.get('k')).toEqual(schema.parse(value))
})

test.each([
  [
    'z.date()',
    z.object({ born: z.date() }),
    { born: new Date(0) },
    /at born .*JSON changed a Date there.*z\.coerce\.date\(\)/,
  ],
  [
    'a Date that stays text',
    z.object({ born: z.any() }),
    { born: new Date(0) },
    /at born: JSON changed a Date\..*structured\(schema\)/,
  ],
  [
    'z.map()',
    z.object({ m: z.map(z.string(), z.number()) }),
    { m: new Map() },
    /at m .*JSON changed a Map there.*structured\(schema\)/,
  ],
  [
    'z.coerce.bigint()',
    z.object({ n: z.coerce.bigint() }),
    { n: 5n },
    /JSON would change a bigint at .*Use structured\(\)/,
  ],
  [
    'a transform for good',
    z.object({ n: z.number().transform((n) => n * 2) }),
    { n: 5 },
    /at n: .*would also change its own output/,
  ],
])('%s: what JSON or the schema does, and another way', async (_what, schema, value, message) => {
  const error = await refusal(schema, value)
  expect(error.message).toMatch(message)
  expect(error.message).not.toMatch(parseFirst)
})

test('names of properties that are data are not shown, those of the schema are', async () => {
  const byId = z.record(z.string(), z.object({ name: z.string().trim() }))
  const changed = await refusal(byId, { 'ada@example.org': { name: ' a' } })
  expect(changed.message).toContain('at <property 1>.name:')
  const unfit = await refusal(byId, { alice_secret_id: { name: 5 } })
  expect(unfit.message).toContain('at <property 1>.name (')
  expect(unfit.message).toContain('error.path has the names.')
  expect(unfit.path).toEqual(['alice_secret_id', 'name'])
})

test('the reasons of a schema are in issues, and in the text only what cannot be data', async () => {
  const told = await refusal(z.object({ name: z.string().min(3), mail: z.email() }), {
    name: 'x1',
    mail: 'x1',
  })
  expect(told.message).toBe(
    'The value does not fit the schema at name (2 in all): expected at least 3 characters.',
  )
  expect(told.issues).toEqual([
    { message: expect.stringContaining('Too small'), path: ['name'] },
    { message: expect.stringContaining('email'), path: ['mail'] },
  ])
  const chatty = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value: unknown) => ({
        issues: [{ message: `no ${String(value)}`, expected: `not ${String(value)}`, path: [{ key: 'k' }] }],
      }),
    },
  } as const
  const quoting = await refusal(chatty, 'secret')
  expect(inspect(quoting)).not.toContain('no secret')
  expect(quoting.message).not.toContain('secret')
  expect(quoting.issues).toEqual([{ message: 'no secret', path: ['k'] }])
})

test('structured takes a schema, as json does', async () => {
  const Event = z.object({ at: z.date(), tags: z.set(z.string()), seats: z.map(z.string(), z.bigint()) })
  const store = memory()
  const events = keyValue(store, [structured(Event)])
  const event = { at: new Date(7), tags: new Set(['a']), seats: new Map([['row', 5n]]) }
  await events.set('k', event)
  expect(await events.get('k')).toEqual(event)
  await expect(events.set('k', { ...event, extra: 1 } as never)).rejects.toThrow(parseFirst)
  await expect(events.set('k', { ...event, at: 5 } as never)).rejects.toThrow(
    /does not fit the schema at at /,
  )
  await keyValue(store, [structured()]).set('k', { at: 1 })
  await expect(events.get('k')).rejects.toMatchObject({ code: 'CORRUPT' })
})

test('structured with a schema keeps cycles, bytes and numbers as it does without', async () => {
  const anything = z.any()
  const values = keyValue(memory(), [structured(anything)])
  const loop: Record<string, unknown> = { n: -0, nan: Number.NaN, bytes: Buffer.from('a') }
  loop['self'] = loop
  await values.set('k', loop)
  const back = (await values.get('k')) as typeof loop
  expect(back['self']).toBe(back)
  expect(Object.is(back['n'], -0)).toBe(true)
})

test('with an asynchronous schema, the value is what it was when set was called', async () => {
  const Later = z.object({
    a: z.number().refine(async () => Promise.resolve(true)),
    at: z.coerce.date(),
    list: z.array(z.number()),
  })
  const kv = opened(Later)
  const value = { a: 1, at: new Date(7), list: [1] }
  const stored = kv.set('k', value)
  value.a = 2
  value.at.setTime(8)
  value.list.push(2)
  await stored
  expect(await kv.get('k')).toEqual({ a: 1, at: new Date(7), list: [1] })
})

test.each([json, structured])('-0 is refused where it would come back as 0', async (codecOf) => {
  const schema = z.number().transform((n) => n + 0)
  const kv = keyValue(memory(), [codecOf(schema)])
  await expect(kv.set('k', -0)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
  await kv.set('k', 0)
  expect(await kv.get('k')).toBe(0)
})
