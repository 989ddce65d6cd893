import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { encodeGroup, nextRecord } from '../src/groups/group-record.ts'
import { newToken } from '../src/groups/token.ts'
import { entities, entity, plain } from '../src/index.ts'

const schema = plain<{ user: string; no: number; tag: string }>()
const common = { schema, id: ['user', 'no'], group: ['user'] } as const
const Before = entity('Post', common)
const Post = entity('Post', { ...common, indexes: ['tag'] })

const posts = ['a', 'm', 'z'].map((user) => ({ user, no: 1, tag: 'x' }))

const open = () => keyValue(memory())

/** Entities, and records of other programs before, between and after them. */
async function opened() {
  const kv = open()
  const before = entities(kv, [Before])
  for (const post of posts) await before.create(Before, post)
  const db = entities(kv, [Post])
  await db.create(Post, { user: 'b', no: 1, tag: 'w' })
  const own = await keysOf(kv)
  const names = ['aaa', 'zzz', ...own.map((key) => `${key}!`), ...own.map((key) => key.slice(0, -1))]
  const foreign = new Map(names.map((name) => [name, Buffer.from(`of ${name}`)]))
  for (const [key, value] of foreign) await kv.set(key, value)
  return { kv, db, foreign }
}

async function keysOf(kv: ReturnType<typeof open>): Promise<readonly string[]> {
  const found: string[] = []
  for await (const page of kv.keys({ prefix: '' }).pages()) found.push(...page.items)
  return found
}

describe('records of other programs beside entities', () => {
  test('are left by clear, which removes all entities', async () => {
    const { kv, db, foreign } = await opened()
    expect(await db.clear()).toBe(5)
    expect(await keysOf(kv)).toEqual([...foreign.keys()].sort())
    for (const [key, value] of foreign) expect(await kv.get(key)).toEqual(value)
  })

  test('are left by reindex and sweep, which do their work', async () => {
    const { kv, db, foreign } = await opened()
    expect(await db.reindex(Post)).toEqual({ entities: 4, entries: 3 })
    expect(await db.byIndex(Post, 'tag', 'x')).toEqual(posts)
    expect(await db.sweep({ olderThanMs: 0 })).toMatchObject({ entries: 4, dangling: 0 })
    for (const [key, value] of foreign) expect(await kv.get(key)).toEqual(value)
  })
})

test('reindex rejects if a foreign record lies in the place of an index', async () => {
  const { kv, db } = await opened()
  const place = (await keysOf(kv)).find((key) => key.startsWith('x') && key.endsWith('w\u0000')) as string
  await kv.set(place.replace(/w\u0000$/, 'x\u0000'), Buffer.from('foreign'))
  await expect(db.reindex(Post)).rejects.toMatchObject({ code: 'CORRUPT' })
})

describe('a group that is damaged', () => {
  async function damaged() {
    const { kv, db } = await opened()
    const first = (await keysOf(kv)).find((key) => /^e.*\0$/s.test(key)) as string
    const whole = encodeGroup(nextRecord(undefined, new Map(), newToken(), 0))
    const cut = whole.subarray(0, -1)
    await kv.set(first, cut)
    return { kv, db, first, cut }
  }

  test('is left by clear, which removes the others and says so', async () => {
    const { kv, db, first, cut } = await damaged()
    await expect(db.clear()).rejects.toMatchObject({
      code: 'PARTIAL',
      done: 4,
      message: 'clear removed 4 groups, and left at least one that cannot be read: `cause` says why.',
      cause: { code: 'CORRUPT', key: first },
    })
    expect(await kv.get(first)).toEqual(cut)
    await expect(db.clear()).rejects.toMatchObject({ code: 'CORRUPT' })
  })

  test('is told by reindex and sweep after their work', async () => {
    const { db } = await damaged()
    await expect(db.reindex(Post)).rejects.toMatchObject({ code: 'CORRUPT' })
    expect(await db.byIndex(Post, 'tag', 'x')).toEqual(posts.slice(1))
    await db.run(Post.group({ user: 'z' }), (tx) => tx.delete(Post, { user: 'z', no: 1 }))
    await expect(db.sweep({ olderThanMs: 0 })).rejects.toMatchObject({ code: 'CORRUPT' })
  })
})
