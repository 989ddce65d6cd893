import { type Json, keyValue } from '@unikv/core'
import { expect, test } from 'vitest'
import { codeOf } from '../calls.ts'
import type { SqlBench } from './bench.ts'

/** Values of one adapter beside those that all of them must store. */
export interface SqlValues {
  /** Keys that differ only byte by byte; the adapter takes them all. At least 600. */
  readonly keys: readonly string[]
  /** More documents that must come back as they went in. */
  readonly documents: readonly Json[]
  /** More values that documents cannot hold. */
  readonly refused: readonly unknown[]
}

/** Calls that move much, on a machine that may be slow. */
const patient = { timeoutMs: 60_000 }

/** Declares tests of keys, values and batches of every kind and size. */
export function testValues(bench: SqlBench, { keys, ...own }: SqlValues): void {
  testBytes(bench, keys)
  testDocuments(bench, own)
}

function testBytes(bench: SqlBench, keys: readonly string[]): void {
  test('keys that collations would merge stay apart, each with its own value', async () => {
    const kv = keyValue(bench.store({ url: bench.url, table: await bench.table() }), [], patient)
    const written = await kv.setMany(keys.map((key, i) => [key, Buffer.from(String(i))]))
    expect(written.filter((result) => 'code' in result)).toEqual([])
    const values = await kv.getMany(keys)
    expect(values.map((value) => Buffer.from(value as Uint8Array).toString())).toEqual(
      keys.map((_, i) => String(i)),
    )
    expect(keys.length).toBeGreaterThanOrEqual(600)
  })

  test('batches of every size up to 40 write every row and read every row', async () => {
    const kv = keyValue(bench.store({ url: bench.url, table: await bench.table() }), [], patient)
    for (let size = 1; size <= 40; size++) {
      const entries = Array.from(
        { length: size },
        (_, i) => [`${size}/${i}`, Buffer.from(`${size}.${i}`)] as const,
      )
      await kv.setMany(entries)
      const values = await kv.getMany(entries.map(([key]) => key))
      expect(values).toEqual(entries.map(([, value]) => value))
      const deleted = await kv.deleteMany(entries.filter((_, i) => i % 2 === 0).map(([key]) => key))
      expect(deleted.length).toBe(Math.ceil(size / 2))
      expect(await kv.count({ prefix: `${size}/` })).toBe(Math.floor(size / 2))
    }
  })

  test('the largest value that the capabilities name is taken, under the longest key', async () => {
    const store = bench.store({ url: bench.url, table: await bench.table() })
    const kv = keyValue(store, [], patient)
    const longestKey = 'k'.repeat(store.capabilities.maxKeyBytes)
    const value = Buffer.alloc(store.capabilities.maxValueBytes, 7)
    await kv.set(longestKey, value)
    expect(Buffer.compare((await kv.get(longestKey)) as Uint8Array, value)).toBe(0)
    expect(await codeOf(kv.set('key', Buffer.alloc(value.length + 1)))).toBe('VALUE_TOO_LARGE')
  })
}

function testDocuments(bench: SqlBench, own: Omit<SqlValues, 'keys'>): void {
  test('documents come back as the JSON data that went in', async () => {
    const kv = keyValue(bench.documents({ url: bench.url, table: await bench.table({ values: 'document' }) }))
    const documents: Json[] = [
      null,
      0,
      -1.5e-7,
      1e300,
      Number.MAX_SAFE_INTEGER,
      true,
      '',
      'null',
      ...own.documents,
      [],
      [[], [null, [1]]],
      {},
      { name: 'Ada', tags: ['a', 'b'], nested: { deep: { er: [1, 2, 3] } } },
      JSON.parse('{"__proto__": {"admin": true}, "constructor": 1, "": 2}') as Json,
    ]
    await kv.setMany(documents.map((value, i) => [`d${i}`, value]))
    expect(await kv.getMany(documents.map((_, i) => `d${i}`))).toEqual(documents)
    for (const [i, value] of documents.entries()) {
      await kv.set('one', value)
      expect(await kv.get('one'), `document ${i}`).toEqual(value)
    }
  })

  test('what JSON would change is refused as INVALID_VALUE, without a word of it', async () => {
    const kv = keyValue(bench.documents({ url: bench.url, table: await bench.table({ values: 'document' }) }))
    const cyclic: unknown[] = []
    cyclic.push(cyclic)
    const sparse = [1]
    sparse[2] = 3
    const hostile: unknown[] = [
      Number.NaN,
      -0,
      1n,
      new Date(),
      new Map(),
      [undefined],
      sparse,
      cyclic,
      { toJSON: () => 1 },
      '\ud800',
      { '\ud800': 1 },
      ...own.refused,
    ]
    for (const value of hostile) {
      expect(await codeOf(kv.set('key', value as Json))).toBe('INVALID_VALUE')
      expect(await codeOf(kv.set('key', { secret: value } as Json))).toBe('INVALID_VALUE')
    }
    expect(await kv.get('key')).toBeUndefined()
  })
}
