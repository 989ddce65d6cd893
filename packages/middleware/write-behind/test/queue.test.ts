import { isStoreError, newVersion, StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { behind, bytes, started, textOf, turn } from './setting.ts'

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
    expect(await inner.read([{ key: 'gone' }, { key: 'short' }], callOptions())).toEqual([
      undefined,
      undefined,
    ])
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

  test.each([
    ['memory', {}],
    ['a journal', { journal: memory() }],
  ])('says of a batch that came in in part what was taken, with %s', async (_what, options) => {
    const { kv, open } = behind({ maxQueued: 2, ...options })
    const partly = await kv
      .setMany(
        ['a', 'b', 'c', 'd'].map((key) => [key, bytes(key)]),
        { timeoutMs: 300 },
      )
      .catch((error: unknown) => (error as StoreError).results ?? error)
    const codes = (partly as readonly unknown[]).map((one) => (isStoreError(one) ? one.code : 'written'))
    expect(codes).toEqual(['written', 'written', 'TIMEOUT', 'TIMEOUT'])
    await open()
    await kv.close()
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
    await expect(kv.setMany(small)).rejects.toMatchObject({
      code: 'PARTIAL',
      results: [{}, { code: 'OVERLOADED' }, { code: 'OVERLOADED' }],
    })
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
