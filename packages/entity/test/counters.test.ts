import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { entities, entity, plain } from '../src/index.ts'

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
