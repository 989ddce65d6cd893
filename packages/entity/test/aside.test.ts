import { randomUUID } from 'node:crypto'
import { type ErrorCode, StoreError } from '@unikv/core'
import { expect, test } from 'vitest'
import { type EntityDb, entities, entity, plain } from '../src/index.ts'
import { type HoldingGroups, holding } from './holding-groups.ts'

const Post = entity('Post', {
  schema: plain<{ user: string; id: string | number; tag: string }>(),
  id: ['user', 'id'],
  group: ['user'],
  indexes: ['tag'],
})
const Note = entity('Note', {
  schema: plain<{ user: string; no: number; tag: string }>(),
  id: ['user', 'no'],
  group: Post,
  generated: 'no',
  indexes: ['tag'],
})

const user = 'u'
const group = Post.group({ user })
const post = (id: string | number, tag = 't') => ({ user, id, tag })

function open(): { db: EntityDb; groups: HoldingGroups; other: EntityDb } {
  const { kv, groups } = holding()
  return {
    db: entities(kv, [Post, Note], { transactions: 'native', retry: () => 0 }),
    groups,
    other: entities(kv, [Post, Note], { transactions: 'native', retry: () => 0 }),
  }
}

test.each([true, false])(
  'a function whose ids are new in every run is run once (after a read: %s)',
  async (isRead) => {
    const { db } = open()
    let runs = 0
    const ids = await db.run(group, async (tx) => {
      runs++
      if (isRead) await tx.get(Post, post('other'))
      const made = await Promise.all([randomUUID(), randomUUID()].map((id) => tx.create(Post, post(id))))
      return made.map(({ id }) => id)
    })
    expect(runs).toBe(1)
    expect(new Set((await db.byIndex(Post, 'tag', 't')).map(({ id }) => id))).toEqual(new Set(ids))
    expect(await db.sweep({ olderThanMs: 0 })).toMatchObject({ entries: 2, dangling: 0 })
  },
)

test('numbers and reads take turns with one connection', async () => {
  const { db } = open()
  const made = await db.run(group, (tx) =>
    Promise.all([
      tx.get(Post, post(1)),
      tx.create(Note, { user, tag: 'a' }),
      tx.get(Post, post(2)),
      tx.create(Note, { user, tag: 'b' }),
      tx.getMany(Post, [post(3), post(4)]),
    ]),
  )
  expect([made[1], made[3]]).toEqual([
    { user, no: 1, tag: 'a' },
    { user, no: 2, tag: 'b' },
  ])
  expect(await db.byIndex(Note, 'tag', 'b')).toEqual([{ user, no: 2, tag: 'b' }])
})

test.each(['a value', 'a list'])(
  'a transaction whose %s was changed while it let go is run again',
  async (read) => {
    const { db, groups, other } = open()
    await db.create(Post, post(1, 'before'))
    const Listed = entity('Listed', {
      schema: plain<{ user: string; id: number }>(),
      id: ['user', 'id'],
      group: ['user'],
      indexes: ['user'],
    })
    const Counted = entity('Counted', {
      schema: plain<{ user: string; no: number; tag: string }>(),
      id: ['user', 'no'],
      group: Listed,
      generated: 'no',
      indexes: ['tag'],
    })
    const { kv, groups: others } = holding()
    const lists = entities(kv, [Listed, Counted], { transactions: 'native', retry: () => 0 })
    const rival = entities(kv, [Listed, Counted], { transactions: 'native', retry: () => 0 })
    let left = 1
    const seen: unknown[] = []
    if (read === 'a value') {
      groups.before = async (name) => {
        if (name.startsWith('n') && left-- > 0) await other.delete(Post, post(1))
      }
      await db.run(group, async (tx) => {
        seen.push((await tx.get(Post, post(1))) !== undefined)
        await tx.create(Note, { user, tag: 'x' }).catch(() => {})
      })
      expect(seen).toEqual([true, false])
      expect(db.statistics()).toMatchObject({ conflicts: 1, retries: 1 })
      expect(await db.byIndex(Note, 'tag', 'x')).toEqual([{ user, no: 1, tag: 'x' }])
    } else {
      others.before = async (name) => {
        if (name.startsWith('n') && left-- > 0) await rival.create(Listed, { user, id: 7 })
      }
      await lists.run(Listed.group({ user }), async (tx) => {
        seen.push((await tx.byIndex(Listed, 'user', user)).length)
        await tx.create(Counted, { user, tag: 'x' }).catch(() => {})
      })
      expect(seen).toEqual([0, 1])
      expect(await lists.byIndex(Counted, 'tag', 'x')).toEqual([{ user, no: 1, tag: 'x' }])
    }
  },
)

test('a number that could not be taken ends the transaction, even if its function goes on', async () => {
  const { db, groups } = open()
  groups.before = async (name) => {
    if (name.startsWith('n')) throw new Error('no numbers today')
  }
  const work = db.run(group, async (tx) => {
    await tx.get(Post, post(1))
    await tx.create(Note, { user, tag: 'x' }).catch(() => {})
    await tx.create(Post, post(1)).catch(() => {})
  })
  await expect(work).rejects.toThrow('no numbers today')
  expect(await db.get(Post, post(1))).toBeUndefined()
  expect(await db.sweep({ olderThanMs: 0 })).toMatchObject({ entries: 0 })
})

test('a read that fails after it let go ends the transaction, even if its function goes on', async () => {
  const { db, groups } = open()
  let reads = 0
  groups.reading = async (name) => {
    if (name.startsWith('e') && ++reads === 2) throw new StoreError('UNAVAILABLE', 'not now')
  }
  const work = db.run(group, async (tx) => {
    await tx.get(Post, post(1))
    await tx.create(Note, { user, tag: 'x' }).catch(() => {})
  })
  await expect(work).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(groups.open).toBe(0)
  expect(await db.get(Note, { user, no: 1 })).toBeUndefined()
})

test('a conflict of `clear` is met by another attempt; a failure leaves nothing open, and tells what went', async () => {
  const { db, groups } = open()
  for (const id of [1, 2, 3]) await db.create(Post, post(id))
  const codes: (ErrorCode | undefined)[] = ['UNAVAILABLE', 'CONDITION_FAILED']
  groups.reading = async () => {
    const code = codes.shift()
    if (code !== undefined) throw new StoreError(code, 'a failure')
  }
  const error = await db.clear().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'PARTIAL', cause: { code: 'UNAVAILABLE' } })
  expect((error as StoreError).done).toBeGreaterThan(0)
  await db.clear()
  expect(groups.open).toBe(0)
  expect(await db.byIndex(Post, 'tag', 't')).toEqual([])
  expect(await db.clear()).toBe(0)
})

test('entries of one key of an index are added together, and removed together', async () => {
  const { db, groups } = open()
  const ids = Array.from({ length: 50 }, (_, id) => id)
  await db.run(group, async (tx) => {
    await tx.get(Post, post(-1))
    for (const id of ids) await tx.create(Post, post(id))
  })
  await db.run(group, async (tx) => {
    for (const id of ids) await tx.delete(Post, post(id))
  })
  expect(groups.begun.filter((name) => name.startsWith('x'))).toHaveLength(2)
  expect(await db.sweep({ olderThanMs: 0 })).toMatchObject({ entries: 0 })
})
