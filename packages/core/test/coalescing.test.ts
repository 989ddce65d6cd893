import { expect, test } from 'vitest'
import { type Bytes, type CallOptions, keyValue } from '../src/index.ts'
import { type MemoryStore, memory } from '../src/memory/memory.ts'
import { silentStore, slowStore } from './slow-store.ts'

const bytes = (value: string): Bytes => Buffer.from(value)
const textOf = (value: Bytes | undefined): string | undefined =>
  value === undefined ? undefined : Buffer.from(value).toString()
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('few calls are sent at once; what meets on the way is merged; writes are sorted and go first', async () => {
  const { store, sent } = slowStore({ batch: { coalesce: { min: 2, max: 4 } } })
  const kv = keyValue(store)
  await Promise.all([
    ...['f', 'e', 'c', 'b', 'a'].map((key) => kv.get(key)),
    ...['z', 'y', 'x'].map((key) => kv.set(key, bytes(key))),
  ])
  expect(sent).toEqual([
    { verb: 'read', keys: ['f'] },
    { verb: 'read', keys: ['e'] },
    { verb: 'write', keys: ['x', 'y', 'z'] },
    { verb: 'read', keys: ['c', 'b', 'a'] },
  ])
})

test('after a turn of many calls all of a turn go together, until a turn of few', async () => {
  const { store, sent } = slowStore({ batch: { coalesce: { min: 3, max: 100 } } })
  const kv = keyValue(store)
  const read = async (count: number): Promise<number[]> => {
    sent.length = 0
    await Promise.all(Array.from({ length: count }, (_, i) => kv.get(`k${i}`)))
    return sent.map(({ keys }) => keys.length)
  }
  expect(await read(10)).toEqual([1, 1, 1, 7])
  expect(await read(10)).toEqual([10])
  expect(await read(3)).toEqual([3])
  expect(await read(2)).toEqual([1, 1])
  expect(await read(10)).toEqual([1, 1, 1, 7])
})

test('a full batch waits for nothing, the rest for the end of the turn', async () => {
  const { store, sent } = slowStore({ batch: { coalesce: { min: 2, max: 4 } } })
  const kv = keyValue(store)
  const reads = Array.from({ length: 12 }, (_, i) => kv.get(`k${i}`))
  expect(sent.map(({ keys }) => keys.length)).toEqual([1, 1, 4, 4])
  await Promise.all(reads)
  expect(sent.map(({ keys }) => keys.length)).toEqual([1, 1, 4, 4, 2])
})

test('callers of one key share one read', async () => {
  const { store, sent } = slowStore({})
  const kv = keyValue(store)
  await kv.set('hot', bytes('1'))
  sent.length = 0
  const values = await Promise.all(Array.from({ length: 100 }, () => kv.get('hot')))
  expect(values.map(textOf)).toEqual(Array.from({ length: 100 }, () => '1'))
  expect(sent.length).toBeLessThanOrEqual(5)
  expect(sent.every(({ keys }) => keys.length === 1)).toBe(true)
})

test('coalesce: false sends every call by itself', async () => {
  const { store, sent } = slowStore({})
  const kv = keyValue(store, [], { coalesce: false })
  await Promise.all(['a', 'b', 'c'].map((key) => kv.get(key)))
  expect(sent.map(({ keys }) => keys)).toEqual([['a'], ['b'], ['c']])
})

test('conditional writes, touches and increments go alone', async () => {
  const { store, sent } = slowStore({ batch: { coalesce: { min: 1, max: 100 } } })
  const kv = keyValue(store)
  await Promise.all([
    kv.set('x', bytes('')),
    kv.set('a', bytes(''), { ifVersion: null }),
    kv.set('b', bytes('')),
    kv.set('c', bytes('')),
    kv.increment('n'),
    kv.touch('t', { ttlMs: 1 }),
  ])
  expect(sent.map(({ keys }) => keys)).toEqual([['x'], ['a'], ['n'], ['t'], ['b', 'c']])
})

