import { testClock } from '@unikv/conformance'
import { type Bytes, compose, isEntry, isStoreError, keyValue, newVersion } from '@unikv/core'
import { callOptions, isUserKey } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type DeltaOptions, delta } from '../src/index.ts'
import { noise, revision } from './samples.ts'
import { Watched } from './watched.ts'

function opened(options: DeltaOptions = {}, store = new Watched()) {
  const layer = delta(options)
  const bytes = (below: Watched) => keyValue(below, [layer])
  return { store, layer, kv: bytes(store) }
}

const same = (value: Bytes | undefined): Buffer | undefined =>
  value === undefined ? undefined : Buffer.from(value)
/** Lets the removal of old parts end. */
const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

describe('what is written', () => {
  test('a new value is one record, 6 bytes longer than itself', async () => {
    const { store, kv } = opened()
    await kv.set('key', revision(1))
    expect(store.writes.flat()).toHaveLength(1)
    expect(store.writtenBytes).toBe(revision(1).length + 6)
    expect(store.reads).toHaveLength(0)
  })

  test('an update of a value that has a base is one write of what changed', async () => {
    const { store, kv, layer } = opened()
    for (const n of [1, 2]) await kv.set('key', revision(n))
    store.forget()
    for (const n of [3, 4, 5]) {
      await kv.set('key', revision(n))
      expect(store.writes).toHaveLength(n - 2)
    }
    expect(store.reads).toHaveLength(0)
    expect(store.writtenBytes).toBeLessThan(revision(1).length / 2)
    expect(same(await kv.get('key'))).toEqual(same(revision(5)))
    expect(layer.stats()).toMatchObject([{ wholes: 1, bases: 1, deltas: 3, conflicts: 0 }])
  })

  test('deltas that outgrow inlineBytes move to one record, and the chain to a new base after maxDeltas', async () => {
    const { store, kv } = opened({ inlineBytes: 60, maxDeltas: 6 })
    const parts: number[] = []
    for (let n = 1; n <= 10; n++) {
      await kv.set('key', revision(n))
      await quiet()
      parts.push(store.parts.length)
    }
    expect(parts[0]).toBe(0)
    expect(parts[1]).toBe(1)
    expect(Math.max(...parts)).toBeGreaterThan(2)
    expect(parts[8]).toBe(1)
    expect(same(await kv.get('key'))).toEqual(same(revision(10)))
  })

  test('values below minBytes, unrelated ones, and those under a key too long for internal keys are whole', async () => {
    const store = new Watched({}, { maxKeyBytes: 100 })
    const { kv, layer } = opened({}, store)
    const long = 'k'.repeat(80)
    for (const n of [1, 2, 3]) {
      await kv.set('small', revision(n).slice(0, 500))
      await kv.set('unrelated', noise(n, 3000))
      await kv.set(long, revision(n))
    }
    expect(layer.stats()[0]).toMatchObject({ wholes: 9, bases: 0, deltas: 0 })
    expect(store.parts).toEqual([])
  })

  test('values that never have anything in common are compared one time in eight', async () => {
    const { kv, layer } = opened()
    for (let n = 0; n < 60; n++) await kv.set('key', noise(n, 2000))
    for (let n = 0; n < 20; n++) await kv.set('key', revision(n))
    expect(layer.stats()[0]?.bases).toBe(1)
    expect(layer.stats()[0]?.deltas).toBeGreaterThan(8)
  })

  test('values longer than maxReplayBytes, and deltas that find no room beside a base, need no base', async () => {
    const { store, kv, layer } = opened({ maxReplayBytes: 2000 })
    const { kv: narrow } = opened({ maxChainShare: 0.001 }, store)
    for (let n = 0; n < 4; n++) await kv.set('long', revision(n))
    for (let n = 0; n < 4; n++) await narrow.set('narrow', revision(n))
    expect(layer.stats()[0]).toMatchObject({ wholes: 4, bases: 0 })
    expect(store.parts).toEqual([])
  })

  test('a value that is replaced by an unrelated one, or deleted, leaves no part behind', async () => {
    const { store, kv } = opened({ inlineBytes: 0 })
    for (const key of ['a', 'b']) for (let n = 1; n < 5; n++) await kv.set(key, revision(n))
    expect(store.parts.length).toBeGreaterThan(4)
    await kv.set('a', noise(1, 3000))
    await keyValue(store, [delta()]).delete('b')
    await quiet()
    expect(store.parts).toEqual([])
    expect(await kv.get('b')).toBeUndefined()
  })

  test('clear takes parts along, those that no head names too', async () => {
    const { store, kv } = opened({ inlineBytes: 0 })
    for (let n = 1; n < 4; n++) await kv.namespace('inside').set('key', revision(n))
    for (let n = 1; n < 4; n++) await kv.set('key', revision(n))
    // A program that knows nothing of it writes whole.
    await keyValue(store, [delta()]).set('key', noise(1, 10))
    await quiet()
    const before = store.parts.length
    expect(before).toBe(4)
    expect(await kv.namespace('inside').clear({ all: true })).toBe(1)
    await quiet()
    expect(store.parts.length).toBe(2)
    await kv.clear({ all: true })
    await quiet()
    expect(store.inner.native.size).toBe(0)
  })

  test('a batch takes as many requests as one of its items', async () => {
    const { store, kv } = opened({ inlineBytes: 0 })
    const keys = Array.from({ length: 50 }, (_, i) => `key ${i}`)
    const write = (n: number) => kv.setMany(keys.map((key) => [key, revision(n)]))
    for (const n of [1, 2]) await write(n)
    store.forget()
    await write(3)
    expect(store.writes.map((batch) => batch.length)).toEqual([50, 50])
    const fresh = keyValue(store, [delta()])
    store.forget()
    expect((await fresh.getMany(keys)).map(same)).toEqual(keys.map(() => same(revision(3))))
    expect(store.reads.map((batch) => batch.length)).toEqual([50, 100])
  })

  test('a value is as it was when it was given, whatever becomes of the bytes', async () => {
    const { kv } = opened()
    const value = revision(1)
    await kv.set('key', value)
    value.fill(0)
    const next = revision(2)
    const writing = kv.set('key', next)
    next.fill(0)
    await writing
    expect(same(await kv.get('key'))).toEqual(same(revision(2)))
    const got = (await kv.get('key')) as Uint8Array
    got.fill(0)
    expect(same(await kv.get('key'))).toEqual(same(revision(2)))
  })
})

