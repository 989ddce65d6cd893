import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { RecordGroups } from '../src/groups/record-groups.ts'
import { entities, entity, type GroupKeyValue, plain } from '../src/index.ts'

const schema = plain<{ user: string; no: number; tag: string }>()
const common = { schema, id: ['user', 'no'], group: ['user'], generated: 'no' } as const
const counted = {
  inside: entity('Note', common),
  outside: entity('Note', { ...common, indexes: ['tag'] }),
}

test.each([
  ['inside', 'outside'],
  ['outside', 'inside'],
] as const)(
  'a counter that moves from %s to %s of the group passes by numbers that are taken',
  async (a, b) => {
    const store = memory()
    const [before, after] = [counted[a], counted[b]]
    const old = entities(keyValue(store), [before])
    const note = { user: 'u', tag: 't' }
    for (const no of [1, 2, 3]) expect(await old.create(before, note)).toEqual({ ...note, no })
    await old.delete(before, { user: 'u', no: 2 })
    const db = entities(keyValue(store), [after])
    const made = await db.run(after.group(note), (tx) =>
      Promise.all([tx.create(after, note), tx.create(after, note)]),
    )
    expect(made.map(({ no }) => no)).toEqual([2, 4])
    expect(await db.get(after, { user: 'u', no: 3 })).toEqual({ ...note, no: 3 })
  },
)

const Order = entity('Order', {
  schema: plain<{ no: number; tag: string }>(),
  id: ['no'],
  generated: 'no',
})
const types = { ...counted, 'the name of': Order }

/** Put this into every counter. */
async function setCounters(kv: GroupKeyValue, text: string): Promise<void> {
  const groups = new RecordGroups(kv)
  const call = { deadlineAt: performance.now() + 30_000 }
  for await (const names of groups.names('', call))
    for (const group of names)
      for (const { key } of await groups.list(group, { prefix: 'n', limit: 9 }, call)) {
        const tx = await groups.begin(group, call)
        await tx.commit([{ key, value: Buffer.from(text) }])
      }
}

describe.each(Object.keys(types) as (keyof typeof types)[])('a counter %s the group', (place) => {
  const type = types[place]
  const opened = async () => {
    const kv = keyValue(memory())
    const db = entities(kv, [type])
    const create = () => db.create(type as typeof counted.inside, { user: 'u', tag: 't' })
    await create()
    return { kv, db, create }
  }

  test('ends at the last safe integer, and names the type and the property', async () => {
    const { kv, create } = await opened()
    await setCounters(kv, String(Number.MAX_SAFE_INTEGER - 1))
    expect(await create()).toMatchObject({ no: Number.MAX_SAFE_INTEGER })
    for (const _ of [1, 2])
      await expect(create()).rejects.toMatchObject({
        code: 'INVALID_VALUE',
        message: `${type.name} has no number left for \`no\`: the largest safe integer was given already. Nothing was created.`,
      })
  })

  test.each(['', 'x', '1.5', '-3', '1e3', '99999999999999999999'])('is corrupt with %j', async (text) => {
    const { kv, create } = await opened()
    await setCounters(kv, text)
    await expect(create()).rejects.toMatchObject({
      code: 'CORRUPT',
      message: expect.stringContaining(`\`no\` of ${type.name}`),
    })
  })
})

test('numbers of entities that were created when the type gave none are passed by', async () => {
  const store = memory()
  const Given = entity('Order', { schema: plain<{ no: number; tag: string }>(), id: ['no'] })
  const before = entities(keyValue(store), [Given])
  for (const no of [1, 2, 4]) await before.create(Given, { no, tag: 'given' })
  const db = entities(keyValue(store), [Order])
  const made = [await db.create(Order, { tag: 'a' }), await db.create(Order, { tag: 'b' })]
  expect(made.map(({ no }) => no)).toEqual([3, 5])
  expect(await db.get(Order, { no: 4 })).toMatchObject({ tag: 'given' })
})

test('a database is not emptied or swept inside of a transaction', async () => {
  const Note = counted.inside
  const db = entities(keyValue(memory()), [Note])
  const calls: readonly (() => Promise<unknown>)[] = [() => db.clear(), () => db.sweep()]
  for (const call of calls)
    await expect(db.run(Note.group({ user: 'u' }), call)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('was called inside the function of run(). Call it before or after.'),
    })
})
