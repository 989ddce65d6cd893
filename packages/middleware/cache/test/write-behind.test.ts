import {
  type Bytes,
  compose,
  json,
  keyValue,
  type Mutation,
  newVersion,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type WriteBehindOptions, writeBehind } from '../src/index.ts'
import { turn } from './gated-store.ts'

const goesOn = () => {}
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (value: Uint8Array | undefined) => value && Buffer.from(value).toString()

/** A memory store whose writes wait until they are let go, or fail. */
function controlled(options: { readonly clock?: () => number } = {}) {
  const inner: MemoryStore = memory(options)
  const writes: (readonly Mutation<Bytes>[])[] = []
  let waiting: ((error?: StoreError) => void)[] = []
  let isOpen = false
  let refuse: (mutation: Mutation<Bytes>) => StoreError | undefined = () => undefined
  const store: MemoryStore = {
    ...inner,
    write: async (mutations, call) => {
      writes.push(mutations)
      call.sent = true
      if (!isOpen)
        await new Promise<void>((resolve, reject) =>
          waiting.push((error) => (error === undefined ? resolve() : reject(error))),
        )
      const refused = mutations.map(refuse)
      // It takes a batch as a whole, or not at all.
      const error = refused.find((one) => one !== undefined)
      if (error !== undefined) return mutations.map((_, i): WriteResult => refused[i] ?? error)
      return inner.write(mutations, call)
    },
  }
  return {
    store,
    inner,
    writes,
    refuse: (how: typeof refuse) => {
      refuse = how
    },
    /** Answer what waits, or fail it. */
    answer: async (error?: StoreError) => {
      const all = waiting
      waiting = []
      for (const one of all) one(error)
      await turn()
    },
    open: async () => {
      isOpen = true
      for (const one of waiting) one()
      await turn()
    },
  }
}

function behind(options: WriteBehindOptions = {}, clock?: () => number) {
  const control = controlled(clock === undefined ? {} : { clock })
  const layer = writeBehind({
    background: goesOn,
    delayMs: 0,
    retryMs: 1,
    ...options,
    ...(clock && { clock }),
  })
  const store = compose(control.store, [layer])
  const kv = keyValue(store, [], clock === undefined ? {} : { clock })
  return { ...control, layer, kv, queue: store }
}

async function started(writes: readonly unknown[], count = 1): Promise<void> {
  while (writes.length < count) await new Promise((resolve) => setTimeout(resolve, 1))
}

describe('a write', () => {
  test('is acknowledged and read before the store has it', async () => {
    const { kv, inner, open, layer } = behind()
    const { version } = await kv.set('key', bytes('one'))
    expect(textOf(await kv.get('key'))).toBe('one')
    expect(await kv.getEntry('key')).toMatchObject({ version, meta: { tier: 'write-behind' } })
    expect(await kv.has('key')).toBe(true)
    expect(inner.native.size).toBe(0)
    await open()
    await layer.flush()
    expect(inner.native.get('key')).toMatchObject({ version })
    expect(await kv.getEntry('key')).toMatchObject({ version })
  })

  test('of a value that the writer changes later is that of the moment', async () => {
    const { kv, open, layer, inner } = behind()
    const value = bytes('one')
    await kv.set('key', value)
    value[0] = 0
    const read = (await kv.get('key')) as Uint8Array
    read[0] = 0
    await open()
    await layer.flush()
    expect(textOf(inner.native.get('key')?.value)).toBe('one')
  })

  test('is awaited where nobody takes work that outlives the answer, with the error of the store', async () => {
    const { kv, answer, refuse, writes } = behind({ background: undefined })
    let isDone = false
    const work = kv.set('key', bytes('one')).then(() => {
      isDone = true
    })
    await started(writes)
    expect(isDone).toBe(false)
    await answer()
    await work
    refuse(() => new StoreError('INVALID_VALUE', 'No such value.'))
    const refused = expect(kv.set('key', bytes('two'))).rejects.toMatchObject({ code: 'INVALID_VALUE' })
    await started(writes, 2)
    await answer()
    await refused
  })

  test('gives its work to background once a burst', async () => {
    const given: Promise<unknown>[] = []
    const { kv, open, inner } = behind({ background: (work) => given.push(work) })
    await Promise.all(['a', 'b', 'c'].map((key) => kv.set(key, bytes(key))))
    expect(given).toHaveLength(1)
    await open()
    await given[0]
    expect(inner.native.size).toBe(3)
  })

  test('with a condition is UNSUPPORTED, whoever asks', async () => {
    const { queue, kv, writes } = behind()
    const call = callOptions()
    const results = await queue.write(
      [{ type: 'set', key: 'key', value: bytes('one'), version: newVersion(), ifVersion: null }],
      call,
    )
    expect(results[0]).toMatchObject({ code: 'UNSUPPORTED' })
    // @ts-expect-error -- the types say so too
    await expect(kv.set('key', bytes('one'), { ifVersion: null })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
    })
    expect(writes).toHaveLength(0)
  })
})

