import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Opening } from '../src/adapter/opened-store.ts'
import {
  type Bytes,
  type CallOptions,
  json,
  keyValue,
  type Mutation,
  type Page,
  type Store,
  type StoreError,
  text,
} from '../src/index.ts'
import { memory } from '../src/memory/memory.ts'
import { slowStore } from './slow-store.ts'

const bytes = (value: string): Bytes => Buffer.from(value)
const thrown = (work: Promise<unknown>): Promise<StoreError> =>
  work.then(
    () => expect.fail('it succeeded'),
    (error: StoreError) => error,
  )

/** A store whose writes wait, unsent, until `open`. */
function unopened() {
  const { store, sent } = slowStore({ batch: { coalesce: { min: 2, max: 32 } } })
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const write = async (mutations: readonly Mutation<Bytes>[], call: CallOptions) => {
    call.sent = false
    await opened
    if (call.settled === true || call.signal?.aborted === true) throw new Error('ended')
    call.sent = true
    return store.write(mutations, call)
  }
  return { store: { ...store, write } as typeof store, sent, open: () => open() }
}

test('of merged writes that were not sent each is certain, and none that ended is sent', async () => {
  const { store, open } = unopened()
  const kv = keyValue(store, [text()])
  const stop = new AbortController()
  const sets = Array.from({ length: 64 }, (_, i) =>
    kv.set(`k${i}`, 'v', { signal: i % 2 === 0 ? stop.signal : undefined }),
  )
  const outcomes = Promise.allSettled(sets)
  await turn()
  await turn()
  stop.abort()
  await turn()
  open()
  const codes = (await outcomes).map((one) =>
    one.status === 'rejected' ? (one.reason as StoreError).code : 'written',
  )
  expect(codes).toEqual(Array.from({ length: 64 }, (_, i) => (i % 2 === 0 ? 'ABORTED' : 'written')))
  const found = await kv.getMany(Array.from({ length: 64 }, (_, i) => `k${i}`))
  expect(found).toEqual(Array.from({ length: 64 }, (_, i) => (i % 2 === 0 ? undefined : 'v')))
})

test('twelve thousand aborted reads of one key end, each by itself', async () => {
  const kv = keyValue(slowStore({ batch: { coalesce: { min: 2, max: 32 } } }).store, [text()])
  const stop = new AbortController()
  const reads = Array.from({ length: 12_000 }, () => kv.get('hot', { signal: stop.signal }))
  // Traces of so many errors would take most of the time.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  stop.abort()
  const outcomes = await Promise.allSettled(reads)
  Error.stackTraceLimit = stackTraceLimit
  expect(outcomes.every((one) => one.status === 'rejected')).toBe(true)
})

test('a hundred updates at once take a hundred writes', async () => {
  const { store, sent } = slowStore({})
  const kv = keyValue(store, [json()])
  let calls = 0
  await Promise.all(
    Array.from({ length: 100 }, () =>
      kv.update('n', (n) => {
        calls++
        return Number(n ?? 0) + 1
      }),
    ),
  )
  expect(await kv.get('n')).toBe(100)
  expect(calls).toBe(100)
  expect(sent.filter(({ verb }) => verb === 'write')).toHaveLength(100)
})

test('an update that waits behind its key ends at its deadline, with nothing changed', async () => {
  const { store } = slowStore({ pause: () => new Promise(() => {}) })
  const kv = keyValue(store, [json()])
  void kv.set('k', 1).catch(() => {})
  const error = await thrown(kv.update('k', () => expect.fail('it ran'), { timeoutMs: 30 }))
  expect(error).toMatchObject({ code: 'TIMEOUT', operation: 'update' })
})

test('what the function of update throws passes, and its key is free again', async () => {
  const kv = keyValue(slowStore({}).store, [json()])
  const own = new TypeError('mine')
  const calls = [
    kv.update('k', () => {
      throw own
    }),
    kv.update('k', () => 2),
  ]
  const [first, second] = await Promise.allSettled(calls)
  expect(first).toEqual({ status: 'rejected', reason: own })
  expect(second).toEqual({ status: 'fulfilled', value: 2 })
})

test('close lets calls of several steps come to their end', async () => {
  for (const pauses of [1, 5]) {
    const pause = async (): Promise<void> => {
      for (let i = 0; i < pauses; i++) await turn()
    }
    const { store } = slowStore({ pause })
    const kv = keyValue(store, [json()])
    await kv.setMany(['a', 'b', 'c'].map((key) => [key, 1]))
    const calls = [kv.update('z', () => 2), kv.clear({ prefix: 'a' }), kv.count()]
    await turn()
    await kv.close()
    const [updated, cleared, counted] = await Promise.all(calls)
    expect([updated, cleared, typeof counted]).toEqual([2, 1, 'number'])
    await expect(kv.count()).rejects.toMatchObject({ code: 'CLOSED' })
    await expect(kv.update('z', () => 3)).rejects.toMatchObject({ code: 'CLOSED' })
  }
})

