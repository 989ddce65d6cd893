import { compose, document, json, keyValue, passThrough } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { monitor } from '@unikv/monitor'
import { momentOf } from '@unikv/monitor/prometheus'
import { postgres } from '@unikv/postgres'
import { expect, it } from 'vitest'
import { transactional, transactionLog, transactions } from '../src/index.ts'
import { faultAt, leaseMs, opened, Process, sharedMemory } from './world.ts'

/** Steps until both records are prepared and the log has heard of it: two reads, two prepares and the log. */
const untilPrepared = 5

const crashAfter = (step: number) => (step > untilPrepared ? ('crash' as const) : undefined)

/** A process that is gone when it should decide, with its records prepared. */
async function killed(shared: ReturnType<typeof sharedMemory>): Promise<void> {
  const process = new Process(faultAt(untilPrepared + 1, 'crash'))
  const { db } = opened(shared, process)
  const work = db.run(async (tx) => {
    const [a, b] = await Promise.all([tx.red.get('a'), tx.blue.get('b')])
    await tx.red.set('a', (a ?? 0) + 1)
    await tx.blue.set('b', (b ?? 0) + 1)
  })
  await Promise.race([work, process.gone])
}

it('lists what a process that was killed has left, until it is recovered', async () => {
  const shared = sharedMemory()
  await killed(shared)
  const { db, red } = opened(shared)
  const { transactions: found, finished } = await db.pending({ leaseMs })
  expect(finished).toBe(0)
  expect(found).toMatchObject([{ state: 'open', records: { red: ['a'], blue: ['b'] } }])
  expect(found[0]?.by).toContain(String(process.pid))
  expect(await db.recover({ leaseMs })).toEqual({ committed: 0, aborted: 1, forgotten: 0, left: [] })
  expect(await db.pending()).toEqual({ transactions: [], finished: 1 })
  expect(await red.get('a')).toBeUndefined()
})

it('leaves out what goes on within its lease', async () => {
  const shared = sharedMemory()
  const { db } = opened(shared, new Process(faultAt(untilPrepared + 1, 'slow')))
  const work = db.run(async (tx) => {
    await tx.red.update('a', () => 1)
    await tx.blue.update('b', () => 1)
  })
  const { transactions: found } = await opened(shared).db.pending({ leaseMs: 20 * leaseMs })
  await work
  expect(found).toEqual([])
})

it('a log of other records is told as such, and not recovered', async () => {
  const shared = sharedMemory()
  const { db, log } = opened(shared)
  await log.set('other', { state: 'new' })
  await expect(db.pending()).rejects.toMatchObject({ code: 'CORRUPT' })
  expect((await db.recover({ leaseMs })).left).toMatchObject([{ id: 'other' }])
  expect(await log.get('other')).toEqual({ state: 'new' })
})

it('a log without expiry forgets what was finished a day ago, and a change that comes later is still put back', async () => {
  const lasting = passThrough('lasting', { capabilities: { ttl: false }, wrap: () => ({}) })
  const shared = { ...sharedMemory(), log: compose(memory(), [lasting]) }
  const { db, log, red, blue } = opened(shared)
  await db.run(async (tx) => {
    await tx.red.set('a', 1)
    await tx.blue.set('b', 1)
  })
  await expect.poll(() => db.pending()).toEqual({ transactions: [], finished: 1 })
  expect(await db.recover({ leaseMs })).toMatchObject({ committed: 0, forgotten: 0, left: [] })
  // A prepare of another one arrives when that was aborted and forgotten.
  const late = new Process((step) => (step === untilPrepared ? 'late effect' : crashAfter(step)))
  const work = opened(shared, late).db.run(async (tx) => {
    await tx.red.update('a', () => 7)
    await tx.blue.update('b', () => 7)
  })
  await Promise.race([work, late.gone])
  expect(late.late.length).toBe(1)
  expect(await db.recover({ leaseMs })).toMatchObject({ aborted: 1, left: [] })
  const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000).toISOString()
  for await (const [id, { value }] of log.entries()) {
    expect(value).toHaveProperty('finishedAt')
    await log.set(id, { ...(value as object), finishedAt: longAgo })
  }
  expect(await db.recover({ leaseMs })).toMatchObject({ forgotten: expect.any(Number), left: [] })
  expect(await log.count()).toBe(0)
  for (const arrive of late.late) await arrive()
  expect([await red.get('a'), await blue.get('b')]).toEqual([1, 1])
})

it('stands above layers that only count, and not above others', () => {
  const log = keyValue(memory(), [json()])
  const m = monitor()
  const counted = keyValue(memory(), [m, json<number>(), transactional({ log }), m.traffic()])
  expect(transactionLog(counted)).toBe(log)
  expect(Object.keys(transactions({ counted, log }))).not.toContain('error')
  expect(transactionLog(log)).toBeUndefined()
})

it('a log of bytes is refused', () => {
  const log = keyValue(memory())
  expect(() => transactional({ log })).toThrow('give it the layer json')
})

it('a monitor counts commits, conflicts by store, ends and recoveries, and hears of no key', async () => {
  const shared = sharedMemory()
  const m = monitor()
  const { red, blue, log } = opened(shared)
  const db = transactions({ red, blue, log }, { monitor: m })
  await db.run((tx) => tx.red.set('secret', 0))
  const late = db.run(
    async (tx) => {
      await tx.blue.get('secret')
      await tx.blue.set('secret', (await tx.red.get('secret')) ?? 0)
      await red.update('secret', (value) => (value ?? 0) + 1)
    },
    { retry: ({ count }) => (count < 3 ? 0 : undefined) },
  )
  await expect(late).rejects.toMatchObject({ code: 'OVERLOADED' })
  await expect(db.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await killed(shared)
  await db.recover({ leaseMs })
  const { snapshot, text } = momentOf(m)
  expect(snapshot.stores[log.name]?.transaction).toMatchObject({
    calls: 3,
    conditionsFailed: 3,
    conflicts: { red: 3 },
    errors: { OVERLOADED: 1 },
    outcomes: { committed: 1, givenUp: 1, rolledBack: 1 },
  })
  expect(snapshot.stores[log.name]?.recovery).toMatchObject({ calls: 1, outcomes: { aborted: 1 } })
  expect(text()).toContain('unikv_conflicts_total{store="memory",operation="transaction",cause="red"} 3\n')
  expect(text()).toContain(
    'unikv_transactions_total{store="memory",operation="recovery",outcome="aborted"} 1\n',
  )
  expect(JSON.stringify(snapshot) + text()).not.toContain('secret')
})

it('a monitor that fails changes nothing, and something else is refused', async () => {
  const { red, blue, log } = opened(sharedMemory())
  const transacted = () => {
    throw new Error('broken')
  }
  const db = transactions({ red, blue, log }, { monitor: { transacted } })
  expect(await db.run(async (tx) => tx.red.get('a'))).toBeUndefined()
  expect(() => transactions({ red, blue, log }, { monitor: {} as never })).toThrow('`monitor`')
})

it('a store of documents is refused when compiled and when run', () => {
  const log = keyValue(memory(), [json()])
  const store = postgres({ url: 'postgres://127.0.0.1:1/none', values: 'document' })
  // @ts-expect-error Not possible here: this layer needs bytes, but the store holds documents
  expect(() => keyValue(store, [document(), transactional({ log })])).toThrow(
    "Not possible here: transactional needs bytes, but postgres holds documents. Open the store with values: 'bytes'",
  )
})
