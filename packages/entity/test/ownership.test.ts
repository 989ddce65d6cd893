import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { type EntityDb, entities, entity, plain } from '../src/index.ts'
import { holding } from './holding-groups.ts'

interface Item {
  user: string
  no: number
  color: string
  shade: string
  more: { text: string; at: readonly number[] }
}

const Item = entity('Item', {
  schema: plain<Item>(),
  id: ['user', 'no'],
  group: ['user'],
  indexes: [['user', 'color'], 'shade'],
})

const user = 'u'
const group = Item.group({ user })
const item = (no: number, text: string): Item => ({
  user,
  no,
  color: 'red',
  shade: 's',
  more: { text, at: [1] },
})

const spoil = (given: Item): void => {
  Object.assign(given, { no: 9, color: 'blue', shade: 'other' })
  Object.assign(given.more, { text: 'spoilt', at: [] })
}

/** Ways in which an entity is handed over. `handed` is called once it was. */
type Hand = (db: EntityDb, given: Item, handed: <T>(done: T) => T) => Promise<unknown>
const calls: Readonly<Record<string, Hand>> = {
  'create()': (db, given, handed) => handed(db.create(Item, given)),
  'tx.create()': (db, given, handed) => db.run(group, (tx) => handed(tx.create(Item, given))),
  'update()': (db, given, handed) => handed(db.update(Item, given)),
  'tx.update()': (db, given, handed) => db.run(group, (tx) => handed(tx.update(Item, given))),
}

const kinds: Readonly<Record<string, () => EntityDb>> = {
  records: () => entities(keyValue(memory()), [Item]),
  native: () => entities(holding().kv, [Item], { transactions: 'native' }),
}

/** Moments of the call in which its caller goes on. */
const moments: Readonly<Record<string, (act: () => void) => unknown>> = {
  'at once': (act) => act(),
  'in the next microtask': queueMicrotask,
  'in the next tick': (act) => process.nextTick(act),
  'in the next turn': setImmediate,
}

const cases = Object.keys(kinds).flatMap((kind) =>
  Object.keys(calls).flatMap((call) => Object.keys(moments).map((moment) => [call, kind, moment] as const)),
)

test.each(cases)(
  'what was given to %s of %s is stored as it was, though it changes %s',
  async (call, kind, moment) => {
    const db = (kinds[kind] as () => EntityDb)()
    if (call.includes('update')) await db.create(Item, item(1, 'before'))
    const given = item(1, 'given')
    const handed = <T>(done: T): T => {
      moments[moment]?.(() => spoil(given))
      return done
    }
    await calls[call]?.(db, given, handed)
    expect(await db.get(Item, { user, no: 1 })).toEqual(item(1, 'given'))
    expect(await db.byIndex(Item, ['user', 'color'], [user, 'red'])).toEqual([item(1, 'given')])
    expect(await db.byIndex(Item, ['user', 'color'], [user, 'blue'])).toEqual([])
    expect(await db.byIndex(Item, 'shade', 's')).toEqual([item(1, 'given')])
    expect(await db.sweep({ olderThanMs: 0 })).toMatchObject({ entries: 1, dangling: 0 })
  },
)

test('ids, keys and groups are those of the call, too', async () => {
  const db = entities(keyValue(memory()), [Item])
  for (const no of [1, 2]) await db.create(Item, item(no, 'x'))
  const id = { user, no: 1 }
  const deleted = db.delete(Item, id)
  id.no = 2
  expect(await deleted).toBe(true)
  const key: [string, string] = [user, 'red']
  const found = db.byIndex(Item, ['user', 'color'], key)
  key[1] = 'blue'
  expect(await found).toEqual([item(2, 'x')])
  expect(() => Object.assign(group, { root: 'Other' })).toThrow(TypeError)
})

test('what the caller gets is not what it gave', async () => {
  const db = entities(keyValue(memory()), [Item])
  const given = item(1, 'given')
  const made = await db.create(Item, given)
  spoil(given)
  expect(made).toEqual(item(1, 'given'))
})
