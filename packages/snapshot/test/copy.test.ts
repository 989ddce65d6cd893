import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AnyStore,
  json,
  keyValue,
  newVersion,
  type Page,
  passThrough,
  type ScanEntry,
  StoreError,
  text,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { lmdb } from '@unikv/lmdb'
import { redis } from '@unikv/redis'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, describe, expect, test } from 'vitest'
import { copy, type Progress, restore, snapshot } from '../src/index.ts'
import { contents, filled, refusal, wanted } from './tools.ts'

const folder = mkdtempSync(join(tmpdir(), 'unikv-copy-'))
afterAll(() => rm(folder, { recursive: true }))

let stores = 0
const fresh = () => lmdb({ path: join(folder, `db${stores++}`) })

/** The same record as it was before. */
function stale({ key, entry }: ScanEntry<Uint8Array>): ScanEntry<Uint8Array> {
  const before = { value: Buffer.from('stale'), version: '0'.repeat(24), expiresAt: undefined }
  return { key, entry: entry === undefined ? undefined : before }
}

/** Refuses batches that name a key twice, as servers do. */
function strict(store: MemoryStore): MemoryStore {
  return {
    ...store,
    write: (mutations, call) => {
      if (new Set(mutations.map(({ key }) => key)).size < mutations.length) throw new Error('a key twice')
      return store.write(mutations, call)
    },
  }
}