test('after the grace a call of several steps ends with CLOSED', async () => {
  const { store } = slowStore({ pause: () => new Promise(() => {}) })
  const kv = keyValue(store, [json()], { graceMs: 20 })
  const error = thrown(kv.update('a', () => 1))
  await kv.close()
  expect(await error).toMatchObject({ code: 'CLOSED' })
})

/** A store of bytes with some verbs of its own. */
function changed(own: Partial<Store<Bytes>>): ReturnType<typeof memory> {
  return { ...memory(), ...own } as ReturnType<typeof memory>
}

test('clear that ends early says how many records went', async () => {
  const inner = memory()
  let pages = 0
  const store = changed({
    ...inner,
    scan: (range, call) => ({
      async *[Symbol.asyncIterator]() {
        for await (const page of inner.scan({ ...range, pageSize: 2 }, call)) {
          if (++pages > 2) throw new Error('cut')
          yield page
        }
      },
    }),
  })
  const kv = keyValue(store, [json()])
  await kv.setMany(Array.from({ length: 10 }, (_, i) => [`k${i}`, i]))
  const error = await thrown(kv.clear({ all: true }))
  expect(error).toMatchObject({ code: 'PARTIAL', operation: 'clear', done: 4, retryable: true })
  expect(error.message).toContain('4 records')
  expect(error.message).not.toContain('nothing was changed')
  expect(error.cause).toMatchObject({ code: 'UNAVAILABLE' })
  pages = -100
  expect(await kv.count()).toBe(6)
})

test('clear by a signal that comes before anything went is ABORTED', async () => {
  const kv = keyValue(slowStore({}).store, [json()])
  await kv.set('k', 1)
  const stop = new AbortController()
  const clearing = kv.clear({ all: true, signal: stop.signal })
  stop.abort()
  await expect(clearing).rejects.toMatchObject({ code: 'ABORTED', done: undefined })
  expect(await kv.get('k')).toBe(1)
})

test('a store that lists a key twice is cleared, beside other calls on it', async () => {
  const { store } = slowStore({})
  const twice = {
    ...store,
    scan: async function* (range: never, call: never) {
      for await (const page of store.scan(range, call) as AsyncIterable<{ entries: unknown[] }>)
        yield { ...page, entries: page.entries.flatMap((entry) => [entry, entry]) }
    } as never,
  }
  const kv = keyValue(twice, [json()])
  await kv.setMany([
    ['a', 1],
    ['b', 1],
  ])
  const [cleared] = await Promise.all([kv.clear({ all: true }), kv.set('a', 2)])
  expect(cleared).toBe(2)
  expect(await kv.getMany(['a', 'b'])).toEqual([2, undefined])
})

test('a set after clear stays, whatever clear has listed by then', async () => {
  for (const turns of [0, 1, 2, 3, 5, 8]) {
    const { store } = slowStore({})
    const kv = keyValue(store, [json()])
    await kv.setMany(Array.from({ length: 5 }, (_, i) => [`k${i}`, 0]))
    const clearing = kv.clear({ all: true })
    for (let i = 0; i < turns; i++) await turn()
    const calls = [kv.set('k1', 1), kv.update('k2', (n) => n ?? 'new'), kv.set('k9', 9)]
    await Promise.all([clearing, ...calls])
    expect(await kv.getMany(['k0', 'k1', 'k2', 'k9'])).toEqual([undefined, 1, 'new', 9])
    expect(await clearing).toBe(5)
  }
})

test('clear waits for all that it deletes before later calls', async () => {
  const { store } = slowStore({})
  const held = new Map(['k0', 'k9'].map((key) => [key, gate()]))
  const kv = keyValue(
    {
      ...store,
      write: async (mutations, call) => {
        if (mutations[0]?.type === 'delete') await held.get(mutations[0].key)?.opened
        return store.write(mutations, call)
      },
    },
    [json()],
  )
  let isCleared = false
  const clearing = kv.clear({ all: true }).then(() => {
    isCleared = true
  })
  const first = kv.get('k0')
  for (let i = 0; i < 10; i++) await turn()
  // Comes while the clearing waits for nothing but the first.
  const second = kv.get('k9')
  held.get('k0')?.open()
  for (let i = 0; i < 10; i++) await turn()
  expect(isCleared).toBe(false)
  held.get('k9')?.open()
  await Promise.all([clearing, first, second])
})

test('a scan that cannot be left quietly fails nobody', async () => {
  const store = changed({
    scan: () => ({
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: { entries: [{ key: 'k' }], resume: 'k' } }),
        return: () => Promise.reject(new Error('cannot stop')),
      }),
    }),
  })
  for await (const key of keyValue(store).keys()) {
    expect(key).toBe('k')
    break
  }
  await turn()
})

