import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { decodeRecord, encodeRecord, isRecord } from '../src/adapter/index.ts'
import {
  type Bytes,
  isStoreError,
  isVersion,
  keyValue,
  newVersion,
  passThrough,
  remove,
  StoreError,
  toStoreError,
} from '../src/index.ts'
import { memory } from '../src/memory/memory.ts'

const bytes = (value: string): Bytes => Buffer.from(value)
const identity = passThrough('identity', { wrap: () => ({}) })

test('a full store refuses and keeps everything', async () => {
  const kv = keyValue(memory({ maxEntries: 3, maxBytes: 100 }))
  await kv.setMany([
    ['a', bytes('1')],
    ['b', bytes('2')],
  ])
  await expect(
    kv.setMany([
      ['c', bytes('3')],
      ['d', bytes('4')],
    ]),
  ).rejects.toMatchObject({ code: 'STORE_FULL' })
  expect(await kv.count()).toBe(2)
  await expect(kv.set('a', Buffer.alloc(100))).rejects.toMatchObject({ code: 'STORE_FULL' })
  expect(Buffer.from((await kv.get('a')) as Bytes).toString()).toBe('1')
  await kv.set('c', bytes('3'))
  await kv.delete('a')
  await kv.set('d', Buffer.alloc(90))
})

test('what the caller does to its Buffers does not reach the store', async () => {
  const kv = keyValue(memory())
  const mine = Buffer.from('stored')
  await kv.set('k', mine)
  mine.fill(0)
  const read = (await kv.get('k')) as Bytes
  expect(Buffer.from(read).toString()).toBe('stored')
  read.fill(0)
  expect(Buffer.from((await kv.get('k')) as Bytes).toString()).toBe('stored')
  const counter = keyValue(memory())
  await counter.increment('n', 7)
  ;((await counter.get('n')) as Bytes).fill(0)
  expect(await counter.increment('n', 1)).toBe(8)
})

test('the native client is not asked for before somebody wants it', () => {
  let asked = 0
  const inner = memory()
  const store = {
    ...inner,
    get native() {
      asked++
      return inner.native
    },
  }
  const kv = keyValue(store, [identity])
  expect(asked).toBe(0)
  expect(kv.native).toBe(inner.native)
})

test('update keeps the expiry, leaves on undefined and removes on remove', async () => {
  let now = 1_000
  const clock = (): number => now
  const kv = keyValue(memory({ clock }), [], { clock })
  await kv.set('n', bytes('1'), { ttlMs: 500 })
  await kv.update('n', () => bytes('2'))
  expect(await kv.getEntry('n')).toMatchObject({ expiresAt: 1_500 })
  const { version } = (await kv.getEntry('n')) ?? {}
  await kv.update('n', () => undefined)
  expect(await kv.getEntry('n')).toMatchObject({ version })
  now = 1_500
  expect(await kv.get('n')).toBeUndefined()
  expect(await kv.update('n', (value) => (value === undefined ? bytes('new') : undefined))).toEqual(
    new Uint8Array(bytes('new')),
  )
  expect(await kv.update('n', () => remove)).toBeUndefined()
  expect(await kv.has('n')).toBe(false)
  expect(await kv.update('n', () => remove)).toBeUndefined()
})

test('sixteen updates at once all count', async () => {
  const kv = keyValue(memory())
  await Promise.all(
    Array.from({ length: 16 }, () =>
      kv.update('n', (value) => bytes(String(Number(Buffer.from(value ?? bytes('0')).toString()) + 1))),
    ),
  )
  expect(Buffer.from((await kv.get('n')) as Bytes).toString()).toBe('16')
})

test('update gives up after sixteen conflicts and says so', async () => {
  const store = memory()
  const other = keyValue(store)
  const kv = keyValue(store, [], { random: () => 0 })
  let tries = 0
  const spoiled = kv.update('n', () => {
    tries++
    void other.set('n', bytes(String(tries)))
    return bytes('mine')
  })
  await expect(spoiled).rejects.toMatchObject({
    code: 'CONDITION_FAILED',
    operation: 'update',
    retryable: true,
  })
  expect(tries).toBe(16)
})

test('what bad input gets', async () => {
  const kv = keyValue(memory())
  const code = async (work: () => Promise<unknown>): Promise<string | undefined> =>
    work().then(
      () => undefined,
      (error: unknown) => (isStoreError(error) ? error.code : 'no StoreError'),
    )
  const one = bytes('1')
  expect(await code(() => kv.get(''))).toBe('INVALID_KEY')
  expect(await code(() => kv.get(1 as never))).toBe('INVALID_KEY')
  expect(await code(() => kv.get({ toString: () => 'a' } as never))).toBe('INVALID_KEY')
  expect(await code(() => kv.get('\ud800'))).toBe('INVALID_KEY')
  expect(await code(() => kv.get('é'.repeat(32_769)))).toBe('KEY_TOO_LONG')
  expect(await code(() => kv.get('é'.repeat(32_768)))).toBeUndefined()
  expect(await code(() => kv.getMany(['a', 'a']))).toBeUndefined()
  expect(
    await code(() =>
      kv.setMany([
        ['a', one],
        ['a', one],
      ]),
    ),
  ).toBe('INVALID_ARGUMENT')
  expect(await code(() => kv.set('a', undefined as never))).toBe('INVALID_VALUE')
  for (const ttlMs of [0, -1, Number.NaN, '5', null])
    expect(await code(() => kv.set('a', one, { ttlMs: ttlMs as never }))).toBe('INVALID_ARGUMENT')
  for (const timeoutMs of [0, -1, Number.NaN, '5', null])
    expect(await code(() => kv.get('a', { timeoutMs: timeoutMs as never }))).toBe('INVALID_ARGUMENT')
  expect(await code(() => kv.set('a', one, { ifVersion: 5 as never }))).toBe('INVALID_ARGUMENT')
  expect(await code(() => kv.get('a', { consistency: 'quorum' }))).toBe('UNSUPPORTED')
  expect(await code(() => kv.increment('a', 0.5))).toBe('INVALID_ARGUMENT')
  expect(await code(() => kv.touch('a', { ttlMs: 'keep' as never }))).toBe('INVALID_ARGUMENT')
  expect(await code(async () => kv.namespace(''))).toBe('INVALID_KEY')
  expect(() => keyValue(memory(), [], { timeoutMs: 0 })).toThrow(/timeoutMs/)
  expect(() => memory({ maxBytes: -1 })).toThrow(/maxBytes/)
  expect(await kv.count()).toBe(0)
})

