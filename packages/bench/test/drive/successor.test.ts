import { type Bytes, type KeyValue, keyValue, supports } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { synthetic } from '../../src/data/open-data.ts'
import { localDriver } from '../../src/drive/local-driver.ts'
import { workloadSchema } from '../../src/operations/workload.ts'

const workload = workloadSchema.parse({
  name: 'test',
  records: 10,
  mix: { insert: 1 },
  keys: { kind: 'uniform' },
  keyNames: { order: 'ordered' },
  values: { kind: 'constant', length: 10 },
})

async function numbersIn(keys: KeyValue<string, Bytes>): Promise<readonly number[]> {
  const records = keys.namespace('records')
  if (!supports(records, 'scan')) throw new Error('cannot scan')
  const found: number[] = []
  for await (const [key] of records.entries()) found.push(Number(/(\d+)$/.exec(key)?.[1]))
  return found.toSorted((a, b) => a - b)
}

test('a driver that takes the place of another one inserts the keys that follow', async () => {
  const keys: KeyValue<string, Bytes> = keyValue(memory())
  const share = { index: 1, of: 3 }
  const common = { keys, records: { count: 10 }, data: synthetic({ seed: 1 }), seed: 1, timeoutMs: 60_000 }
  const loop = {
    concurrency: 3,
    rate: null,
    arrivals: 'constant',
    maxInFlight: 9,
    whenFull: 'queue',
  } as const
  const request = { workload, loop, durationMs: 3_600_000, operations: 15, expectedInserts: 30 }
  const hooks = { signal: new AbortController().signal }
  const first = localDriver({ ...common, share })
  await first.drive({ ...request, run: 1 }, hooks)
  const next = localDriver({ ...common, share, inserted: first.inserted })
  await next.drive({ ...request, run: 2 }, hooks)
  expect([first.inserted, next.inserted]).toEqual([5, 10])
  expect(await numbersIn(keys)).toEqual(Array.from({ length: 10 }, (_, turn) => 10 + 3 * turn + 1))
})
