import { keyValue, text } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describe, expect, test } from 'vitest'
import { mirror } from '../src/index.ts'
import { type Setting, setting, textOf } from './setting.ts'
import { unrulyStore } from './unruly-store.ts'

/** A mirror with a durable journal that is slow to try again, so that only another one repairs. */
function journaled(options: Parameters<typeof setting>[0] = {}): Setting & {
  readonly journal: ReturnType<typeof unrulyStore>
  readonly marks: () => readonly string[]
} {
  const journal = unrulyStore('journal')
  return {
    ...setting({ journal, baseMs: 10_000, capMs: 10_000, ...options }),
    journal,
    marks: () => Object.values(textOf(journal)),
  }
}

/** What another process makes of the same stores: the first one is gone without a word. */
function next(
  { primary, secondary, journal }: ReturnType<typeof journaled>,
  { namespace, doubtMs = 50 }: { readonly namespace?: string; readonly doubtMs?: number } = {},
) {
  return mirror(primary, secondary, { journal, namespace, doubtMs, baseMs: 1, capMs: 5 })
}

async function clean(both: { stats(): { readonly dirty: number } }): Promise<void> {
  while (both.stats().dirty > 0) await new Promise((resolve) => setTimeout(resolve, 1))
}

describe('a durable journal', () => {
  test('holds a mark before the primary is asked, and none when both have the write', async () => {
    const { kv, primary, marks, held } = journaled()
    primary.mood = 'hanging'
    const write = kv.set('a', 'secret')
    await new Promise(setImmediate)
    expect([marks(), held()]).toEqual([['a'], [{}, {}]])
    primary.mood = 'well'
    primary.release()
    await write
    expect([marks(), held()]).toEqual([[], [{ a: 'secret' }, { a: 'secret' }]])
  })

  test('holds keys, never values', async () => {
    const { kv, secondary, journal } = journaled()
    secondary.mood = 'failing'
    await kv.set('the key', 'the value')
    const all = Array.from(journal.inner.native, ([key, { value }]) => key + Buffer.from(value).toString())
    expect(all).toHaveLength(1)
    expect(all[0]).toContain('the key')
    expect(all[0]).not.toContain('the value')
  })

  test('tells the next process what one that is gone still owed', async () => {
    const first = journaled()
    first.secondary.mood = 'failing'
    await first.kv.setMany([
      ['a', '1'],
      ['b', '2'],
    ])
    first.secondary.mood = 'well'
    const second = next(first, { doubtMs: 1_500 })
    await second.read([{ key: 'a' }], callOptions())
    expect(await second.repair()).toBe(2)
    expect(first.held()).toEqual([
      { a: '1', b: '2' },
      { a: '1', b: '2' },
    ])
    // Not before a late effect of the one that is gone is out of the question.
    expect(first.marks()).toHaveLength(2)
    await clean(second)
    await second.close()
    expect(first.marks()).toEqual([])
  })

  test('a mark that its owner has renewed meanwhile stays', async () => {
    const first = journaled()
    first.secondary.mood = 'failing'
    await first.kv.set('a', '1')
    first.secondary.mood = 'well'
    const second = next(first)
    await second.repair()
    first.secondary.mood = 'failing'
    await first.kv.set('a', '2')
    first.secondary.mood = 'well'
    await clean(second)
    await second.close()
    expect(first.marks()).toEqual(['a'])
    const third = next(first)
    await third.repair()
    await clean(third)
    await third.close()
    expect([first.marks(), first.held()]).toEqual([[], [{ a: '2' }, { a: '2' }]])
  })

  test('marks of another pair are not touched', async () => {
    const first = journaled()
    first.secondary.mood = 'failing'
    await first.kv.set('a', '1')
    const other = next(first, { namespace: 'another pair' })
    expect(await other.repair()).toBe(0)
    await other.close()
    expect(first.marks()).toEqual(['a'])
  })

  test.each(['failing', 'lost', 'refusing'] as const)(
    'that is %s refuses the write, and nothing is sent',
    async (mood) => {
      const { kv, journal, both, held, primary } = journaled()
      journal.mood = mood
      const code = mood === 'refusing' ? 'STORE_FULL' : 'UNAVAILABLE'
      await expect(kv.set('a', '1')).rejects.toMatchObject({ code })
      expect([held(), primary.asked.write]).toEqual([[{}, {}], 0])
      expect(both.stats().dirty).toBe(0)
      expect(both.stats().journalErrors).toBeGreaterThan(0)
      journal.mood = 'well'
      await kv.set('a', '2')
      expect(held()).toEqual([{ a: '2' }, { a: '2' }])
    },
  )

  test('that hangs lets the write end at its deadline, certainly not sent', async () => {
    const { both, journal, primary, marks } = journaled()
    const kv = keyValue(both, [], { timeoutMs: 30 })
    journal.mood = 'hanging'
    await expect(kv.set('a', Buffer.from('1'))).rejects.toMatchObject({ code: 'TIMEOUT' })
    journal.mood = 'well'
    journal.release()
    while (marks().length > 0) await new Promise((resolve) => setTimeout(resolve, 1))
    expect(primary.asked.write).toBe(0)
  })

  test.each([
    ['has ended', 100],
    // Longer than the later one has.
    ['is patient', 10_000],
  ])(
    'that lost the mark of a write holds up no later one of its key, whose caller %s',
    async (_what, timeoutMs) => {
      const { kv, journal, secondary, both, held, marks } = journaled({ baseMs: 1, capMs: 5 })
      journal.mood = 'hanging'
      const lost = kv.set('a', '1', { timeoutMs }).catch(() => {})
      if (timeoutMs < 1_000) await lost
      await new Promise(setImmediate)
      journal.mood = 'well'
      secondary.mood = 'failing'
      // Its own KeyValue would keep the order of both.
      await keyValue(both, [text()]).set('a', '2', { timeoutMs: 4_000 })
      expect([both.stats().dirty, marks()]).toEqual([1, ['a']])
      secondary.mood = 'well'
      await clean(both)
      expect(held()).toEqual([{ a: '2' }, { a: '2' }])
    },
  )

  test('keeps what finds no room in memory, and it is repaired when there is', async () => {
    const { kv, secondary, both, held, marks } = journaled({ maxDirty: 4, baseMs: 1, capMs: 5, doubtMs: 2 })
    secondary.mood = 'failing'
    for (let i = 0; i < 40; i++) await kv.set(`k${i}`, `${i}`)
    expect(both.stats()).toMatchObject({ dirty: 4, spilled: 36, marksWait: true, mustResync: false })
    expect(marks()).toHaveLength(40)
    secondary.mood = 'well'
    while (marks().length > 0) await new Promise((resolve) => setTimeout(resolve, 1))
    expect(held()[0]).toEqual(held()[1])
    expect(both.stats()).toMatchObject({ marksWait: false, mustResync: false })
  })

  test('forgets no key that waits there because of a later write that changed nothing', async () => {
    const { both, secondary, held, marks } = journaled({ maxDirty: 1, baseMs: 1, capMs: 5, doubtMs: 2 })
    const kv = keyValue(both)
    secondary.mood = 'failing'
    await kv.set('a', Buffer.from('1'))
    await kv.set('b', Buffer.from('2'))
    const onlyIfNew = { type: 'delete', key: 'b', version: '0'.repeat(24), ifVersion: null } as const
    expect(await both.write([onlyIfNew], callOptions())).toMatchObject([{ conditionFailed: true }])
    expect(marks().toSorted()).toEqual(['a', 'b'])
    secondary.mood = 'well'
    while (marks().length > 0) await new Promise((resolve) => setTimeout(resolve, 1))
    expect(held()).toEqual([
      { a: '1', b: '2' },
      { a: '1', b: '2' },
    ])
  })

  test('that cannot be read at the start is read later, and said', async () => {
    const first = journaled()
    first.secondary.mood = 'failing'
    await first.kv.set('a', '1')
    first.secondary.mood = 'well'
    first.journal.mood = 'failing'
    const second = next(first)
    expect(await second.repair()).toBe(0)
    expect(second.stats().journalErrors).toBe(1)
    first.journal.mood = 'well'
    while (first.marks().length > 0) {
      await second.read([{ key: 'a' }], callOptions())
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(first.held()).toEqual([{ a: '1' }, { a: '1' }])
  })

  test('that failed to remove a mark does so later', async () => {
    const { kv, primary, journal, marks } = journaled()
    primary.mood = 'hanging'
    const write = kv.set('a', '1')
    await new Promise(setImmediate)
    journal.mood = 'failing'
    primary.mood = 'well'
    primary.release()
    await write
    expect(marks()).toEqual(['a'])
    journal.mood = 'well'
    await kv.set('b', '1')
    expect(marks()).toEqual([])
  })

  test('is closed with the last mirror that has it, once', async () => {
    const { both, journal } = journaled()
    const other = setting({ journal, namespace: 'other' })
    await both.close()
    await both.close()
    expect(journal.asked.closed).toBe(0)
    await other.both.close()
    expect(journal.asked.closed).toBe(1)
  })
})