test('a listing waits for earlier writes of its keys alone', async () => {
  const inner = memory()
  const never = new Promise<never>(() => {})
  const store = changed({
    ...inner,
    read: (reads, call) => (reads[0]?.key === 'hang' ? never : inner.read(reads, call)),
    write: (mutations, call) => (mutations[0]?.key.startsWith('hang') ? never : inner.write(mutations, call)),
  })
  const kv = keyValue(store, [json()])
  await kv.set('here', 1)
  void kv.get('hang').catch(() => {})
  void kv.set('hangs', 1).catch(() => {})
  expect(await kv.count({ prefix: 'he' })).toBe(1)
  await expect(kv.count({ timeoutMs: 20 })).rejects.toMatchObject({ code: 'TIMEOUT', operation: 'count' })
})

test('a batch in parts that ends early tells of each item', async () => {
  const inner = memory()
  const store = changed({
    ...inner,
    capabilities: {
      ...inner.capabilities,
      sync: 'none',
      batch: { ...inner.capabilities.batch, atomicity: 'none', maxItems: 2 },
    },
    write: (mutations, call) => {
      const { key, version = '' } = mutations[0] ?? {}
      if (key === 'a') return inner.write(mutations, call)
      // An adapter that knows more than that the part was sent.
      if (key === 'e')
        call.parts = [
          { size: 1, sent: true, results: [{ version }] },
          { size: 1, sent: false, results: undefined },
        ]
      if (key === 'g') call.sent = false
      return new Promise<never>(() => {})
    },
  })
  const entries = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => [key, bytes(key)] as const)
  const error = await thrown(keyValue(store).setMany(entries, { timeoutMs: 30 }))
  expect(error.code).toBe('OUTCOME_UNKNOWN')
  const unsure = 'OUTCOME_UNKNOWN'
  expect(error.results?.map((one) => (one as StoreError).code)).toEqual([
    undefined,
    undefined,
    unsure,
    unsure,
    undefined,
    'TIMEOUT',
    'TIMEOUT',
  ])
  expect((await thrown(keyValue(store).setMany(entries.slice(6), { timeoutMs: 30 }))).code).toBe('TIMEOUT')
  const partly = await thrown(
    keyValue(store).setMany([...entries.slice(0, 2), ...entries.slice(6)], { timeoutMs: 30 }),
  )
  expect(partly.code).toBe('PARTIAL')
})

test('update says keep, as a touch may come between its read and its write', async () => {
  const store = memory()
  const [a, b] = [keyValue(store, [json()]), keyValue(store, [json()])]
  await a.set('s', 1)
  await a.update('s', () => {
    void b.touch('s', { ttlMs: 60_000 })
    return 2
  })
  expect((await a.getEntry('s'))?.expiresAt).toBeTypeOf('number')
})

test('clear and count end at the timeoutMs that they were given, however long the listing', async () => {
  const inner = memory()
  async function* endless(): AsyncGenerator<Page<Bytes>> {
    for (let i = 0; ; i++) {
      await turn()
      yield { entries: [{ key: `k${i}`, entry: undefined }], resume: `k${i}` }
    }
  }
  const kv = keyValue(changed({ ...inner, scan: () => endless() }), [json()])
  await expect(kv.count({ timeoutMs: 50 })).rejects.toMatchObject({ code: 'TIMEOUT' })
  const cleared = await kv.clear({ all: true, timeoutMs: 50 }).catch((error: StoreError) => error)
  expect(cleared).toMatchObject({ code: 'PARTIAL', done: expect.any(Number) as number })
})

test('merged writes that are given up while the store opens are not sent when it is open', async () => {
  const inner = memory()
  const opened = gate()
  const opening = new Opening<true>(
    async () => {
      await opened.opened
      return true
    },
    async () => {},
  )
  const store = changed({
    ...inner,
    capabilities: {
      ...inner.capabilities,
      sync: 'none',
      batch: { ...inner.capabilities.batch, coalesce: { min: 2, max: 32 } },
    },
    write: async (mutations, call) => {
      call.sent = true
      await opening.opened(call)
      return inner.write(mutations, call)
    },
  })
  const kv = keyValue(store, [json()])
  const controllers = Array.from({ length: 20 }, () => new AbortController())
  const told = controllers.map(({ signal }, i) =>
    kv.set(`k${i}`, i, { signal }).then(
      () => 'written',
      (error: StoreError) => error.code,
    ),
  )
  await turn()
  for (const [i, controller] of controllers.entries()) if (i % 2 === 0) controller.abort()
  await turn()
  opened.open()
  const ends = await Promise.all(told)
  const found = await kv.getMany(controllers.map((_, i) => `k${i}`))
  for (const [i, end] of ends.entries())
    expect([i, end, found[i]]).toEqual([i, end, end === 'written' ? i : undefined])
  expect(ends.filter((end) => end === 'ABORTED')).toHaveLength(10)
})

/** What waits until somebody opens it. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}
