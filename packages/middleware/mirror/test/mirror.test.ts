import { type Bytes, isStoreError, json, keyValue, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { mirror } from '../src/index.ts'
import { setting } from './setting.ts'
import { unrulyStore } from './unruly-store.ts'

describe('a mirror is a store', () => {
  test('keyValue infers values, operations and the native client of the primary', async () => {
    const both = mirror(memory(), memory({ name: 'second' }))
    await using kv = keyValue(both, [json()])
    expectTypeOf(kv.native).toEqualTypeOf<ReturnType<typeof memory>['native']>()
    await kv.set('a', { n: 1 }, { ttlMs: 60_000 })
    expect(kv.native.has('a')).toBe(true)
    expect(both.secondary.native.get('a')).toEqual(both.primary.native.get('a'))
  })

  test('what only one of them can do is left out, in the types and at run time', async () => {
    const plain = { ...memory(), name: 'plain' }
    const bare = { ...plain, capabilities: { ...plain.capabilities, ttl: false, maxKeyBytes: 99 } as const }
    const both = mirror(memory(), bare)
    expectTypeOf(both.capabilities.ttl).toEqualTypeOf<false>()
    expectTypeOf(both.capabilities.touch).toEqualTypeOf<false>()
    expect(both.capabilities).toMatchObject({ ttl: false, touch: false, maxKeyBytes: 99, increment: true })
    const kv = keyValue(both, [json()])
    // @ts-expect-error -- an expiry is never dropped silently: it is refused
    await expect(kv.set('a', 1, { ttlMs: 1_000 })).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })

  test('refuses what cannot be mirrored', () => {
    const [a, b] = [memory(), memory()]
    const sealed = { ...a, capabilities: { ...a.capabilities, sealed: true } }
    const documents = { ...a, capabilities: { ...a.capabilities, documents: true } }
    const unconditional = { ...memory(), capabilities: { ...a.capabilities, conditionalWrite: false } }
    const wrong = [
      () => mirror(a, a),
      () => mirror(sealed, b),
      () => mirror(documents, b),
      () => mirror(a, b, { timeoutMs: 0 }),
      () => mirror(a, b, { acknowledge: 'none' as 'both' }),
      () => mirror(a, b, { writers: 'few' as 'one' }),
      () => mirror(a, b, { background: true as never }),
      () => mirror(a, b, { journal: b }),
      () => mirror(a, b, { journal: unconditional }),
      () => mirror(a, b, { journal: memory(), namespace: 'n'.repeat(70_000) }),
    ]
    for (const make of wrong) expect(make).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
    expect(mirror(sealed, b, { plaintext: 'allowed' }).capabilities.sealed).toBe(false)
    expect(mirror(sealed, { ...b, capabilities: sealed.capabilities }).capabilities.sealed).toBe(true)
  })
})

describe('the primary decides', () => {
  test('a write is in both when it is acknowledged, with version and expiry', async () => {
    const { kv, primary, secondary, both } = setting()
    await kv.set('a', '1')
    await kv.setMany([
      ['b', '2'],
      ['c', '3'],
    ])
    await kv.delete('b')
    expect(secondary.inner.native).toEqual(primary.inner.native)
    expect(both.stats()).toMatchObject({ writes: 4, mirrored: 4, dirty: 0, repairs: 0 })
  })

  test('what a mutation does not tell is read from the primary: touch, increment, keep', async () => {
    const { both, primary, secondary } = setting()
    const kv = keyValue(mirror(primary.inner, secondary.inner))
    await kv.set('a', Buffer.from('1'), { ttlMs: 60_000 })
    await kv.set('a', Buffer.from('2'), { ttlMs: 'keep' })
    await kv.touch('a', { ttlMs: 90_000 })
    expect(await kv.increment('n', 5)).toBe(5)
    expect(secondary.inner.native).toEqual(primary.inner.native)
    expect(secondary.inner.native.get('n')?.value).toEqual(new Uint8Array(Buffer.from('5')))
    expect(both.stats().dirty).toBe(0)
  })

  test('a condition that fails in the primary changes nothing in the secondary', async () => {
    const { primary, secondary } = setting()
    const kv = keyValue(mirror(primary.inner, secondary.inner))
    await kv.set('a', Buffer.from('1'))
    await expect(kv.set('a', Buffer.from('2'), { ifVersion: null })).rejects.toThrow()
    expect(secondary.inner.native).toEqual(primary.inner.native)
  })

  test('a secondary that differs does not decide: the primary wins', async () => {
    const { kv, held, secondary } = setting()
    await keyValue(secondary.inner).set('a', Buffer.from('stray'))
    await kv.set('a', '1')
    expect(held()).toEqual([{ a: '1' }, { a: '1' }])
  })

  test('a primary that fails sends nothing to the secondary', async () => {
    const { kv, primary, secondary } = setting()
    primary.mood = 'failing'
    await expect(kv.set('a', '1')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(secondary.asked).toMatchObject({ read: 0, write: 0 })
  })

  test('an outcome that is unknown in the primary is looked at until it holds', async () => {
    const { kv, primary, both, held, equal } = setting()
    primary.mood = 'lost'
    await expect(kv.set('a', '1')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    primary.mood = 'well'
    expect(both.stats()).toMatchObject({ dirty: 1, unknownOutcomes: 1 })
    await equal()
    expect(held()).toEqual([{ a: '1' }, { a: '1' }])
  })
})

describe('a secondary that fails', () => {
  test.each(['failing', 'refusing', 'lost'] as const)(
    '%s: no write fails, and all is repaired',
    async (mood) => {
      const { kv, secondary, both, held, equal, events } = setting()
      await kv.set('old', '1')
      secondary.mood = mood
      for (const key of ['a', 'b', 'c']) await kv.set(key, key)
      await kv.delete('old')
      expect(both.stats().dirty).toBeGreaterThan(0)
      secondary.mood = 'well'
      await equal()
      expect(held()).toEqual([
        { a: 'a', b: 'b', c: 'c' },
        { a: 'a', b: 'b', c: 'c' },
      ])
      expect(events.filter(({ type }) => type === 'owed').length).toBeGreaterThan(0)
      expect(JSON.stringify(events)).not.toMatch(/old/)
    },
  )

  test('one that hangs is waited for once, for timeoutMs, and then left alone', async () => {
    const { kv, secondary, both, held, equal } = setting({ timeoutMs: 30, baseMs: 10_000, capMs: 10_000 })
    secondary.mood = 'hanging'
    await kv.set('a', '1')
    const asked = secondary.asked.write
    for (let i = 0; i < 50; i++) await kv.set(`b${i}`, '1')
    expect(secondary.asked.write).toBe(asked)
    expect(both.stats()).toMatchObject({ dirty: 51, secondaryFails: true })
    secondary.mood = 'well'
    secondary.release()
    await both.repair()
    await equal()
    expect(held()[0]).toEqual(held()[1])
  })

  test('a write that takes effect long after it was given up is repaired too', async () => {
    const { kv, secondary, held, equal } = setting({ timeoutMs: 10, doubtMs: 1 })
    secondary.mood = 'hanging'
    await kv.set('a', 'old')
    secondary.mood = 'well'
    await kv.set('a', 'new')
    await equal()
    expect(held()[1]).toEqual({ a: 'new' })
    const { write } = secondary.asked
    secondary.release()
    await new Promise(setImmediate)
    await equal()
    // It took effect, or nothing had to be written again.
    expect(secondary.asked.write).toBe(write + 1)
    expect(held()).toEqual([{ a: 'new' }, { a: 'new' }])
  })

  test('an answer is there before the deadline of the call, however long the secondary may take', async () => {
    const { both, secondary } = setting({ timeoutMs: 10_000 })
    secondary.mood = 'hanging'
    const kv = keyValue(both as Store<Bytes>, [json()], { timeoutMs: 200 })
    await expect(kv.set('a', 1)).resolves.toHaveProperty('version')
  })

  test('with acknowledge: primary the answer does not wait, and background gets the rest', async () => {
    const background: Promise<unknown>[] = []
    const { kv, secondary, held } = setting({
      acknowledge: 'primary',
      background: (work) => background.push(work),
    })
    secondary.mood = 'hanging'
    await kv.set('a', '1')
    expect(held()).toEqual([{ a: '1' }, {}])
    secondary.mood = 'well'
    secondary.release()
    await Promise.all(background)
    expect(held()).toEqual([{ a: '1' }, { a: '1' }])
  })

  test('a platform that takes no more work does not make a write fail', async () => {
    const { kv, held, equal } = setting({
      acknowledge: 'primary',
      background: () => {
        throw new Error('the invocation is over')
      },
    })
    await kv.set('a', '1')
    await equal()
    await new Promise(setImmediate)
    expect(held()).toEqual([{ a: '1' }, { a: '1' }])
  })

  test('bytes that their owner changes after the answer are not what the secondary gets', async () => {
    const { both, secondary } = setting({ acknowledge: 'primary', background: () => {} })
    const kv = keyValue(both)
    secondary.mood = 'hanging'
    const value = Buffer.from('right')
    await kv.set('a', value)
    value.write('wrong')
    secondary.mood = 'well'
    secondary.release()
    await both.repair()
    expect(Buffer.from(secondary.inner.native.get('a')?.value as Bytes).toString()).toBe('right')
  })

  test('an expiry that the secondary cannot keep is never dropped: the key stays owed', async () => {
    const secondary = unrulyStore('secondary', { capabilities: { ttl: false } })
    const { primary, both, events } = setting({}, { secondary })
    await keyValue(primary.inner).set('a', Buffer.from('1'), { ttlMs: 60_000 })
    await expect(both.resync()).resolves.toMatchObject({ keys: 1, copied: 0, failed: 1 })
    expect(secondary.inner.native.size).toBe(0)
    expect(both.stats().dirty).toBe(1)
    expect(events.some((event) => event.type === 'repair' && event.code === 'UNSUPPORTED')).toBe(true)
    await both.close()
  })
})

describe('writes of one key that meet', () => {
  test('the last one in the primary is the one that stays in the secondary', async () => {
    const { both, primary, secondary, equal } = setting()
    const value = (n: number): Bytes => Buffer.from(String(n))
    const write = (n: number) =>
      both.write(
        [
          {
            type: 'set',
            key: 'a',
            version: String(n).padStart(24, '0'),
            value: value(n),
            expiresAt: undefined,
          },
        ],
        callOptions(),
      )
    await Promise.all(Array.from({ length: 20 }, async (_, n) => write(n)))
    await equal()
    expect(secondary.inner.native.get('a')).toEqual(primary.inner.native.get('a'))
  })
})

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
    await expect(stopped).rejects.toHaveProperty('name', 'TimeoutError')
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

  test('what cannot be read is told, and ends with its signal', async () => {
    const { kv, both, secondary } = setting()
    await kv.set('a', '1')
    secondary.mood = 'failing'
    await expect(both.verify()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    secondary.mood = 'well'
    await expect(both.verify({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
  })
})

describe('close', () => {
  test('repairs what it can, closes both, and says what is left', async () => {
    const { kv, both, primary, secondary, held, events } = setting({ baseMs: 10_000, capMs: 10_000 })
    secondary.mood = 'failing'
    await kv.set('a', '1')
    secondary.mood = 'well'
    await kv.close()
    await both.close()
    expect(held()).toEqual([{ a: '1' }, { a: '1' }])
    expect([primary.asked.closed, secondary.asked.closed]).toEqual([1, 1])
    expect(events.at(-1)).toEqual({ type: 'closed', dirty: 0 })
  })

  test('does not wait for a secondary that is down, and leaves no timer', async () => {
    const before = timers()
    const { kv, both, secondary, events } = setting({ graceMs: 5_000, timeoutMs: 20 })
    secondary.mood = 'failing'
    await kv.setMany(Array.from({ length: 500 }, (_, i) => [`k${i}`, '1'] as const))
    const startedAt = performance.now()
    await both.close()
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    expect(events.at(-1)).toEqual({ type: 'closed', dirty: 500 })
    expect(timers()).toBeLessThanOrEqual(before)
  })
})

test('errors that are none of this library leave the outcome unknown', async () => {
  const primary = memory()
  let throws = true
  const careless: Store<Bytes> = {
    ...primary,
    write: (mutations, call) => {
      const results = primary.write(mutations, call)
      if (throws) throw new TypeError('not an error of this library')
      return results
    },
  }
  const both = mirror(careless, memory({ name: 'second' }), { doubtMs: 1 })
  await expect(keyValue(both).set('a', Buffer.from('1'))).rejects.toSatisfy(isStoreError)
  throws = false
  while (both.stats().dirty > 0) await new Promise((resolve) => setTimeout(resolve, 1))
  expect(both.secondary.native.get('a')?.value).toEqual(new Uint8Array([49]))
  expect(both.stats().unknownOutcomes).toBe(1)
})

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
}