test('undefined settings count as absent', async () => {
  const kv = keyValue(memory())
  await kv.set('a', bytes('1'), {
    ttlMs: undefined,
    ifVersion: undefined,
    timeoutMs: undefined,
    signal: undefined,
  })
  expect(await kv.has('a')).toBe(true)
})

test('counters are decimal text, safe, and keep their expiry', async () => {
  const kv = keyValue(memory())
  expect(await kv.increment('n')).toBe(1)
  expect(await kv.increment('n', -3)).toBe(-2)
  expect(await kv.increment('m', 1, { initial: 10, ttlMs: 60_000 })).toBe(11)
  expect(await kv.getEntry('m')).toMatchObject({
    value: new Uint8Array(bytes('11')),
    expiresAt: expect.any(Number),
  })
  await kv.set('big', bytes(String(Number.MAX_SAFE_INTEGER)))
  await expect(kv.increment('big')).rejects.toMatchObject({ code: 'INVALID_VALUE' })
  for (const body of ['', 'x', '1.5', '01', '-0', ' 1', '9007199254740993']) {
    await kv.set('no', bytes(body))
    await expect(kv.increment('no')).rejects.toMatchObject({ code: 'INVALID_VALUE' })
  }
})

test('versions are unique and ascend, also when the clock steps back', () => {
  const versions = Array.from({ length: 50_000 }, (_, i) => newVersion(i % 3 === 0 ? 5 : undefined))
  expect(new Set(versions).size).toBe(versions.length)
  expect(versions.every(isVersion)).toBe(true)
  const heads = versions.map((version) => version.slice(0, 16))
  expect(heads.toSorted()).toEqual(heads)
})

test('records keep body, version and expiry, and foreign bytes are no record', () => {
  const version = newVersion()
  const record = encodeRecord(bytes('body'), version, 1_234.5)
  expect(decodeRecord(record)).toMatchObject({ version, expiresAt: 1_234, value: bytes('body') })
  expect(decodeRecord(encodeRecord(new Uint8Array(0), version, undefined)).expiresAt).toBeUndefined()
  for (const foreign of [Buffer.alloc(0), Buffer.from('{"a":1}'), Buffer.alloc(40), record.subarray(0, 19)]) {
    expect(isRecord(foreign)).toBe(false)
    expect(() => decodeRecord(foreign)).toThrow(/not a unikv record/)
  }
})

test('errors are recognised over copies, located once, and show neither key nor results', () => {
  const error = new StoreError('PARTIAL', 'some', {
    key: 'secret-key',
    results: ['secret-value'],
    cause: new Error('why'),
  })
  expect(isStoreError(error)).toBe(true)
  expect(isStoreError(new Error('x'))).toBe(false)
  const foreign = Object.create({ [Symbol.for('@unikv/core/StoreError')]: true }) as unknown
  expect(isStoreError(foreign)).toBe(true)
  expect(inspect(error)).not.toMatch(/secret/)
  expect(JSON.stringify(error)).not.toMatch(/secret/)
  const located = toStoreError(error, { operation: 'get', store: 'memory' })
  expect(located).toMatchObject({ code: 'PARTIAL', operation: 'get', store: 'memory', key: 'secret-key' })
  expect(toStoreError(located, { operation: 'other', store: 'other' })).toBe(located)
  expect(toStoreError('thrown text', { operation: 'get', store: 's' })).toMatchObject({
    code: 'UNAVAILABLE',
    retryable: true,
    cause: 'thrown text',
  })
})

test('expired records take no room', async () => {
  let now = 1_000
  const store = memory({ maxEntries: 2, maxBytes: 100, clock: () => now })
  const kv = keyValue(store, [], { clock: () => now })
  const value = new Uint8Array(40)
  await kv.set('a', value, { ttlMs: 5 })
  await kv.set('b', value, { ttlMs: 5 })
  await expect(kv.set('c', value)).rejects.toMatchObject({ code: 'STORE_FULL' })
  now += 20
  await kv.set('c', value)
  expect(Array.from(store.native.keys())).toEqual(['c'])
})

test('the memory store holds exactly what lives after each write, whatever expiries come and go', async () => {
  let now = 0
  const store = memory({ clock: () => now })
  const kv = keyValue(store, [], { clock: () => now })
  const model = new Map<string, number>()
  const random =
    (seed: number): (() => number) =>
    () =>
      (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  const next = random(7)
  for (let step = 0; step < 3_000; step++) {
    now += Math.floor(next() * 4)
    const key = `k${Math.floor(next() * 50)}`
    const ttlMs = next() < 0.7 ? 1 + Math.floor(next() * 60) : undefined
    await kv.set(key, new Uint8Array(1), { ttlMs })
    model.set(key, ttlMs === undefined ? Number.POSITIVE_INFINITY : now + ttlMs)
    const live = [...model].filter(([, expiresAt]) => expiresAt > now).map(([name]) => name)
    expect([...store.native.keys()].sort()).toEqual(live.sort())
  }
})