describe('the queue', () => {
  test('makes one write of several that wait for a key, and keeps the order of keys', async () => {
    const { kv, writes, open, layer } = behind({ maxBatch: 10 })
    await kv.set('first', bytes('0'))
    await started(writes)
    for (const n of ['1', '2', '3']) await kv.set('hot', bytes(n))
    await kv.set('first', bytes('4'))
    await open()
    await layer.flush()
    const sent = writes.map((batch) =>
      batch.map((one) => `${one.key} ${one.type === 'set' ? textOf(one.value) : ''}`),
    )
    expect(sent).toEqual([['first 0'], ['hot 3', 'first 4']])
    expect(layer.stats()).toMatchObject({ accepted: 5, coalesced: 2, written: 3, queued: 0, queuedBytes: 0 })
  })

  test('keeps a delete as such, and a value that expires until then', async () => {
    let now = 1_000
    const { kv, inner, open, layer } = behind({}, () => now)
    await inner.write(
      [{ type: 'set', key: 'gone', value: bytes('old'), version: newVersion() }],
      callOptions(),
    )
    await inner.write(
      [{ type: 'set', key: 'short', value: bytes('old'), version: newVersion() }],
      callOptions(),
    )
    await kv.delete('gone')
    await kv.set('short', bytes('new'), { ttlMs: 100 })
    expect(await kv.getMany(['gone', 'short', 'never'])).toEqual([undefined, bytes('new'), undefined])
    now += 100
    expect(await kv.get('short')).toBeUndefined()
    await open()
    await layer.flush()
    // The older value without an expiry is gone as well.
    expect(inner.native.size).toBe(0)
  })

  test('keeps the expiry that the key has, in the store or in the queue', async () => {
    let now = 1_000
    const { kv, inner, open, layer } = behind({}, () => now)
    await inner.write(
      [{ type: 'set', key: 'key', value: bytes('old'), version: newVersion(), expiresAt: 5_000 }],
      callOptions(),
    )
    await kv.set('key', bytes('one'), { ttlMs: 'keep' })
    await kv.set('key', bytes('two'), { ttlMs: 'keep' })
    expect(await kv.getEntry('key')).toMatchObject({ expiresAt: 5_000 })
    await open()
    await layer.flush()
    expect(inner.native.get('key')).toMatchObject({ value: bytes('two'), expiresAt: 5_000 })
    now = 5_000
    expect(await kv.get('key')).toBeUndefined()
  })

  test('is scanned when it is in the store', async () => {
    const { kv, open } = behind()
    await kv.set('key', bytes('one'))
    const listed = (async () => {
      const found: string[] = []
      for await (const key of kv.keys()) found.push(key)
      return found
    })()
    await open()
    expect(await listed).toEqual(['key'])
  })

  test('is not what a strong read is answered from', async () => {
    const { kv, writes, open, inner } = behind()
    await kv.set('key', bytes('one'))
    const read = kv.getEntry('key', { consistency: 'strong' })
    await started(writes)
    expect(inner.native.size).toBe(0)
    await open()
    expect(await read).toEqual({ ...inner.native.get('key'), value: bytes('one') })
  })

  test('of which a part of the reads are is joined with the store in the right places', async () => {
    const { kv, inner } = behind()
    await inner.write(
      [{ type: 'set', key: 'below', value: bytes('b'), version: newVersion() }],
      callOptions(),
    )
    await kv.set('queued', bytes('q'))
    expect(await kv.getMany(['below', 'queued', 'absent'])).toEqual([bytes('b'), bytes('q'), undefined])
  })
})

