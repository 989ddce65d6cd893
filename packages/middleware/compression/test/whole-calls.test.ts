import { brotliCompressSync } from 'node:zlib'
import { isStoreError, keyValue, newVersion, text } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type CompressionOptions, compression } from '../src/index.ts'
import { codeOf, frameOf, prose } from './samples.ts'

const MiB = 1_048_576
const packed = new Map<number, Uint8Array>()
function bomb(length: number): Uint8Array {
  const made = packed.get(length) ?? frameOf(3, length, brotliCompressSync(Buffer.alloc(length)))
  packed.set(length, made)
  return made
}

function opened(options: CompressionOptions = {}) {
  const store = memory()
  return { store, kv: keyValue(store, [compression(options)]) }
}

function plant(store: MemoryStore, records: Readonly<Record<string, Uint8Array>>): void {
  const sets = Object.entries(records).map(
    ([key, value]) => ({ type: 'set', key, value, version: newVersion() }) as const,
  )
  void store.write(sets, callOptions())
}

const bombs = (count: number, length: number): Record<string, Uint8Array> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`bomb ${i}`, bomb(length)]))

/** Bytes of the values that came, and what became of the others. */
function outcome(results: readonly unknown[]): { bytes: number; codes: readonly string[] } {
  const bytes = results.reduce<number>(
    (sum, one) => sum + ((one as { value?: Uint8Array } | undefined)?.value?.length ?? 0),
    0,
  )
  return { bytes, codes: Array.from(new Set(results.filter(isStoreError).map(({ code }) => code))) }
}

describe('the values of one call', () => {
  const budget = { maxOutputBytes: MiB, maxCallBytes: 3 * MiB }

  test.each([{}, { threads: false } as const])('are bounded together, by getMany: %o', async (threads) => {
    const { store, kv } = opened({ ...budget, ...threads })
    plant(store, { ...bombs(40, MiB), small: bomb(5000) })
    const keys = [...Array.from({ length: 40 }, (_, i) => `bomb ${i}`), 'small']
    const error: unknown = await kv.getMany(keys).catch((one: unknown) => one)
    const { results } = error as { readonly results: readonly unknown[] }
    const { bytes, codes } = outcome(results)
    expect(codes).toEqual(['VALUE_TOO_LARGE'])
    expect(bytes).toBeLessThanOrEqual(3 * MiB)
    expect(results.at(-1), 'who reads a small value beside them has it').toMatchObject({
      version: expect.any(String),
    })
  })

  test('are bounded together, by a page', async () => {
    const { store, kv } = opened(budget)
    plant(store, bombs(40, MiB))
    expect(
      await codeOf(async () => {
        for await (const _ of kv.entries());
      }),
    ).toBe('VALUE_TOO_LARGE')
    expect(await kv.count(), 'keys are listed all the same').toBe(40)
  })

  test('have a bound by default: four times the longest value', async () => {
    const { store, kv } = opened({ maxOutputBytes: MiB })
    plant(store, bombs(5, MiB))
    const keys = Array.from({ length: 5 }, (_, i) => `bomb ${i}`)
    expect(await kv.getMany(keys.slice(1))).toHaveLength(4)
    expect(await codeOf(() => kv.getMany(keys))).toBe('PARTIAL')
  })

  test('may be as long as they like if the store gives enough for them', async () => {
    const { kv } = opened({ maxOutputBytes: MiB, maxCallBytes: 1 })
    const keys = Array.from({ length: 40 }, (_, i) => `key ${i}`)
    const values = keys.map((_, i) => prose(4000 + i))
    await kv.setMany(keys.map((key, i) => [key, values[i] as Uint8Array]))
    expect(await kv.getMany(keys)).toEqual(values)
  })

  test.each([0, Number.NaN, '1'])('have no bound of %s', (maxCallBytes) => {
    expect(() => compression({ maxCallBytes: maxCallBytes as number })).toThrow('maxCallBytes')
  })
})

test('a batch lets the event loop go on in between, to pack and to unpack', async () => {
  const { kv } = opened({ minBytes: 0 })
  const keys = Array.from({ length: 400 }, (_, i) => `key ${i}`)
  const value = Uint8Array.from({ length: 16_000 }, (_, i) => i % 251)
  expect(await turnsOf(() => kv.setMany(keys.map((key) => [key, value])))).toBeGreaterThanOrEqual(10)
  expect(await turnsOf(() => kv.getMany(keys))).toBeGreaterThanOrEqual(5)
  expect(
    await turnsOf(async () => {
      let count = 0
      for await (const _ of kv.entries({ pageSize: 400 })) count++
      expect(count).toBe(400)
    }),
  ).toBeGreaterThanOrEqual(5)
})

/** How many turns of the event loop there are while something is done. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const turn = (): void => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isOver = true
  return turns
}

describe('a dataset that was there before', () => {
  test('is read as it is, and moved by writing each value once more', async () => {
    const store = memory()
    const before = keyValue(store, [text()])
    const values = { a: 'plain', b: '', c: 'x'.repeat(5000) }
    for (const [key, value] of Object.entries(values)) await before.set(key, value, { ttlMs: 60_000 })
    const strict = keyValue(store, [text(), compression()])
    await expect(strict.get('c')).rejects.toMatchObject({ code: 'CORRUPT' })
    const moving = keyValue(store, [text(), compression({ acceptPlain: true })])
    expect(await moving.getMany(Object.keys(values))).toEqual(Object.values(values))
    expect(await moving.count()).toBe(3)
    for await (const [key, entry] of moving.entries())
      expect(Object.entries(values)).toContainEqual([key, entry.value])
    for await (const key of moving.keys()) await moving.update(key, (value) => value)
    expect(await strict.getMany(Object.keys(values))).toEqual(Object.values(values))
    expect((await strict.getEntry('c'))?.expiresAt).toBeDefined()
    expect(store.native.get('c')?.value.length).toBeLessThan(200)
  })

  test('does not make a damaged frame a value', async () => {
    const { store, kv } = opened({ acceptPlain: true })
    await kv.set('a', Buffer.alloc(5000, 7))
    const { value } = store.native.get('a') as { readonly value: Uint8Array }
    plant(store, { a: value.subarray(0, -3) })
    await expect(kv.get('a')).rejects.toMatchObject({ code: 'CORRUPT' })
  })
})