test('calls on one key take effect in program order although the store answers in any order', async () => {
  for (let seed = 1; seed <= 200; seed++) {
    let state = seed
    const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
    const pause = async (): Promise<void> => {
      for (let turns = Math.floor(random() * 6); turns > 0; turns--) await turn()
    }
    const kv = keyValue(slowStore({ pause }).store)
    const model = new Map<string, string>()
    const checks: Promise<void>[] = []
    for (let step = 0; step < 60; step++) {
      const key = `k${Math.floor(random() * 4)}`
      const choice = random()
      if (choice < 0.35) {
        const value = `v${step}`
        model.set(key, value)
        checks.push(kv.set(key, bytes(value)).then(() => undefined))
      } else if (choice < 0.45) {
        model.delete(key)
        checks.push(kv.delete(key).then(() => undefined))
      } else if (choice < 0.55) {
        const entries = ['k0', key === 'k0' ? 'k1' : key].map((name): [string, string] => [name, `m${step}`])
        for (const [name, value] of entries) model.set(name, value)
        checks.push(kv.setMany(entries.map(([name, value]) => [name, bytes(value)])).then(() => undefined))
      } else if (choice < 0.9) {
        const expected = model.get(key)
        checks.push(
          kv.get(key).then((value) => expect(textOf(value), `seed ${seed} step ${step}`).toBe(expected)),
        )
      } else {
        const expected = ['k0', 'k1', 'k2', 'k3'].map((name) => model.get(name))
        checks.push(
          kv
            .getMany(['k0', 'k1', 'k2', 'k3'])
            .then((values) => expect(values.map(textOf), `seed ${seed} step ${step}`).toEqual(expected)),
        )
      }
      if (random() < 0.3) await turn()
      // From here the next call is alone, and the one after it finds it without a gate.
      if (random() < 0.1) await Promise.all(checks)
    }
    await Promise.all(checks)
  }
})

test('a batch holds each of its keys, also when the table of keys is swept for its sake', async () => {
  for (let earlier = 240; earlier <= 340; earlier += 5) {
    let turns = 1
    const pause = async (): Promise<void> => {
      const mine = turns
      turns = 1
      for (let i = 0; i < mine; i++) await turn()
    }
    const kv = keyValue(slowStore({ pause }).store)
    await Promise.all(Array.from({ length: earlier }, (_, i) => kv.set(`earlier ${i}`, bytes('1'))))
    const keys = Array.from({ length: 40 }, (_, i) => `k${i}`)
    turns = 5
    const written = kv.setMany(keys.map((key) => [key, bytes(key)]))
    const found = await Promise.all(keys.map((key) => kv.get(key)))
    expect(found.map(textOf), `after ${earlier} keys`).toEqual(keys)
    await written
  }
})

test('a scan sees all writes that were called before it', async () => {
  const kv = keyValue(slowStore({}).store)
  const writes = ['a', 'b', 'c'].map((key) => kv.set(key, bytes(key)))
  const keys: string[] = []
  for await (const key of kv.keys()) keys.push(key)
  expect(keys).toEqual(['a', 'b', 'c'])
  await Promise.all(writes)
})

test('batches over the limits are cut, and results stay aligned', async () => {
  const { store, sent } = slowStore({ batch: { maxItems: 3, maxBytes: 100, atomicity: 'none' } })
  const kv = keyValue(store)
  const pairs = Array.from({ length: 8 }, (_, i) => [`k${i}`, bytes(`v${i}`)] as const)
  await kv.setMany(pairs)
  expect(sent.map(({ keys }) => keys.length)).toEqual([3, 3, 2])
  expect((await kv.getMany(pairs.map(([key]) => key))).map(textOf)).toEqual(
    pairs.map(([, value]) => textOf(value)),
  )
  sent.length = 0
  await kv.setMany([
    ['a', Buffer.alloc(60)],
    ['b', Buffer.alloc(60)],
  ])
  expect(sent.map(({ keys }) => keys)).toEqual([['a'], ['b']])
})

test('an over-long value is refused alone, before the wire', async () => {
  const { store, sent } = slowStore({ capabilities: { maxValueBytes: 10 }, batch: { atomicity: 'none' } })
  const kv = keyValue(store)
  await expect(kv.set('a', Buffer.alloc(11))).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' })
  expect(sent).toEqual([])
  const written = kv.setMany([
    ['a', Buffer.alloc(11)],
    ['b', Buffer.alloc(10)],
  ])
  await expect(written).rejects.toMatchObject({
    code: 'PARTIAL',
    results: [{ code: 'VALUE_TOO_LARGE' }, { version: expect.any(String) }],
  })
  expect(await kv.has('b')).toBe(true)
})

test('a read ends with TIMEOUT, a sent write with OUTCOME_UNKNOWN, a waiting one with TIMEOUT', async () => {
  const kv = keyValue(silentStore(), [], { timeoutMs: 60 })
  const first = kv.set('a', bytes('1'))
  const second = kv.set('a', bytes('2'))
  const read = kv.get('b')
  await expect(first).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', operation: 'set', store: 'memory' })
  await expect(second).rejects.toMatchObject({ code: 'TIMEOUT' })
  await expect(read).rejects.toMatchObject({ code: 'TIMEOUT', operation: 'get' })
})