describe('a full queue', () => {
  test('makes a write wait for room, and a deadline says that nothing was changed', async () => {
    const { kv, open, layer, inner } = behind({ maxQueued: 2 })
    await kv.set('a', bytes('1'))
    await kv.set('b', bytes('1'))
    await expect(kv.set('c', bytes('1'), { timeoutMs: 30 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    const stop = new AbortController()
    const aborted = expect(kv.set('d', bytes('1'), { signal: stop.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    })
    await turn()
    stop.abort()
    await aborted
    const waits = kv.set('e', bytes('1'))
    expect(layer.stats().queued).toBe(2)
    await open()
    await waits
    await layer.flush()
    expect(Array.from(inner.native.keys())).toEqual(['a', 'b', 'e'])
    expect(layer.stats()).toMatchObject({ delayed: 3, queued: 0 })
  })

  test('is OVERLOADED at once by choice, with the failure of the store as its cause', async () => {
    const { kv, answer, layer, writes } = behind({
      maxQueuedBytes: 1_200,
      whenFull: 'refuse',
      retryMs: 10_000,
      retryCapMs: 10_000,
    })
    await kv.set('a', new Uint8Array(600))
    await started(writes)
    const failure = new StoreError('UNAVAILABLE', 'The store is away.')
    await answer(failure)
    await expect(kv.set('b', new Uint8Array(600))).rejects.toMatchObject({
      code: 'OVERLOADED',
      cause: { code: 'UNAVAILABLE' },
    })
    const small = [0, 1, 2].map((i) => [`small ${i}`, new Uint8Array(10)] as const)
    expect(await kv.setMany(small)).toMatchObject([{}, { code: 'OVERLOADED' }, { code: 'OVERLOADED' }])
    expect(await kv.get('b')).toBeUndefined()
    expect(layer.stats().queuedBytes).toBeLessThanOrEqual(1_200)
  })

  test('takes one write that is larger than all of it, alone', async () => {
    const { kv, open, inner, layer } = behind({ maxQueuedBytes: 1_000 })
    await open()
    await kv.set('large', new Uint8Array(5_000))
    await kv.setMany(Array.from({ length: 50 }, (_, i) => [`key ${i}`, new Uint8Array(400)] as const))
    await layer.flush()
    expect(inner.native.size).toBe(51)
  })
})

describe('a store that fails', () => {
  test.each([
    'UNAVAILABLE',
    'OVERLOADED',
    'TIMEOUT',
    'OUTCOME_UNKNOWN',
    'STORE_FULL',
    'ACCESS_DENIED',
    'NOT_PREPARED',
  ] as const)('with %s gets the same write again, with the same version', async (code) => {
    const { kv, answer, open, writes, layer, inner } = behind()
    const { version } = await kv.set('key', bytes('one'))
    await started(writes)
    await answer(new StoreError(code, 'Not now.'))
    expect(textOf(await kv.get('key'))).toBe('one')
    await started(writes, 2)
    await open()
    await layer.flush()
    expect(writes.flat().map((one) => one.version)).toEqual([version, version])
    expect(inner.native.get('key')).toMatchObject({ version })
    expect(layer.stats()).toMatchObject({ retries: 1, lost: 0, written: 1 })
  })

  test('refuses one write for good: the others of its batch arrive, and onLost and flush tell of it', async () => {
    const lost: [string, string][] = []
    const { kv, open, refuse, layer, inner } = behind({
      onLost: (mutation, error) => lost.push([mutation.key, error.code]),
    })
    refuse(({ key }) => (key === 'bad' ? new StoreError('VALUE_TOO_LARGE', 'Too large.') : undefined))
    await Promise.all(['a', 'bad', 'b'].map((key) => kv.set(key, bytes(key))))
    const flushed = expect(layer.flush()).rejects.toMatchObject({
      code: 'VALUE_TOO_LARGE',
      operation: 'flush',
    })
    await open()
    await flushed
    await layer.flush()
    expect(lost).toEqual([['bad', 'VALUE_TOO_LARGE']])
    expect(Array.from(inner.native.keys()).toSorted()).toEqual(['a', 'b'])
    expect(layer.stats()).toMatchObject({ lost: 1, written: 2, queued: 0 })
  })

  test('warns of a lost write where nobody is told, without its key or value', async () => {
    const warnings: Error[] = []
    const hear = (warning: Error) => warnings.push(warning)
    process.on('warning', hear)
    const { kv, open, refuse, layer } = behind()
    refuse(() => new StoreError('INVALID_VALUE', 'No.'))
    await kv.set('secret key', bytes('secret value'))
    await open()
    await layer.flush().catch(() => {})
    await turn()
    process.off('warning', hear)
    expect(warnings.map(({ message }) => message).join()).toMatch(
      /^An acknowledged write was lost \(INVALID_VALUE\)/,
    )
    expect(warnings.join()).not.toMatch(/secret/)
  })

  test('keeps flush waiting to its own deadline, with the failure as its cause', async () => {
    const { kv, answer, writes, layer } = behind({ retryMs: 10_000, retryCapMs: 10_000 })
    await kv.set('key', bytes('one'))
    await started(writes)
    await answer(new StoreError('UNAVAILABLE', 'Away.'))
    await expect(layer.flush({ timeoutMs: 20 })).rejects.toMatchObject({
      code: 'TIMEOUT',
      cause: { code: 'UNAVAILABLE' },
    })
  })
})

describe('close', () => {
  test('brings what is queued to the store', async () => {
    const { kv, open, inner } = behind({ delayMs: 60_000 })
    await kv.set('key', bytes('one'))
    await open()
    await kv.close()
    expect(textOf(inner.native.get('key')?.value)).toBe('one')
  })

  test('tells what it could not write within its grace', async () => {
    const lost: string[] = []
    const { kv, layer } = behind({ graceMs: 20, onLost: ({ key }) => lost.push(key) })
    await kv.set('a', bytes('1'))
    await kv.set('b', bytes('1'))
    await expect(kv.close()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('2 acknowledged'),
    })
    expect(lost.toSorted()).toEqual(['a', 'b'])
    expect(layer.stats().lost).toBe(2)
  })

  test('leaves it in the journal, where the next process finds it', async () => {
    const records = memory()
    const first = behind({ graceMs: 20, journal: records })
    await first.kv.set('a', bytes('1'))
    await first.kv.delete('b')
    await first.kv.close()
    expect(first.layer.stats()).toMatchObject({ leftInJournal: 2, lost: 0 })
    const second = behind({ journal: records })
    await second.inner.write(
      [{ type: 'set', key: 'b', value: bytes('old'), version: newVersion() }],
      callOptions(),
    )
    expect(await second.kv.getMany(['a', 'b'])).toEqual([bytes('1'), undefined])
    await second.open()
    await second.layer.flush()
    await second.kv.close()
    expect(Array.from(second.inner.native.keys())).toEqual(['a'])
    expect(second.layer.stats()).toMatchObject({ replayed: 2 })
    expect(records.native.size).toBe(0)
  })
})

test('objects go through a codec above it', async () => {
  const users = keyValue(memory(), [json(), writeBehind({ background: goesOn })])
  await users.set('ada', { name: 'Ada' })
  expect(await users.get('ada')).toEqual({ name: 'Ada' })
  await users.close()
})

test.each<WriteBehindOptions>([
  { maxBatch: 0 },
  { delayMs: -1 },
  { maxQueued: 1.5 },
  { maxQueuedBytes: Number.NaN },
  { whenFull: 'drop' as never },
  { background: true as never },
  { retryMs: 0 },
  { timeoutMs: 2 ** 31 },
  { journal: memory() },
  { background: goesOn, journal: memory(), namespace: '' },
])('a bad option is INVALID_CONFIG: %o', (options) => {
  expect(() => writeBehind(options)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
})
