import { keyValue, passThrough, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type EntitiesOptions, entities, entity, plain } from '../src/index.ts'

const Post = entity('Post', {
  schema: plain<{ user: number; no: number; tag: string }>(),
  id: ['user', 'no'],
  group: ['user'],
  generated: 'no',
  indexes: ['tag'],
})

const pageSize = 500

test('an entity that is made again between two pages is found once', async () => {
  const Tag = entity('Tag', { schema: plain<{ no: number; tag: string }>(), id: ['no'], indexes: ['tag'] })
  const store = memory()
  const other = entities(keyValue(store), [Tag])
  const all = Array.from({ length: pageSize + 1 }, (_, no) => ({ no, tag: 't' }))
  await Promise.all(all.map((one) => other.create(Tag, one)))
  const last = all[pageSize - 1] as (typeof all)[number]
  // Tokens are random: half of the new entries come after the old one.
  for (let round = 0; round < 16; round++) {
    let reads = 0
    const again = passThrough('again', {
      wrap: (inner) => ({
        async read(asked, call) {
          const found = await inner.read(asked, call)
          if (++reads !== 2) return found
          await other.delete(Tag, last)
          await other.create(Tag, last)
          return found
        },
      }),
    })
    const found = await entities(keyValue(store, [again]), [Tag]).byIndex(Tag, 'tag', 't')
    expect(found).toEqual(all)
    expect(reads).toBeGreaterThan(2)
  }
})

test.each([
  ['n', 'UNAVAILABLE'],
  ['x', 'UNAVAILABLE'],
  ['e', 'OUTCOME_UNKNOWN'],
])('a lost reply to a write of %s… is told as %s', async (prefix, code) => {
  const store = memory()
  let isDown = false
  const lost = passThrough('lost', {
    wrap: (inner) => ({
      read: (asked, call) =>
        isDown
          ? asked.map(() => new StoreError('UNAVAILABLE', 'It is down.', { retryable: false }))
          : inner.read(asked, call),
      write(mutations, call) {
        if (!mutations.some(({ key }) => key.startsWith(prefix))) return inner.write(mutations, call)
        isDown = true
        return mutations.map(() => new StoreError('OUTCOME_UNKNOWN', 'The reply was lost.'))
      },
    }),
  })
  const db = entities(keyValue(store, [lost]), [Post])
  await expect(db.create(Post, { user: 1, tag: 't' })).rejects.toMatchObject({ code })
  expect(await entities(keyValue(store), [Post]).byIndex(Post, 'tag', 't')).toEqual([])
})

/** A database whose first replies to writes of such groups are lost, and whether these writes came. */
function losing(prefix: string, replies: number, came: boolean, options?: EntitiesOptions) {
  let left = replies
  const lost = passThrough('lost', {
    wrap: (inner) => ({
      async write(mutations, call) {
        const isLost = mutations.some(({ key }) => key.startsWith(prefix)) && left-- > 0
        const results = isLost && !came ? [] : await inner.write(mutations, call)
        return isLost
          ? mutations.map(() => new StoreError('OUTCOME_UNKNOWN', 'The reply was lost.'))
          : results
      },
    }),
  })
  return entities(keyValue(memory(), [lost]), [Post], options)
}

test.each([
  ['n', true],
  ['n', false],
  ['x', true],
  ['x', false],
])('a write of %s… whose reply is lost is made again until the store answers', async (prefix, came) => {
  const db = losing(prefix, 2, came)
  const post = await db.create(Post, { user: 1, tag: 't' })
  expect(await db.byIndex(Post, 'tag', 't')).toEqual([post])
  expect(db.statistics()).toMatchObject({ committed: 1, conflicts: 0 })
})

test('replies that are lost until the policy gives up are told as such', async () => {
  const db = losing('x', Number.POSITIVE_INFINITY, false, {
    retry: ({ count }) => (count < 3 ? 0 : undefined),
  })
  await expect(db.create(Post, { user: 1, tag: 't' })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    cause: { code: 'OUTCOME_UNKNOWN' },
  })
  expect(await db.byIndex(Post, 'tag', 't')).toEqual([])
})

test('a sweep between the entries and the group of a creation makes no entity that its index cannot find', async () => {
  const store = memory()
  const other = entities(keyValue(store), [Post])
  let isFirst = true
  const stopped = passThrough('stopped', {
    wrap: (inner) => ({
      async write(mutations, call) {
        if (isFirst && mutations.some(({ key }) => key.startsWith('e'))) {
          isFirst = false
          await new Promise((resolve) => setTimeout(resolve, 5))
          expect(await other.sweep({ olderThanMs: 0 })).toMatchObject({ dangling: 1 })
        }
        return inner.write(mutations, call)
      },
    }),
  })
  const db = entities(keyValue(store, [stopped]), [Post])
  const post = await db.create(Post, { user: 1, tag: 't' })
  expect(await other.byIndex(Post, 'tag', 't')).toEqual([post])
  expect(db.statistics()).toMatchObject({ conflicts: 1 })
  expect(await other.sweep({ olderThanMs: 0 })).toMatchObject({ dangling: 0 })
})

test('an entity that a later schema rejects can be replaced and removed', async () => {
  const schema = z.object({ id: z.string(), tag: z.string() })
  const Old = entity('Doc', { schema, id: ['id'], indexes: ['tag'] })
  const sized = schema.extend({ size: z.number() })
  const New = entity('Doc', { schema: sized, id: ['id'], indexes: ['tag'] })
  const store = memory()
  const before = entities(keyValue(store), [Old])
  for (const id of ['a', 'b']) await before.create(Old, { id, tag: 't' })
  const db = entities(keyValue(store), [New])
  await expect(db.get(New, { id: 'a' })).rejects.toMatchObject({ code: 'CORRUPT' })
  const replaced = { id: 'a', tag: 't', size: 1 }
  await db.update(New, replaced)
  expect(await db.delete(New, { id: 'b' })).toBe(true)
  expect(await db.byIndex(New, 'tag', 't')).toEqual([replaced])
})
