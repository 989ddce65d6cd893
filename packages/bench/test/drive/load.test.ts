import { keyValue, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { loadRecords } from '../../src/drive/load.ts'

test('a load that fails writes nothing more when it has reported the failure', async () => {
  const kv = keyValue(memory({ maxEntries: 100_000 }))
  let [batches, running] = [0, 0]
  const setMany: typeof kv.setMany = async (entries, options) => {
    running++
    for (let turn = ++batches; turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve))
    running--
    if (batches <= 8) throw new Error('full')
    return kv.setMany(entries, options)
  }
  const context = {
    kv: { ...kv, setMany },
    keyOf: String,
    valueOf: () => new Uint8Array(1),
    largest: 1,
  }
  await expect(
    loadRecords(context, { first: 0, count: 20_000 }, { signal: new AbortController().signal }),
  ).rejects.toThrow('full')
  expect([batches, running]).toEqual([8, 0])
  await kv.close()
})

test('a load that fails in part says why, not how many records of a call', async () => {
  const kv = keyValue(memory())
  const cause = new StoreError('UNAVAILABLE', 'The disk is full.')
  const setMany: typeof kv.setMany = async () => {
    throw new StoreError('PARTIAL', '28 of 100 keys could not be written; see error.results.', {
      results: [cause],
      cause,
    })
  }
  const context = { kv: { ...kv, setMany }, keyOf: String, valueOf: () => new Uint8Array(1), largest: 1 }
  await expect(
    loadRecords(context, { first: 0, count: 10 }, { signal: new AbortController().signal }),
  ).rejects.toThrow('The disk is full.')
  await kv.close()
})

test('a call of a load holds few large values and many small ones', async () => {
  const kv = keyValue(memory())
  const longest = async (largest: number): Promise<number> => {
    const calls: number[] = []
    const setMany: typeof kv.setMany = async (entries) => {
      calls.push([...entries].length)
      return []
    }
    const context = { kv: { ...kv, setMany }, keyOf: String, valueOf: () => new Uint8Array(1), largest }
    await loadRecords(context, { first: 0, count: 400 }, { signal: new AbortController().signal })
    return Math.max(...calls)
  }
  expect([await longest(100), await longest(1024 ** 2), await longest(1024 ** 3)]).toEqual([100, 4, 1])
  await kv.close()
})
