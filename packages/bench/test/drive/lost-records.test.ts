import { type Bytes, keyValue, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { redis } from '@unikv/redis'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import type { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { synthetic } from '../../src/data/open-data.ts'
import type { DriveRequest } from '../../src/drive/driver.ts'
import { driverOf } from '../../src/drive/driver-of.ts'
import { keyNames } from '../../src/keys/key-space.ts'
import type { Invalidity } from '../../src/loop/verdict.ts'
import { recordsOf } from '../../src/operations/context.ts'
import { workloadSchema } from '../../src/operations/workload.ts'

const keyOrder = { order: 'ordered' } as const
const loop = { concurrency: 4, rate: null, arrivals: 'constant', maxInFlight: 1, whenFull: 'queue' } as const

interface Losing {
  readonly mix?: Readonly<Record<string, number>>
  readonly allowsMisses?: boolean
  readonly operations?: number
  /** Called between the load and the run. */
  readonly lose: (keys: ReturnType<typeof keysOf>, keyOf: (number: number) => string) => Promise<unknown>
}

const keysOf = (store: Store<Bytes>) => keyValue(store).namespace('lost')

/** Load 1,000 records, lose some, and read; the reasons why the run says nothing. */
async function invalidity(store: Store<Bytes>, losing: Losing): Promise<readonly Invalidity[]> {
  const { mix = { read: 1 }, allowsMisses, operations = 2_000, lose } = losing
  const workload = workloadSchema.parse({
    name: 't',
    records: 1_000,
    mix,
    keyNames: keyOrder,
    keys: { kind: 'uniform' },
  })
  const keys = keysOf(store)
  const { signal } = new AbortController()
  const place = { target: { name: 'a', url: 'a:', store }, namespace: { keys, path: ['lost'] }, threads: 1 }
  const given = { workload, data: synthetic({ seed: 1 }), seed: 7, timeoutMs: 30_000, allowsMisses, signal }
  const driver = await driverOf({ ...place, ...given })
  await driver.load({ workload, first: 0, count: workload.records }, { signal })
  await lose(keys, keyNames(keyOrder))
  const request: DriveRequest = { workload, loop, run: 1, durationMs: 60_000, operations, expectedInserts: 0 }
  const { invalid } = await driver.drive(request, { signal })
  await driver.close()
  return invalid
}

/** Lose the first records. */
const first =
  (count: number): Losing['lose'] =>
  async (keys, keyOf) => {
    const numbers = Array.from({ length: count }, (_, number) => number)
    await recordsOf(keys).deleteMany(numbers.map(keyOf))
  }

test('a run that misses loaded records is invalid, and says how many of them are lost', async () => {
  const [found, ...others] = await invalidity(memory(), { lose: first(721) })
  expect(others).toEqual([])
  expect(found).toEqual({
    reason: 'records-lost',
    message: expect.stringMatching(
      /^the store no longer has 721 of 1,000 records, and 7\d(\.\d)? % of the reads found no record$/,
    ),
  })
})

test('three lost records of 1,000 are told, and none of a sound store', async () => {
  expect(await invalidity(memory(), { operations: 40_000, lose: first(3) })).toHaveLength(1)
  expect(
    await invalidity(memory(), { mix: { read: 1, update: 99 }, operations: 400, lose: first(0) }),
  ).toEqual([])
})

test('updates that find nothing count, too', async () => {
  const found = await invalidity(memory(), {
    mix: { 'read-modify-write': 1 },
    operations: 200,
    lose: first(900),
  })
  expect(found).toMatchObject([{ reason: 'records-lost' }])
})

test('a workload that deletes may miss', async () => {
  expect(await invalidity(memory(), { mix: { read: 9, delete: 1 }, lose: first(500) })).toEqual([])
})

test('misses are allowed by the user only for a store that evicts', async () => {
  expect(await invalidity(memory(), { allowsMisses: true, lose: first(500) })).toMatchObject([
    { reason: 'records-lost' },
  ])
  const evicting = evicts(memory())
  expect(await invalidity(evicting, { allowsMisses: true, lose: first(500) })).toEqual([])
  expect(await invalidity(evicts(memory()), { lose: first(500) })).toMatchObject([{ reason: 'records-lost' }])
})

function evicts(store: Store<Bytes>): Store<Bytes> {
  const { name, native } = store
  return {
    name,
    native,
    capabilities: { ...store.capabilities, evicts: true },
    read: (reads, call) => store.read(reads, call),
    write: (mutations, call) => store.write(mutations, call),
    scan: (range, call) => store.scan(range, call),
    close: () => store.close(),
  }
}

describeWithOwn('redis', () => {
  test('a Redis that was emptied after the load makes the run invalid', async () => {
    await using server = await ownServer('redis')
    const store = redis({ url: server.url, dataset: 'lost' })
    const found = await invalidity(store, { lose: () => (store.native as Redis).call('FLUSHALL') })
    expect(found).toMatchObject([
      {
        reason: 'records-lost',
        message: expect.stringContaining('the store no longer has 1,000 of 1,000 records'),
      },
    ])
    await store.close()
  })
})
