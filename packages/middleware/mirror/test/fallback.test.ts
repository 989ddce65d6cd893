import { type Bytes, isStoreError, keyValue, type Store, StoreError, text } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { type FallbackOptions, fallback } from '../src/index.ts'
import { unrulyStore } from './unruly-store.ts'

/** A fallback over two unruly stores that hold the same, but for `only` in the primary. */
async function setting(options: FallbackOptions = {}, timeoutMs = 1_000) {
  const [primary, secondary] = [unrulyStore('primary'), unrulyStore('secondary')]
  const either = fallback(primary, secondary, options)
  const kv = keyValue(either, [text()], { timeoutMs })
  await keyValue(primary.inner, [text()]).setMany([
    ['a', 'new'],
    ['b', 'new'],
    ['only', 'new'],
  ])
  await keyValue(secondary.inner, [text()]).setMany([
    ['a', 'old'],
    ['b', 'old'],
  ])
  return { primary, secondary, either, kv }
}

const stale = { tier: 'secondary', stale: true }

describe('a fallback', () => {
  test('is the primary while that works, and its native client too', async () => {
    const { either, kv, secondary } = await setting()
    expect(await kv.getEntry('a')).toMatchObject({ value: 'new' })
    expect((await kv.getEntry('a'))?.meta).toBeUndefined()
    expect(secondary.asked.read).toBe(0)
    expect(either.native).toBe(either.primary.native)
    expect(either.stats()).toMatchObject({ reads: 2, staleAnswers: 0, primaryFailures: 0 })
    expectTypeOf(either.capabilities.isolation).toEqualTypeOf<'eventual'>()
    expect(either.capabilities).toMatchObject({ isolation: 'eventual', consistency: ['strong'] })
  })

  test('answers from the secondary where the primary fails, and marks it', async () => {
    const { either, kv, primary } = await setting()
    primary.mood = 'failing'
    expect(await kv.getEntry('a')).toMatchObject({ value: 'old', meta: stale })
    expect(await kv.getMany(['a', 'b'])).toEqual(['old', 'old'])
    expect(await kv.has('a')).toBe(true)
    expect(either.stats()).toMatchObject({ primaryFailures: 4, staleAnswers: 4 })
  })

  test('answers only the keys that the primary could not', async () => {
    const { primary, secondary } = await setting()
    const half: Store<Bytes> = {
      ...primary,
      read: async (reads, call) => {
        const results = await primary.inner.read(reads, call)
        primary.mood = 'failing'
        const failure = await Promise.resolve(primary.read(reads, call)).catch(
          (error: unknown) => error as never,
        )
        return results.map((result, i) => (i === 0 && isStoreError(failure) ? failure : result))
      },
    }
    const reads = [{ key: 'a' }, { key: 'b' }]
    const results = await fallback(half, secondary).read(reads, callOptions())
    expect(results.map((one) => Buffer.from((one as { value: Bytes }).value).toString())).toEqual([
      'old',
      'new',
    ])
    expect(results.map((one) => (one as { meta?: unknown }).meta)).toEqual([stale, undefined])
  })

  test('gives the error of the primary for what the secondary does not have, as an absence cannot be marked', async () => {
    const { either, kv, primary } = await setting()
    primary.mood = 'failing'
    await expect(kv.get('only')).rejects.toMatchObject({ code: 'UNAVAILABLE', store: 'primary' })
    expect(either.stats()).toMatchObject({ staleAnswers: 0, secondaryFailures: 1 })
  })

  test('says absent if told so, and counts it', async () => {
    const { either, kv, primary } = await setting({ absent: 'answer' })
    primary.mood = 'failing'
    expect(await kv.get('only')).toBeUndefined()
    expect(either.stats()).toMatchObject({ absentAnswers: 1, staleAnswers: 0 })
  })

  test('gives the error of the primary if both fail', async () => {
    const { kv, primary, secondary } = await setting()
    primary.mood = 'failing'
    secondary.mood = 'failing'
    await expect(kv.get('a')).rejects.toMatchObject({ code: 'UNAVAILABLE', store: 'primary' })
  })

  test('asks the secondary when the primary is silent, with half of the time left', async () => {
    const { either, kv, primary } = await setting({}, 200)
    primary.mood = 'hanging'
    const startedAt = performance.now()
    expect(await kv.getEntry('a')).toMatchObject({ value: 'old', meta: stale })
    expect(performance.now() - startedAt).toBeGreaterThan(90)
    expect(either.stats()).toMatchObject({ waits: 1, staleAnswers: 1 })
    primary.release()
  })

  test('gives what the secondary has of a batch when the primary stays silent', async () => {
    const { kv, primary } = await setting({}, 800)
    primary.mood = 'hanging'
    const told = await kv.getMany(['a', 'only']).catch((error: unknown) => (error as StoreError).results)
    expect(told).toMatchObject([{ value: 'old', meta: stale }, { code: 'UNAVAILABLE' }])
  })

  test('counts a failure of the primary that comes after the answer of the secondary', async () => {
    const { either, kv, primary } = await setting({ afterMs: 1 })
    let fail = (): void => {}
    primary.inner.read = () =>
      new Promise((_resolve, reject) => {
        fail = () => reject(new StoreError('UNAVAILABLE', 'down'))
      })
    expect(await kv.get('a')).toBe('old')
    fail()
    await new Promise(setImmediate)
    expect(either.stats()).toMatchObject({ staleAnswers: 1, waits: 1, primaryFailures: 1 })
  })

  test('takes the late answer of the primary if the secondary has none', async () => {
    const { kv, primary } = await setting({ afterMs: 5 })
    primary.mood = 'hanging'
    const read = kv.getEntry('only')
    await new Promise((resolve) => setTimeout(resolve, 30))
    primary.mood = 'well'
    primary.release()
    const found = await read
    expect([found?.value, found?.meta]).toEqual(['new', undefined])
  })

  test('takes the answer of the primary if that comes first after all', async () => {
    const { either, kv, primary, secondary } = await setting({ afterMs: 5 })
    primary.mood = 'hanging'
    secondary.mood = 'hanging'
    const read = kv.getEntry('a')
    await new Promise((resolve) => setTimeout(resolve, 30))
    primary.mood = 'well'
    primary.release()
    expect((await read)?.value).toBe('new')
    secondary.release()
    await new Promise(setImmediate)
    expect(either.stats()).toMatchObject({ waits: 1, staleAnswers: 0 })
  })

  test('takes the answer of the secondary if the primary fails while both are asked', async () => {
    const { either, kv, primary, secondary } = await setting({ afterMs: 5 })
    primary.mood = 'hanging'
    secondary.mood = 'hanging'
    const read = kv.getEntry('a')
    await new Promise((resolve) => setTimeout(resolve, 30))
    primary.mood = 'failing'
    primary.release()
    await new Promise(setImmediate)
    secondary.mood = 'well'
    secondary.release()
    expect(await read).toMatchObject({ value: 'old', meta: stale })
    expect(either.stats()).toMatchObject({ staleAnswers: 1, primaryFailures: 1 })
  })

  test('never answers a strong read, a write or a listing from the secondary', async () => {
    const { kv, primary, secondary } = await setting({ afterMs: 5 }, 50)
    primary.mood = 'failing'
    const refused = { code: 'UNAVAILABLE', store: 'primary' }
    await expect(kv.get('a', { consistency: 'strong' })).rejects.toMatchObject(refused)
    await expect(kv.set('a', 'x')).rejects.toMatchObject(refused)
    await expect(listed(kv.keys())).rejects.toMatchObject(refused)
    primary.mood = 'hanging'
    await expect(kv.get('a', { consistency: 'strong' })).rejects.toMatchObject({ code: 'TIMEOUT' })
    expect(secondary.asked).toMatchObject({ read: 0, write: 0, scan: 0 })
    primary.release()
  })

  test('offers strong reads over a linearizable store that knows no levels', async () => {
    const { primary, secondary } = await setting()
    const plain = { ...primary, capabilities: { ...primary.capabilities, consistency: [] } }
    const seen: (string | undefined)[] = []
    plain.read = (reads, call) => {
      seen.push(call.consistency)
      return primary.read(reads, call)
    }
    const kv = keyValue(fallback(plain, secondary), [text()])
    expect(await kv.get('a', { consistency: 'strong' })).toBe('new')
    expect(seen).toEqual([undefined])
  })

  test('does not hide an error that is no outage', async () => {
    const { primary, secondary } = await setting()
    const broken: Store<Bytes> = {
      ...primary,
      read: async () => {
        throw new TypeError('a bug')
      },
    }
    const kv = keyValue(fallback(broken, secondary))
    await expect(kv.get('a')).rejects.toHaveProperty('cause.message', 'a bug')
    expect(secondary.asked.read).toBe(0)
  })

  test('answers at once where both do', async () => {
    const [a, b] = [memory(), memory({ name: 'b' })]
    await keyValue(b).set('k', Buffer.from('1'))
    const either = fallback(a, b)
    expect(either.capabilities.sync).toBe('all')
    expect(either.read([{ key: 'k' }], callOptions())).toEqual([undefined])
  })

  test('closes both', async () => {
    const { either, primary, secondary } = await setting()
    await either.close()
    expect([primary.asked.closed, secondary.asked.closed]).toEqual([1, 1])
  })
})

