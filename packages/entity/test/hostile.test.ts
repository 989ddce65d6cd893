import { keyValue, passThrough } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type EntityDb, entities, entity, plain } from '../src/index.ts'

const Note = entity('Note', {
  schema: plain<{ user: string; no: number; text: string }>(),
  id: ['user', 'no'],
  group: ['user'],
  generated: 'no',
  indexes: ['user'],
})

const Post = entity('Post', {
  schema: plain<{ user: string; no: number; tag: string }>(),
  id: ['user', 'no'],
  group: ['user'],
  indexes: ['tag'],
})

const user = 'u'
const post = (no: number, tag: string) => ({ user, no, tag })
const open = (): EntityDb => entities(keyValue(memory()), [Note, Post])

describe('changes that one function begins together', () => {
  test('take a number each', async () => {
    const db = open()
    const texts = ['a', 'b', 'c']
    const made = await db.run(Note.group({ user }), (tx) =>
      Promise.all(texts.map((text) => tx.create(Note, { user, text }))),
    )
    expect(made.map(({ no }) => no)).toEqual([1, 2, 3])
    expect(await db.byIndex(Note, 'user', user)).toEqual(made)
  })

  test('see each other', async () => {
    const db = open()
    const [first, second] = await db.run(Post.group({ user }), (tx) =>
      Promise.allSettled([tx.create(Post, post(1, 'a')), tx.create(Post, post(1, 'b'))]),
    )
    expect(first).toMatchObject({ status: 'fulfilled' })
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'CONDITION_FAILED' } })
    const [isGone, updated] = await db.run(Post.group({ user }), (tx) =>
      Promise.allSettled([tx.delete(Post, post(1, 'a')), tx.update(Post, post(1, 'a'))]),
    )
    expect(isGone).toMatchObject({ value: true })
    expect(updated).toMatchObject({ reason: { code: 'CONDITION_FAILED' } })
    expect(await db.get(Post, post(1, 'a'))).toBeUndefined()
    expect(await db.byIndex(Post, 'tag', 'a')).toEqual([])
  })
})

/** A layer that does something before writes to the index on this tag. */
const before = (tag: string, act: () => Promise<unknown>) =>
  passThrough('before', {
    wrap: (store) => ({
      async write(mutations, call) {
        if (mutations.some(({ key }) => key.startsWith('x') && key.includes(tag))) await act()
        return store.write(mutations, call)
      },
    }),
  })

test('a `retry` that throws after the commit takes no entry from a live entity', async () => {
  const store = memory()
  const other = entities(keyValue(store), [Post])
  await other.create(Post, post(1, 'gone'))
  let left = 1
  const race = before('gone', async () => {
    if (left-- > 0) await other.create(Post, { user: 'z', no: 1, tag: 'gone' })
  })
  const retry = (): number => {
    throw new Error('mine')
  }
  const db = entities(keyValue(store, [race]), [Post], { retry })
  await db.run(Post.group({ user }), async (tx) => {
    await tx.delete(Post, post(1, 'gone'))
    await tx.create(Post, post(2, 'new'))
  })
  expect(await other.byIndex(Post, 'tag', 'new')).toEqual([post(2, 'new')])
  expect(await other.sweep({ olderThanMs: 0 })).toMatchObject({ entries: 3 })
})

test('an entry of an attempt that lost does not find the entity under another key', async () => {
  const store = memory()
  const other = entities(keyValue(store), [Post])
  let attempts = 0
  let writes = 0
  const crash = before('first', async () => {
    // The entry comes, and cannot be removed.
    if (++writes > 1) throw new Error('crash')
  })
  const db = entities(keyValue(store, [crash]), [Post])
  await db.run(Post.group({ user }), async (tx) => {
    await tx.create(Post, post(1, ++attempts === 1 ? 'first' : 'second'))
    if (attempts === 1) await other.create(Post, post(9, 'x'))
  })
  expect([attempts, writes > 1]).toEqual([2, true])
  expect(await other.byIndex(Post, 'tag', 'first')).toEqual([])
  expect(await other.byIndex(Post, 'tag', 'second')).toEqual([post(1, 'second')])
})
