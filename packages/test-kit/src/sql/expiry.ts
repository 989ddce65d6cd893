import { setTimeout as pause } from 'node:timers/promises'
import { keyValue, newVersion } from '@unikv/core'
import { expect, test } from 'vitest'
import { mutate } from '../calls.ts'
import type { SqlBench } from './bench.ts'

const value = Buffer.from('value')

/** Declares tests of records that expire, and of their rows, which `rowsOf` counts. */
export function testExpiry(bench: SqlBench, rowsOf: (table: string) => Promise<number>): void {
  test('expired records are invisible at once, and removed in the wake of writes with an expiry', async () => {
    const table = await bench.table()
    const store = bench.store({ url: bench.url, table })
    const kv = keyValue(store)
    const expired = Array.from({ length: 300 }, (_, i) => `expired ${i}`)
    await Promise.all(
      expired.map((key) => mutate(store, { type: 'set', key, value, expiresAt: Date.now() - 1_000 })),
    )
    expect((await kv.getMany(expired)).every((found) => found === undefined)).toBe(true)
    expect(await kv.count()).toBe(0)
    await kv.set('lasting', value)
    for (let i = 0; i < 1_000 && (await rowsOf(table)) > 1; i++) await kv.set('short', value, { ttlMs: 1 })
    expect(await rowsOf(table)).toBeLessThanOrEqual(2)
    expect(await kv.get('lasting')).toEqual(value)
  })

  test('a record that is written again while it is swept stays', async () => {
    const table = await bench.table()
    const store = bench.store({ url: bench.url, table })
    const sweeping = keyValue(bench.store({ url: bench.url, table }))
    for (let round = 0; round < 30; round++) {
      const keys = Array.from({ length: 64 }, (_, i) => `${round}/${i}`)
      await Promise.all(
        keys.map((key) => mutate(store, { type: 'set', key, value, expiresAt: Date.now() - 1_000 })),
      )
      const sweep = sweeping.setMany(
        keys.map((key) => [`other ${key}`, value]),
        { ttlMs: 60_000 },
      )
      const versions = await Promise.all(
        keys.map(async (key) => {
          const version = newVersion()
          await mutate(store, { type: 'set', key, value, version })
          return version
        }),
      )
      await sweep
      const entries = await Promise.all(keys.map((key) => sweeping.getEntry(key)))
      expect(entries.map((entry) => entry?.version)).toEqual(versions)
    }
  })

  test('a record with a time to live goes by itself', async () => {
    const kv = keyValue(bench.store({ url: bench.url, table: await bench.table() }))
    await kv.set('key', value, { ttlMs: 60_000 })
    await kv.touch('key', { ttlMs: 200 })
    expect(await kv.get('key')).toEqual(value)
    await pause(300)
    expect(await kv.get('key')).toBeUndefined()
    expect(await kv.set('key', value, { ifVersion: null })).toHaveProperty('version')
  })
}