describe('listings, if they are asked for', () => {
  test('come from the secondary where the primary fails, and go on there', async () => {
    const { either, kv, primary } = await setting({ scans: 'fallback' })
    primary.mood = 'failing'
    const [page] = await listed(kv.keys({ limit: 1, pageSize: 1 }).pages())
    expect(page?.items).toEqual(['a'])
    primary.mood = 'well'
    const rest = await listed(kv.entries({ cursor: page?.cursor, pageSize: 1 }))
    expect(rest.map(([key, { value, meta }]) => [key, value, meta])).toEqual([['b', 'old', stale]])
    expect(either.stats().staleScans).toBe(2)
  })

  test('of the primary go on in the primary', async () => {
    const { kv, primary, secondary } = await setting({ scans: 'fallback' })
    const [page] = await listed(kv.keys({ limit: 1, pageSize: 1 }).pages())
    primary.mood = 'failing'
    await expect(listed(kv.keys({ cursor: page?.cursor, pageSize: 1 }))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
    primary.mood = 'well'
    expect(await listed(kv.keys({ cursor: page?.cursor, pageSize: 1 }))).toEqual(['b', 'only'])
    expect(secondary.asked.scan).toBe(0)
  })

  test('of the secondary do not go on in the primary', async () => {
    const { kv, primary } = await setting({ scans: 'fallback' })
    primary.mood = 'failing'
    const [page] = await listed(kv.keys({ limit: 1, pageSize: 1 }).pages())
    primary.mood = 'well'
    const strong = kv.keys({ cursor: page?.cursor, pageSize: 1, consistency: 'strong' })
    await expect(listed(strong)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  test('of what is to be cleared are those of the primary', async () => {
    const capabilities = { scan: { order: 'bytes', delivery: 'once', prefix: 'indexed' } } as const
    const [primary, secondary] = [unrulyStore('p', { capabilities }), unrulyStore('s', { capabilities })]
    const kv = keyValue(fallback(primary, secondary, { scans: 'fallback' }), [text()])
    await kv.set('only', 'new')
    const scan = primary.scan.bind(primary)
    // `clear` lists twice, as internal records lie apart.
    for (const failing of [0, 1]) {
      let asked = 0
      primary.scan = (range, call) => {
        if (asked++ === failing) throw new StoreError('UNAVAILABLE', 'The test says so.')
        return scan(range, call)
      }
      await expect(kv.clear({ prefix: 'o' })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    }
    primary.scan = scan
    expect(secondary.asked.scan).toBe(0)
    expect(await kv.clear({ prefix: 'o' })).toBe(1)
  })

  test('need two stores that list', () => {
    const mute = unrulyStore('mute', { capabilities: { scan: false } })
    expect(() => fallback(memory(), mute, { scans: 'fallback' })).toThrow('list their keys')
    for (const wrong of [{ afterMs: 0 }, { absent: 'x' as 'fail' }, { scans: 'x' as 'primary' }])
      expect(() => fallback(memory(), mute, wrong)).toThrow(
        expect.objectContaining({ code: 'INVALID_CONFIG' }),
      )
  })
})

async function listed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
