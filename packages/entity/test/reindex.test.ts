import { randomBytes } from 'node:crypto'
import { type Bytes, type KeyValue, keyValue, passThrough } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { redis } from '@unikv/redis'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { entities, entity, plain, type TransactionKind } from '../src/index.ts'

interface Note {
  readonly user: string
  readonly no: number
  readonly tag: string
  readonly text: string
}

const base = { schema: plain<Note>(), id: ['user', 'no'], generated: 'no', group: ['user'] } as const
const Before = entity('Note', base)
const Now = entity('Note', { ...base, indexes: [['user', 'tag'], 'tag'] })
/** Its name begins like that of the other. */
const Notebook = entity('Notebook', { schema: plain<{ user: string; tag: string }>(), id: ['user'] })

function later(transactions: TransactionKind, open: () => KeyValue<string, Bytes>): void {
  /** 500 notes of one user, and three of each of nine others. */
  async function filled(): Promise<KeyValue<string, Bytes>> {
    const kv = open()
    const before = entities(kv, [Before, Notebook], { transactions })
    await before.create(Notebook, { user: 'u0', tag: 'even' })
    for (const [user, count] of Array.from(
      { length: 10 },
      (_, at) => [`u${at}`, at === 0 ? 500 : 3] as const,
    ))
      await before.run(Before.group({ user }), async (tx) => {
        for (let at = 0; at < count; at++)
          await tx.create(Before, { user, tag: at % 2 === 0 ? 'even' : 'odd', text: `${user} ${at}` })
      })
    return kv
  }

  test('finds everything after reindex, which has nothing to do again', async () => {
    const kv = await filled()
    const db = entities(kv, [Now, Notebook], { transactions })
    expect(await db.byIndex(Now, 'tag', 'odd')).toEqual([])
    const told: number[] = []
    const done = await db.reindex(Now, { onProgress: (count) => told.push(count) })
    expect(done).toEqual({ entities: 527, entries: 2 * 527 })
    expect(told.at(-1)).toBe(527)
    expect(await db.byIndex(Now, 'tag', 'odd')).toHaveLength(250 + 9)
    expect(await db.byIndex(Now, ['user', 'tag'], ['u0', 'even'])).toHaveLength(250)
    expect((await db.byIndex(Now, ['user', 'tag'], ['u3', 'odd'])).map(({ text }) => text)).toEqual(['u3 1'])
    expect(await db.reindex(Now)).toEqual({ entities: 527, entries: 0 })
    expect(await db.sweep({ olderThanMs: 0 })).toMatchObject({ dangling: 0 })
    await db.delete(Now, { user: 'u3', no: 2 })
    expect(await db.byIndex(Now, 'tag', 'odd')).toHaveLength(250 + 8)
    await kv.close()
  })

  test('goes on after an end, beside callers who create and remove', async () => {
    const kv = await filled()
    const db = entities(kv, [Now, Notebook], { transactions })
    const signal = new AbortController()
    const ended = db.reindex(Now, { signal: signal.signal, onProgress: () => signal.abort() })
    await expect(ended).rejects.toMatchObject({ code: 'ABORTED' })
    const others = Array.from({ length: 40 }, async (_, at) => {
      const made = await db.create(Now, { user: 'u0', tag: 'odd', text: 'new' })
      return db.delete(Now, at % 2 === 0 ? made : { user: 'u0', no: 2 * at })
    })
    const [done, ...removed] = await Promise.all([db.reindex(Now), ...others])
    expect(done.entries).toBeGreaterThan(0)
    expect(removed.filter((one) => one === true).length).toBeGreaterThan(20)
    const user = { user: 'u0' }
    const all = await db.run(Now.group(user), (tx) =>
      Promise.all(['odd', 'even'].map((tag) => tx.byIndex(Now, ['user', 'tag'], ['u0', tag]))),
    )
    for (const [at, tag] of ['odd', 'even'].entries()) {
      const outside = await db.byIndex(Now, 'tag', tag)
      expect(outside.filter((note) => note.user === 'u0')).toEqual(all[at])
    }
    await kv.close()
  })
}

describe('an index that is added later, in records', () => {
  later('records', () => keyValue(memory()))
})

describeWith('redis', (url) => {
  const dataset = (): string => `t${randomBytes(6).toString('hex')}`
  later('native', () => keyValue(redis({ url, dataset: dataset() })))
})

test('a note without the property of a new index is named', async () => {
  const kv = keyValue(memory()) as unknown as KeyValue<string, Bytes>
  await entities(kv, [Before]).create(Before, { user: 'u', text: 't' } as unknown as Note)
  const ended = entities(kv, [Now]).reindex(Now)
  await expect(ended).rejects.toMatchObject({
    code: 'INVALID_VALUE',
    message: expect.stringContaining(
      'The Note with user u, no 1 cannot be in an index: `tag` of Note must be',
    ),
  })
})

test('looks at several groups at once, and adds the entries of one key together', async () => {
  const store = memory()
  const before = entities(keyValue(store), [Before])
  for (let user = 0; user < 40; user++)
    await before.create(Before, { user: `u${user}`, tag: user % 2 === 0 ? 'even' : 'odd', text: '' })
  let [reads, most, entries] = [0, 0, 0]
  const watching = passThrough('watching', {
    wrap: (inner) => ({
      async read(asked, call) {
        most = Math.max(most, ++reads)
        await new Promise(setImmediate)
        reads--
        return inner.read(asked, call)
      },
      write(mutations, call) {
        entries += mutations.filter(({ key }) => key.startsWith('x')).length
        return inner.write(mutations, call)
      },
    }),
  })
  const done = await entities(keyValue(store, [watching]), [Now]).reindex(Now)
  expect(done).toEqual({ entities: 40, entries: 80 })
  expect({ most, entries }).toEqual({ most: 8, entries: 2 })
})