describe('between stores of this machine', () => {
  test('values, versions, expiries, namespaces and records of layers arrive, leases and marks do not', async () => {
    const source = await filled(memory())
    const target = fresh()
    const seen: Progress[] = []
    const report = await copy(source, target, { count: true, onProgress: (one) => seen.push(one) })
    const records = 2_503
    expect(report).toMatchObject({ records, expired: 0, isResumed: false })
    expect(report.verification).toMatchObject({ compared: records, missing: 0, different: 0, extra: 0 })
    expect(await contents(target)).toEqual(await wanted(source))
    expect(seen.map(({ phase }) => phase)).toEqual(expect.arrayContaining(['count', 'copy', 'verify']))
    expect(seen.findLast(({ phase }) => phase === 'copy')).toMatchObject({ records, total: records })
    await target.close()
  })

  test('layers are passed by: what is stored is copied', async () => {
    const source = memory()
    const shouting = passThrough('shouting', {
      wrap: (inner) => ({
        read: async (reads, call) => (await inner.read(reads, call)).map(() => undefined),
      }),
    })
    await keyValue(source, [text()]).set('a', 'b')
    const target = keyValue(memory(), [shouting, text()])
    expect((await copy(keyValue(source, [text()]), target)).verification).toMatchObject({ missing: 0 })
  })

  test('of a namespace, only its records and those below it', async () => {
    const source = await filled(memory(), 10)
    const target = memory()
    const kv = keyValue(source, [text()])
    expect((await copy(kv.namespace('a'), target)).records).toBe(1)
    expect([...(await contents(target)).keys()]).toEqual(['\u0001a\u0001b\u0002\u0002odd'])
    const other = keyValue(memory(), [text()]).namespace('x')
    await expect(copy(kv.namespace('a'), other)).rejects.toEqual(
      refusal('INVALID_ARGUMENT', /another one: x/),
    )
    await expect(copy(kv, other)).rejects.toEqual(refusal('INVALID_ARGUMENT', /another one: x/))
  })

  test('records that ran out of time are left out', async () => {
    let skewMs = 0
    const source = memory({ clock: () => Date.now() - 10_000 + skewMs })
    const late = { key: 'late', expiresAt: Date.now() - 5_000 }
    await source.write(
      [late, { key: 'never' }].map((one) => ({
        ...one,
        type: 'set',
        value: Buffer.from('x'),
        version: newVersion(),
      })),
      callOptions(),
    )
    const report = await copy(source, memory(), { onProgress: () => (skewMs = 10_000) })
    expect(report).toMatchObject({
      records: 1,
      expired: 1,
      verification: { missing: 0, different: 0, extra: 0 },
    })
  })

  test('a target that is the source, is filled, or cannot hold the records is refused, and stays as it was', async () => {
    const source = await filled(memory(), 10)
    const filledTarget = keyValue(memory(), [text()])
    await filledTarget.set('mine', '1')
    const renamed: AnyStore = { ...source, dataset: undefined, name: 'renamed' }
    const alias: AnyStore = { ...source, dataset: undefined }
    const before = await contents(source)
    const cases: readonly [AnyStore, string, RegExp][] = [
      [source, 'INVALID_ARGUMENT', /same place/],
      [
        { ...memory(), dataset: undefined, capabilities: { ...memory().capabilities, ttl: false } },
        'UNSUPPORTED',
        /for ever/,
      ],
      [
        { ...memory(), capabilities: { ...memory().capabilities, documents: true } },
        'UNSUPPORTED',
        /documents/,
      ],
      [
        { ...memory(), capabilities: { ...memory().capabilities, scan: false } },
        'INVALID_ARGUMENT',
        /may have records/,
      ],
    ]
    for (const [target, code, words] of cases) {
      await expect(copy(source, target)).rejects.toEqual(refusal(code, words))
      expect((await contents(target)).size).toBe(target === source ? before.size : 0)
    }
    await expect(copy(source, filledTarget)).rejects.toEqual(
      refusal('INVALID_ARGUMENT', /has records already/),
    )
    await expect(copy(source, filledTarget, { resume: true })).rejects.toEqual(
      refusal('INVALID_ARGUMENT', /no unfinished copy/),
    )
    await expect(copy(renamed, alias, { overwrite: true })).rejects.toEqual(
      refusal('INVALID_ARGUMENT', /same place/),
    )
    expect(await contents(source)).toEqual(before)
    expect((await copy(source, filledTarget, { overwrite: true })).verification).toMatchObject({
      missing: 0,
      extra: undefined,
    })
    expect(await filledTarget.get('mine')).toBe('1')
  })

  test('into a target without expiry records are kept for ever, if the caller says so', async () => {
    const source = await filled(memory(), 5)
    const inner = memory()
    const forever: AnyStore = { ...inner, capabilities: { ...inner.capabilities, ttl: false } }
    const { verification } = await copy(source, forever, { dropExpiry: true })
    expect(verification).toMatchObject({ compared: 8, missing: 0, different: 0, extra: 0 })
    expect(await keyValue(inner, [text()]).getEntry('soon')).toMatchObject({ expiresAt: undefined })
  })

  test('a copy without expiry keeps records for ever where they could expire, and is resumed as it was begun', async () => {
    const source = await filled(memory(), 2_000)
    const target = memory()
    const stop = new AbortController()
    const drop = { dropExpiry: true, signal: stop.signal, onProgress: () => stop.abort() }
    await expect(copy(source, target, drop)).rejects.toMatchObject({ code: 'ABORTED' })
    await expect(copy(source, target, { resume: true })).rejects.toEqual(
      refusal('INVALID_ARGUMENT', /drops the expiry/),
    )
    const { verification } = await copy(source, target, { resume: true, dropExpiry: true })
    expect(verification).toMatchObject({ missing: 0, different: 0, extra: 0 })
    expect(await keyValue(target, [text()]).getEntry('soon')).toMatchObject({ expiresAt: undefined })
  })

  test('a target whose layers would not read the values is refused', async () => {
    const source = keyValue(memory(), [json()])
    await source.set('a', 1)
    const target = memory()
    await expect(copy(source, keyValue(target, [text()]))).rejects.toEqual(
      refusal('INVALID_ARGUMENT', /by json, and the target by text/),
    )
    expect((await contents(target)).size).toBe(0)
    expect((await copy(source, target)).records).toBe(1)
  })

  test('a listing that repeats keys, also in one page, copies each once and at its latest', async () => {
    const inner = await filled(memory(), 40)
    const repeats: AnyStore = {
      ...inner,
      capabilities: {
        ...inner.capabilities,
        scan: { order: 'none', delivery: 'at-least-once', prefix: 'filtered' },
      },
      scan: function* (range) {
        for (const page of inner.scan(range, callOptions()) as Iterable<Page<Uint8Array>>)
          yield { ...page, entries: page.entries.flatMap((found) => [stale(found), found]) }
      },
    }
    const target = memory()
    const { records, verification } = await copy(repeats, strict(target))
    expect([records, verification]).toMatchObject([43, { missing: 0, different: 0, extra: 0 }])
    expect(await contents(target)).toEqual(await wanted(inner))
    const file = join(folder, 'repeats.snapshot')
    await snapshot(repeats, file)
    const again = memory()
    expect(await restore(file, strict(again))).toMatchObject({ verification: { missing: 0, different: 0 } })
    expect(await contents(again)).toEqual(await wanted(inner))
  })

  test('what a full target says of its last batch is not said of the batches before', async () => {
    const inner = memory()
    const full: AnyStore = {
      ...inner,
      write: (mutations, call) => {
        if (mutations.some(({ key }) => key.endsWith('key 2000')))
          throw new StoreError('STORE_FULL', 'The disk is full; nothing was changed. Free space.')
        return inner.write(mutations, call)
      },
    }
    const error: unknown = await copy(await filled(memory()), full).catch((one: unknown) => one)
    expect(error).toMatchObject({ code: 'STORE_FULL', done: expect.any(Number) })
    expect((error as StoreError).message).toMatch(
      /^The disk is full; nothing of the last batch was changed\. Free space\. [1-9]\d+ records are there/,
    )
  })

  test('a source that cannot be read leaves the target as it was', async () => {
    const inner = memory()
    await keyValue(inner, [text()]).set('a', 'b')
    const closed: AnyStore = {
      ...inner,
      read: () => {
        throw new StoreError('ACCESS_DENIED', 'no')
      },
    }
    const target = memory()
    await expect(copy(closed, target)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
    expect((await contents(target)).size).toBe(0)
  })

  test('of two copies into one target one is refused', async () => {
    const source = await filled(memory(), 50)
    const target = memory()
    const ends = await Promise.allSettled([copy(source, target), copy(source, target)])
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await contents(target)).toEqual(await wanted(source))
  })

  test.each([
    [undefined, memory(), {}, /copy\(\) takes a store, got undefined/],
    [memory(), {}, {}, /copy\(\) takes a store, got an object/],
    [memory(), memory(), { overwrit: true }, /Did you mean `overwrite`/],
    [memory(), memory(), { overwrite: 1 }, /`overwrite` of copy\(\) must be true or false/],
    [memory(), memory(), { recordsPerSecond: 0 }, /`recordsPerSecond` of copy\(\) must be a number above 0/],
  ])('mistake %#', async (from, to, options, words) => {
    await expect(copy(from as never, to as never, options as never)).rejects.toThrow(words)
  })

  test('failures that pass are waited for, also where the outcome of a write is unknown', async () => {
    const source = await filled(memory(), 300)
    const inner = memory()
    let calls = 0
    const failing: MemoryStore = {
      ...inner,
      write: (mutations, call) => {
        const results = inner.write(mutations, call)
        calls += 1
        if (calls % 3 === 0) throw new StoreError('OUTCOME_UNKNOWN', 'lost')
        return results
      },
    }
    expect((await copy(source, failing)).verification).toMatchObject({ missing: 0, different: 0, extra: 0 })
  })

  test('keys and values that are too long for the target are told by their key', async () => {
    const source = memory()
    const long = 'k'.repeat(5_000)
    await keyValue(source, [text()]).set(long, 'secret')
    const target = fresh()
    const error: StoreError = await copy(source, target).then(
      () => expect.unreachable(),
      (reason: StoreError) => reason,
    )
    expect([error.code, error.key]).toEqual(['KEY_TOO_LONG', long])
    expect(error.message).not.toContain('secret')
    await target.close()
  })

  test('a record that the target refuses is told by its key', async () => {
    const source = await filled(memory(), 100)
    const inner = memory()
    const picky: AnyStore = {
      ...inner,
      write: async (mutations, call) => {
        const results = await inner.write(mutations as never, call)
        return mutations.map(({ key }, i) =>
          key === 'key 77' ? new StoreError('INVALID_VALUE', 'It cannot be held.') : (results[i] as never),
        )
      },
    }
    await expect(copy(source, picky)).rejects.toMatchObject({ code: 'INVALID_VALUE', key: 'key 77' })
  })

  test('differences are told: missing, different, extra', async () => {
    const source = await filled(memory(), 20)
    const target = memory()
    const kv = keyValue(target, [text()])
    let isSpoilt = false
    const report = await copy(source, target, {
      onProgress: ({ phase, records }) => {
        if (phase !== 'copy' || records < 23 || isSpoilt) return
        isSpoilt = true
        void kv.delete('key 3')
        void kv.set('key 4', 'another')
        void kv.touch('key 5', { ttlMs: 1_000_000 })
        void kv.set('more', 'x')
      },
    })
    expect(report.verification).toMatchObject({
      missing: 1,
      different: 2,
      extra: 1,
      examples: { missing: ['key 3'], different: ['key 4', 'key 5'], extra: ['more'] },
    })
  })
})

describeWith('redis', async (url) => {
  test('from Redis and back, with everything as it was', async () => {
    const id = `copy${process.pid}`
    const [one, other] = [redis({ url, dataset: `${id}a` }), redis({ url, dataset: `${id}b` })]
    await filled(one)
    const between = memory()
    const there = await copy(one, between)
    expect(there.verification).toMatchObject({ compared: 2_503, missing: 0, different: 0, extra: 0 })
    await copy(between, other)
    expect(await contents(other)).toEqual(await wanted(one))
    for (const store of [one, other]) {
      await keyValue(store).clear({ all: true })
      await store.close()
    }
  })
})