test('an abort detaches only its caller', async () => {
  const { store, sent } = slowStore({})
  const kv = keyValue(store)
  await kv.set('a', bytes('1'))
  const controller = new AbortController()
  const aborted = kv.get('a', { signal: controller.signal })
  const others = [kv.get('a'), kv.get('b')]
  controller.abort(new Error('enough'))
  await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' })
  expect((await Promise.all(others)).map(textOf)).toEqual(['1', undefined])
  await expect(kv.get('a', { signal: controller.signal })).rejects.toMatchObject({ code: 'ABORTED' })
  expect(sent.length).toBeGreaterThan(0)
})

test('callers that share a read of one key share neither signal nor deadline', async () => {
  const { store } = slowStore({ batch: { coalesce: { min: 1, max: 100 } } })
  const calls: CallOptions[] = []
  const kv = keyValue({
    ...store,
    read: (reads, call) => {
      calls.push(call)
      return store.read(reads, call)
    },
  })
  const { signal } = new AbortController()
  const first = kv.get('other')
  await Promise.all([first, kv.get('a'), kv.get('a', { signal, timeoutMs: 50 }), kv.get('a', { signal })])
  expect(calls).toHaveLength(2)
  expect(calls[1]?.signal).toBeUndefined()
  expect(calls[1]?.deadlineAt).toBeGreaterThan(performance.now() + 1_000)
})

test('a write that waits for its turn and is aborted never reaches the store', async () => {
  const { store, sent } = slowStore({})
  const kv = keyValue(store)
  const controller = new AbortController()
  const first = kv.set('a', bytes('1'))
  const second = kv.set('a', bytes('2'), { signal: controller.signal })
  controller.abort()
  await expect(second).rejects.toMatchObject({ code: 'ABORTED' })
  await first
  expect(textOf(await kv.get('a'))).toBe('1')
  expect(sent.filter(({ verb }) => verb === 'write')).toHaveLength(1)
})

test('a write that was given up on its way holds back the next one of its key', async () => {
  const answers: (() => void)[] = []
  const { store, sent } = slowStore({ pause: () => new Promise((resolve) => answers.push(resolve)) })
  const kv = keyValue(store)
  const controller = new AbortController()
  const first = kv.set('a', bytes('1'), { signal: controller.signal })
  controller.abort()
  await expect(first).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  const second = kv.set('a', bytes('2'))
  const other = kv.set('b', bytes('2'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(sent.map(({ keys }) => keys)).toEqual([['a'], ['b']])
  while (sent.length < 3 || answers.length > 0) {
    for (const answer of answers.splice(0)) answer()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all([second, other])
  const read = kv.get('a')
  for (const answer of answers.splice(0)) answer()
  expect(textOf(await read)).toBe('2')
})

test('a value that is refused takes none of the calls of its tick with it', async () => {
  const { store } = slowStore({ capabilities: { maxValueBytes: 10 } })
  const kv = keyValue(store)
  const first = kv.set('a', bytes('1'))
  const tooLarge = kv.set('b', Buffer.alloc(11))
  const noBytes = kv.set('c', 'text' as unknown as Uint8Array)
  const last = kv.set('d', bytes('4'))
  await expect(tooLarge).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' })
  await expect(noBytes).rejects.toMatchObject({ code: 'INVALID_VALUE' })
  await Promise.all([first, last])
  expect((await kv.getMany(['a', 'b', 'c', 'd'])).map(textOf)).toEqual(['1', undefined, undefined, '4'])
})

test('what is no bytes is refused by a store of bytes, before the wire', async () => {
  const { store, sent } = slowStore({})
  const kv = keyValue(store)
  for (const value of ['text', 1, null, { a: 1 }, [1], true, new ArrayBuffer(1), new Uint16Array(1)]) {
    const attempt = kv.set('a', value as unknown as Uint8Array)
    await expect(attempt).rejects.toMatchObject({ code: 'INVALID_VALUE', operation: 'set', store: 'memory' })
  }
  expect(sent).toEqual([])
})

test('an error that the adapter did not translate leaves the outcome of a sent write open', async () => {
  const inner = memory()
  const breaking = (pauses: boolean): MemoryStore => ({
    ...inner,
    capabilities: {
      ...inner.capabilities,
      batch: { ...inner.capabilities.batch, atomicity: 'none', maxItems: 1 },
    },
    write: () => {
      const error = new Error('socket hang up')
      if (pauses) return Promise.reject(error)
      throw error
    },
    read: () => Promise.reject(new Error('socket hang up')),
  })
  for (const pauses of [true, false]) {
    const kv = keyValue(breaking(pauses))
    await expect(kv.set('a', bytes('1'))).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', retryable: false })
    const written = kv.setMany([
      ['a', bytes('1')],
      ['b', bytes('1')],
    ])
    const unknown = { code: 'OUTCOME_UNKNOWN' }
    await expect(written).rejects.toMatchObject({ code: 'PARTIAL', results: [unknown, unknown] })
    await expect(kv.get('a')).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true })
  }
})