describe('what is read', () => {
  test('a value that is known moves nothing, and a newer one of a known chain its head alone', async () => {
    const { store, kv, layer } = opened()
    for (let n = 1; n < 4; n++) await kv.set('key', revision(n))
    const { kv: other, layer: otherLayer } = opened({}, store)
    await other.get('key')
    store.forget()
    expect(same(await other.get('key'))).toEqual(same(revision(3)))
    expect(otherLayer.stats()[0]).toMatchObject({ unchanged: 1, chainsRead: 1, chainsKnown: 0 })
    await kv.set('key', revision(4))
    expect(same(await other.get('key'))).toEqual(same(revision(4)))
    expect(store.reads.flat().every(({ key }) => key === 'key')).toBe(true)
    expect(otherLayer.stats()[0]).toMatchObject({ chainsRead: 2, chainsKnown: 1 })
    expect(JSON.stringify(layer.stats())).not.toContain('key"')
  })

  test('a reader whose parts went begins anew', async () => {
    const { store, kv } = opened({ maxDeltas: 1, inlineBytes: 0 })
    for (let n = 1; n < 4; n++) await kv.set('key', revision(n))
    const { kv: reader, layer } = opened({}, store)
    let isFirst = true
    store.beforeRead = async (reads) => {
      if (!isFirst || isUserKey(reads[0]?.key as string)) return
      isFirst = false
      for (let n = 4; n < 8; n++) await kv.set('key', revision(n))
      await quiet()
    }
    expect(same(await reader.get('key'))).toEqual(same(revision(7)))
    expect(layer.stats()[0]).toMatchObject({ overtaken: 1 })
  })

  test.each([
    ['linearizable', 'CORRUPT'],
    ['eventual', 'UNAVAILABLE'],
  ] as const)(
    'a part that is missing under a head that stays is an error: %s, %s',
    async (isolation, code) => {
      const store = new Watched({}, { isolation })
      const { kv } = opened({}, store)
      for (let n = 1; n < 4; n++) await kv.set('key', revision(n))
      for (const key of store.parts)
        await store.write([{ type: 'delete', key, version: newVersion() }], callOptions())
      const { kv: reader } = opened({}, store)
      await expect(reader.get('key')).rejects.toMatchObject({ code })
      await reader.set('key', revision(9))
      expect(same(await reader.get('key'))).toEqual(same(revision(9)))
    },
  )

  test('a value that was there before the layer is CORRUPT, unless it is accepted', async () => {
    const store = new Watched()
    await store.write([{ type: 'set', key: 'key', version: newVersion(), value: revision(1) }], callOptions())
    await expect(opened({}, store).kv.get('key')).rejects.toMatchObject({ code: 'CORRUPT' })
    const { kv } = opened({ acceptPlain: true }, store)
    expect(same(await kv.get('key'))).toEqual(same(revision(1)))
    await kv.set('key', revision(2))
    expect(same(await opened({}, store).kv.get('key'))).toEqual(same(revision(2)))
  })

  test('an empty value in the place of one that is known is read by everybody', async () => {
    const { store, kv } = opened({ minBytes: 0 })
    await kv.set('key', revision(1))
    await kv.set('key', new Uint8Array())
    expect(same(await kv.get('key'))).toEqual(Buffer.alloc(0))
    expect(same(await opened({}, store).kv.get('key'))).toEqual(Buffer.alloc(0))
  })

  test.each(['whole', 'of a chain', 'that shrank'])(
    'a value over maxOutputBytes is refused: %s',
    async (which) => {
      const { store, kv } = opened()
      await kv.set('key', revision(1))
      if (which !== 'whole') await kv.set('key', revision(2))
      if (which === 'that shrank') await kv.set('key', revision(3).subarray(0, 1500))
      const { kv: reader } = opened({ maxOutputBytes: which === 'that shrank' ? 1500 : 2000 }, store)
      await expect(reader.get('key')).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' })
    },
  )

  test('hostile records are refused, and nothing is allocated for what they promise', async () => {
    const store = new Watched()
    const { kv } = opened({ maxOutputBytes: 1_000_000 }, store)
    const hostile = [
      [0xf9],
      [0xf9, 1],
      [0xf9, 2],
      [0xf9, 3, 1, 2, 3],
      [0xf9, 2, ...Array.from({ length: 50 }, () => 0), 0xff, 0xff, 0xff, 0xff, 0x0f],
      [0xf9, 2, ...Array.from({ length: 50 }, () => 0), 1, 1, 1, 0xff, 0xff, 0xff, 0xff, 0x0f],
      [0xf9, 2, ...Array.from({ length: 50 }, () => 0), 1, 0x80, 0x80, 0x80, 0x01, 1, 0, 0],
    ]
    for (const value of hostile) {
      const mutation = {
        type: 'set',
        key: 'key',
        version: newVersion(),
        value: Uint8Array.from(value),
      } as const
      await store.write([mutation], callOptions())
      const before = process.memoryUsage().arrayBuffers
      await expect(kv.get('key')).rejects.toSatisfy(
        (error: unknown) => isStoreError(error) && ['CORRUPT', 'VALUE_TOO_LARGE'].includes(error.code),
      )
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000)
    }
  })
})

