import { keyValue, type Schema } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type EntityDb, entities, entity, plain } from '../src/index.ts'

interface PostData {
  user: string
  no: number
  tag: string
}

const defined = <const X extends readonly ('tag' | readonly ['user', 'tag'])[]>(indexes: X) =>
  entity('Post', { schema: plain<PostData>(), id: ['user', 'no'], group: ['user'], indexes })

const Indexed = defined(['tag', ['user', 'tag']])
/** The same type at a time when it had no index. */
const Unindexed = defined([])

const refusing: Schema<PostData> = {
  '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'no' }] }) },
}

/** Another time, whose schema takes no entity. */
const Strict = entity('Post', {
  schema: refusing,
  id: ['user', 'no'],
  group: ['user'],
  indexes: ['tag'],
})

const user = 'u'
const post = (no: number, tag: string): PostData => ({ user, no, tag })

/** A database of each definition, over the same records. */
function opened(): { readonly now: EntityDb; readonly unindexed: EntityDb } {
  const store = memory()
  return { now: entities(keyValue(store), [Indexed]), unindexed: entities(keyValue(store), [Unindexed]) }
}

const byTag = (db: EntityDb, tag: string, limit?: number) =>
  Promise.all([
    db.byIndex(Indexed, 'tag', tag, { limit }),
    db.byIndex(Indexed, ['user', 'tag'], [user, tag], { limit }),
    db.run(Indexed.group({ user }), (tx) => tx.byIndex(Indexed, ['user', 'tag'], [user, tag], { limit })),
  ])

describe('after a time in which the type had no index', () => {
  test('an index finds no entity that has another key now, and none that is gone', async () => {
    const { now, unindexed } = opened()
    for (const no of [1, 2, 3]) await now.create(Indexed, post(no, 'old'))
    await unindexed.update(Unindexed, post(1, 'new'))
    await unindexed.delete(Unindexed, { user, no: 2 })
    await now.reindex(Indexed)
    for (const found of await byTag(now, 'old')) expect(found).toEqual([post(3, 'old')])
    for (const found of await byTag(now, 'old', 1)) expect(found).toEqual([post(3, 'old')])
    for (const found of await byTag(now, 'new')) expect(found).toEqual([post(1, 'new')])
  })

  test('an entity that the schema rejects now stops no search for a key that it does not have', async () => {
    const store = memory()
    const [now, unindexed] = [Strict, Unindexed].map((type) => entities(keyValue(store), [type])) as [
      EntityDb,
      EntityDb,
    ]
    await entities(keyValue(store), [Indexed]).create(Indexed, post(1, 'old'))
    await unindexed.update(Unindexed, post(1, 'new'))
    expect(await now.byIndex(Strict, 'tag', 'old')).toEqual([])
    await expect(now.get(Strict, { user, no: 1 })).rejects.toMatchObject({ code: 'CORRUPT' })
  })

  test('a sweep removes the entries of keys that entities have no more', async () => {
    const { now, unindexed } = opened()
    for (const no of [1, 2, 3]) await now.create(Indexed, post(no, 'old'))
    await unindexed.update(Unindexed, post(1, 'new'))
    await unindexed.delete(Unindexed, { user, no: 2 })
    await now.reindex(Indexed)
    await new Promise((resolve) => setTimeout(resolve, 5)) // younger entries stay
    expect(await now.sweep({ olderThanMs: 0 })).toMatchObject({ entries: 4, dangling: 2 })
    expect(await now.sweep({ olderThanMs: 0 })).toMatchObject({ entries: 2, dangling: 0 })
    for (const [tag, no] of [
      ['old', 3],
      ['new', 1],
    ] as const)
      for (const found of await byTag(now, tag)) expect(found).toEqual([post(no, tag)])
  })

  test('a page goes on after entries that are skipped', async () => {
    const { now, unindexed } = opened()
    for (const no of [1, 2, 3, 4]) await now.create(Indexed, post(no, 'old'))
    for (const no of [1, 3]) await unindexed.update(Unindexed, post(no, 'new'))
    for (const found of await byTag(now, 'old', 2)) expect(found).toEqual([post(2, 'old'), post(4, 'old')])
  })
})

describe('an entity that lacks a property of an index', () => {
  test('is deleted as a whole, by a transaction and by the database', async () => {
    const { now, unindexed } = opened()
    for (const no of [1, 2]) await unindexed.create(Unindexed, { user, no } as PostData)
    expect(await now.run(Indexed.group({ user }), (tx) => tx.delete(Indexed, { user, no: 1 }))).toBe(true)
    expect(await now.delete(Indexed, { user, no: 2 })).toBe(true)
    expect(
      await unindexed.getMany(
        Unindexed,
        [1, 2].map((no) => ({ user, no })),
      ),
    ).toEqual([undefined, undefined])
  })
})
