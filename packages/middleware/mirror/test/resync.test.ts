import { keyValue } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { mirror } from '../src/index.ts'
import { setting } from './setting.ts'
import { type UnrulyStore, unrulyStore } from './unruly-store.ts'

describe('a journal that is full', () => {
  test('says that all must be resynchronised, and resync does it', async () => {
    const { kv, secondary, both, held, events } = setting({ maxDirty: 3, baseMs: 10_000, capMs: 10_000 })
    await kv.set('gone', 'x')
    secondary.mood = 'failing'
    for (let i = 0; i < 10; i++) await kv.set(`k${i}`, `${i}`)
    await kv.delete('gone')
    expect(both.stats()).toMatchObject({ dirty: 3, mustResync: true })
    expect(events.filter(({ type }) => type === 'must resync')).toHaveLength(1)
    await expect(both.resync()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(both.stats().mustResync).toBe(true)
    secondary.mood = 'well'
    const done = await both.resync()
    expect(done).toMatchObject({ keys: 10, deleted: 1, failed: 0 })
    expect(held()[0]).toEqual(held()[1])
    expect(both.stats()).toMatchObject({ mustResync: false, dirty: 0 })
  })

  test('does not get full by large batches while both sides work', async () => {
    const { kv, both, held, equal } = setting({ maxDirty: 100, timeoutMs: 60_000 })
    const batch = (name: string) => Array.from({ length: 1_500 }, (_, i) => [`${name}${i}`, 'x'] as const)
    await Promise.all([kv.setMany(batch('a')), kv.setMany(batch('b'))])
    await equal()
    expect(both.stats()).toMatchObject({ mustResync: false, dirty: 0 })
    await expect.poll(() => Object.keys(held()[1]).length, { timeout: 60_000 }).toBe(3_000)
  })

  test('resync waits until no lost write may come late', async () => {
    const primary = unrulyStore('primary')
    const { kv, secondary, both } = setting({ maxDirty: 1, doubtMs: 60 }, { primary })
    secondary.mood = 'failing'
    await kv.set('a', '1')
    primary.mood = 'lost'
    const sentAt = performance.now()
    await expect(kv.set('b', '1')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    expect(both.stats().mustResync).toBe(true)
    primary.mood = 'well'
    secondary.mood = 'well'
    const stopped = both.resync({ signal: AbortSignal.timeout(5) })
    await expect(stopped).rejects.toMatchObject({ code: 'ABORTED', cause: { name: 'TimeoutError' } })
    await both.resync()
    expect(performance.now() - sentAt).toBeGreaterThanOrEqual(60)
    expect(both.stats().mustResync).toBe(false)
  })

  test('a resync of a part does not end it', async () => {
    const { kv, secondary, both } = setting({ maxDirty: 1, baseMs: 10_000, capMs: 10_000 })
    secondary.mood = 'failing'
    await kv.setMany([
      ['a1', ''],
      ['a2', ''],
      ['b1', ''],
    ])
    secondary.mood = 'well'
    expect(await both.resync({ prefix: 'a' })).toMatchObject({ keys: 2, failed: 0 })
    expect(both.stats().mustResync).toBe(true)
  })

  test('resync needs two stores that list their keys', async () => {
    const secondary = unrulyStore('secondary', { capabilities: { scan: false } })
    const { both } = setting({}, { secondary })
    await expect(both.resync()).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    await expect(both.verify()).resolves.toMatchObject({ extra: undefined })
  })
})

describe('verify', () => {
  test('counts what differs, and names some of it', async () => {
    const { kv, both, primary, secondary } = setting()
    await kv.setMany(['same', 'missing', 'different'].map((key) => [key, key] as const))
    const [a, b] = [keyValue(primary.inner), keyValue(secondary.inner)]
    await b.delete('missing')
    await b.set('different', Buffer.from('x'))
    await b.set('extra', Buffer.from('x'))
    const found = await both.verify()
    expect(found).toMatchObject({
      keys: 3,
      same: 1,
      missing: 1,
      different: 1,
      extra: 1,
      unreadable: 0,
      owed: 0,
    })
    expect(found.examples.toSorted((x, y) => x.key.localeCompare(y.key))).toEqual([
      { key: 'different', difference: 'different' },
      { key: 'extra', difference: 'extra' },
      { key: 'missing', difference: 'missing' },
    ])
    expect((await both.verify({ maxExamples: 1, prefix: 'di' })).examples).toHaveLength(1)
    await both.resync()
    expect(await both.verify({ bytes: true })).toMatchObject({ keys: 3, same: 3, extra: 0 })
    expect(await a.get('extra')).toBeUndefined()
  })

  test('finds bytes that differ under one version only if asked to', async () => {
    const { both, primary, secondary } = setting()
    const write = (store: typeof primary, value: string) =>
      store.inner.write(
        [{ type: 'set', key: 'a', version: '0'.repeat(24), value: Buffer.from(value) }],
        callOptions(),
      )
    await write(primary, 'x')
    await write(secondary, 'y')
    expect(await both.verify()).toMatchObject({ same: 1, different: 0 })
    expect(await both.verify({ bytes: true })).toMatchObject({ same: 0, different: 1 })
  })

  test('compares foreign bytes, which have no versions, by value', async () => {
    const raw = (name: string) => {
      const store = memory({ name })
      const entry = (result: unknown) =>
        typeof result === 'object' && result !== null && 'version' in result
          ? { ...result, version: undefined }
          : result
      return {
        ...store,
        capabilities: { ...store.capabilities, conditionalRead: false },
        read: (...asked: Parameters<typeof store.read>) =>
          (store.read(...asked) as readonly unknown[]).map(entry) as never,
      }
    }
    const both = mirror(raw('a'), raw('b'))
    const kv = keyValue(both)
    await kv.set('same', Buffer.from('1'))
    await kv.set('other', Buffer.from('1'))
    await keyValue(both.secondary).set('other', Buffer.from('2'))
    expect(await both.verify()).toMatchObject({ keys: 2, same: 1, different: 1 })
    expect(await both.resync()).toMatchObject({ copied: 1, failed: 0 })
    expect(await both.verify()).toMatchObject({ same: 2 })
  })

  test('each page has one deadline, which a store may look at as often as it likes', async () => {
    const primary = unrulyStore('primary')
    const deadlines: (readonly [number, number])[] = []
    const asked: UnrulyStore = {
      ...primary,
      async *scan(range, call) {
        for await (const page of primary.scan({ ...range, pageSize: 1 }, call)) {
          const first = call.deadlineAt
          letTheClockMove()
          deadlines.push([first, call.deadlineAt])
          yield page
        }
      },
    }
    const { kv, both } = setting({}, { primary: asked })
    await kv.setMany([
      ['a', '1'],
      ['b', '1'],
    ])
    await both.verify()
    const [page, next] = deadlines
    expect(deadlines.map(([first]) => first)).toEqual(deadlines.map(([, second]) => second))
    expect(next?.[0]).toBeGreaterThan(page?.[0] as number)
  })

  test('what cannot be read is told, and ends with its signal', async () => {
    const { kv, both, secondary } = setting()
    await kv.set('a', '1')
    secondary.mood = 'failing'
    await expect(both.verify()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    secondary.mood = 'well'
    const cause = new Error('enough')
    await expect(both.verify({ signal: AbortSignal.abort(cause) })).rejects.toMatchObject({
      code: 'ABORTED',
      cause,
    })
  })
})

/** The clock of deadlines reads the same for a moment. */
function letTheClockMove(): void {
  const now = performance.now()
  while (performance.now() === now);
}