describe('what goes wrong', () => {
  test('a part that cannot be written leaves the value as it was, for certain', async () => {
    const { store, kv } = opened()
    await kv.set('key', revision(1))
    store.fate = ({ key }) => (isUserKey(key) ? undefined : 'lost')
    await expect(kv.set('key', revision(2))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(store.writes.at(-1)?.some(({ key }) => isUserKey(key))).toBe(false)
    store.fate = () => undefined
    expect(same(await kv.get('key'))).toEqual(same(revision(1)))
  })

  test('after a lost answer of the head nothing is removed, and the version tells what happened', async () => {
    const { store, kv } = opened({ maxDeltas: 1 })
    for (let n = 1; n < 4; n++) await kv.set('key', revision(n))
    await quiet()
    const before = store.parts
    store.fate = ({ key }) => (isUserKey(key) ? 'lost' : undefined)
    const error: unknown = await kv.set('key', revision(4)).catch((caught: unknown) => caught)
    await expect(kv.delete('key')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    await quiet()
    expect(isStoreError(error) && error.code).toBe('OUTCOME_UNKNOWN')
    expect(store.parts).toEqual(expect.arrayContaining(before))
  })

  test('a plain set whose base was replaced is made anew, and whole in the end', async () => {
    const { store, kv, layer } = opened()
    const { kv: other } = opened({}, store)
    for (let n = 1; n < 3; n++) await kv.set('key', revision(n))
    await other.update('key', () => revision(3))
    await kv.set('key', revision(4))
    expect(same(await other.get('key'))).toEqual(same(revision(4)))
    expect(layer.stats()[0]).toMatchObject({ conflicts: 1, deltas: 1 })
    let n = 10
    store.beforeRead = async ([read]) => {
      // Whenever it looks, somebody is faster.
      if (n < 20 && read?.key === 'key')
        await store.inner.write([{ type: 'delete', key: 'key', version: newVersion() }], callOptions())
      n++
    }
    await other.set('key', revision(5))
    store.beforeRead = () => {}
    expect(same(await kv.get('key'))).toEqual(same(revision(5)))
  })

  test('a condition keeps its meaning, with the version that the store has', async () => {
    const { kv } = opened()
    const { version: first } = await kv.set('key', revision(1), { ifVersion: null })
    const { version: second } = await kv.set('key', revision(2), { ifVersion: first as string })
    await expect(kv.set('key', revision(3), { ifVersion: first as string })).rejects.toMatchObject({
      code: 'CONDITION_FAILED',
      version: second,
    })
    expect((await kv.getEntry('key'))?.version).toBe(second)
    await kv.delete('key', { ifVersion: second as string })
    expect(await kv.get('key')).toBeUndefined()
  })

  test('close waits for the removal of old parts', async () => {
    const { store, kv } = opened({ maxDeltas: 1 })
    for (let n = 1; n < 5; n++) await kv.set('key', revision(n))
    await kv.set('key', noise(1, 3000))
    await kv.close()
    expect(store.parts).toEqual([])
  })
})

describe('expiry', () => {
  const clock = testClock(1_000_000)

  test('no part ends before its head, and a life that moves on needs no base each time', async () => {
    const store = new Watched({ clock })
    const layer = delta({ clock, inlineBytes: 0 })
    const kv = keyValue(store, [layer], { clock })
    for (let n = 1; n <= 12; n++) {
      await kv.set('key', revision(n), { ttlMs: 10_000 })
      clock.advance(2_000)
      const head = store.inner.native.get('key')
      for (const part of store.parts)
        expect(store.inner.native.get(part)?.expiresAt).toBeGreaterThan(head?.expiresAt as number)
      const fresh = keyValue(store, [delta({ clock })], { clock })
      expect(same(await fresh.get('key'))).toEqual(same(revision(n)))
      await quiet()
    }
    expect(layer.stats()[0]?.deltas).toBeGreaterThan(6)
    await kv.set('key', revision(13))
    expect(store.parts.map((part) => store.inner.native.get(part)?.expiresAt)).toContain(undefined)
    clock.advance(1_000_000)
    expect(same(await kv.get('key'))).toEqual(same(revision(13)))
  })

  test('an expiry that is kept stays what it was', async () => {
    const store = new Watched({ clock })
    const kv = keyValue(store, [delta({ clock })], {
      clock,
    })
    await kv.set('key', revision(1), { ttlMs: 5_000 })
    const ends = (await kv.getEntry('key'))?.expiresAt
    for (let n = 2; n < 6; n++) await kv.set('key', revision(n), { ttlMs: 'keep' })
    expect((await kv.getEntry('key'))?.expiresAt).toBe(ends)
    expect(same(await kv.get('key'))).toEqual(same(revision(5)))
    clock.advance(5_001)
    expect(await kv.get('key')).toBeUndefined()
  })
})

describe('where it stands', () => {
  const below = (changed: object) => ({
    ...memory(),
    capabilities: { ...memory().capabilities, ...changed },
  })

  test('a store without conditions is refused, by the compiler too', () => {
    const store = memory()
    const { conditionalWrite: _, ...others } = store.capabilities
    const weak = { ...store, capabilities: { ...others, conditionalWrite: false as const } }
    // @ts-expect-error Not possible here: this layer needs a store that declares conditionalWrite
    expect(() => compose(weak, [delta()])).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
  })

  test('a store that evicts, and a second delta layer, are refused', () => {
    const refused = expect.objectContaining({ code: 'INVALID_CONFIG' })
    expect(() => compose(below({ evicts: true }), [delta()])).toThrow(refused)
    expect(() => compose(memory(), [delta(), delta()])).toThrow(refused)
  })

  test('touch and increment are gone, and values are six bytes shorter', async () => {
    const store = compose(memory(), [delta()])
    expect(store.capabilities).toMatchObject({
      touch: false,
      increment: false,
      documents: false,
      sync: 'none',
    })
    expect(store.capabilities.batch.atomicity).toBe('none')
    expect(compose(below({ maxValueBytes: 100 }), [delta()]).capabilities.maxValueBytes).toBe(94)
    const touch = { type: 'touch', key: 'key', version: newVersion(), expiresAt: 5 } as const
    const [result] = await store.write([touch], callOptions())
    expect(result).toMatchObject({ code: 'UNSUPPORTED' })
  })

  test.each([
    { maxDeltas: 0 },
    { maxDeltas: 1025 },
    { minBytes: -1 },
    { inlineBytes: Number.NaN },
    { maxDeltaShare: 0 },
    { maxDeltaShare: 1.5 },
    { maxChainShare: 0 },
    { memoryBytes: -1 },
    { maxReplayBytes: 2 ** 31 },
    { maxOutputBytes: 0 },
    { readBeforeWrite: 'yes' as never },
    { acceptPlain: 1 as never },
    { background: true as never },
  ])('a bad option is refused: %o', (options) => {
    expect(() => delta(options)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
  })

  test('records of other layers pass as they are', async () => {
    const store = compose(memory(), [delta()])
    const key = '\u0000mkey\u00000'
    await store.write(
      [{ type: 'set', key, version: newVersion(), value: Buffer.from('marker') }],
      callOptions(),
    )
    const [entry] = await store.read([{ key }], callOptions())
    expect(isEntry(entry) && Buffer.from(entry.value).toString()).toBe('marker')
  })
})
