import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { loadRecords as load } from '../../src/drive/load.ts'

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
  }
  await expect(
    load(context, { first: 0, count: 20_000 }, { signal: new AbortController().signal }),
  ).rejects.toThrow('full')
  expect([batches, running]).toEqual([8, 0])
  await kv.close()
})
