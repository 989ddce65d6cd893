import { setTimeout as pause } from 'node:timers/promises'
import { conformance } from '@unikv/conformance'
import { isStoreError, keyValue, type ReadResult } from '@unikv/core'
import { type OwnServer, ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { Client, types } from 'cassandra-driver'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cassandra } from '../src/index.ts'
import { cassandraBench, codeOf, mutate, type TestStore, withKeyspace } from './cassandra-bench.ts'

const value = Buffer.from('value')
const patienceMs = 60_000
/** A node that died is noticed late, and three JVMs share two cores. */
const patient = (store: TestStore) => keyValue(store, [], { timeoutMs: patienceMs })
/** Three JVMs on two cores. */
const startTimeoutMs = 240_000

describeWithOwn('cassandra-cluster', () => {
  let cluster: OwnServer
  beforeAll(async () => {
    cluster = await ownServer('cassandra-cluster')
    await eventually(knowEachOther)
  }, startTimeoutMs)
  afterAll(() => cluster?.stop(), 60_000)
  const bench = cassandraBench(() => cluster.url, 3)

  /** Nodes answer before they have heard of all others: each of them must reach all. */
  async function knowEachOther(): Promise<void> {
    const store = await bench.open(false)
    const kv = patient(store)
    for (let n = 0; n < 12; n++) await kv.set(`ready ${n}`, value, { consistency: 'all' })
    await bench.discard(store)
  }

  describe.each([
    // Replicas have a say in these topics; the rest runs on one node.
    ['plain writes', false, /declared|read and write|race/],
    ['conditions', true, /declared|read and write|conditions|races/],
  ])('%s', async (_, conditions, topics) => {
    const { capabilities } = cassandra({ contactPoints: ['127.0.0.1'], keyspace: 'never_asked', conditions })
    await conformance({
      test,
      describe,
      topics,
      capabilities,
      open: () => bench.open(conditions),
      reopen: bench.reopen,
      discard: bench.discard,
    })
  })

  test('of a URL, levels of writes and reads, and a node that alone gets statements', async () => {
    const store = await bench.open(false)
    const table = bench.tableOf(store).replace(/.*\./, '')
    const url = new URL(withKeyspace(cluster.url, bench.keyspace))
    url.hostname = decodeURIComponent(url.hostname).split(',')[0] ?? ''
    url.searchParams.set('consistency', 'write:each_quorum,read:local_quorum')
    url.searchParams.set('nodes', 'named')
    const execute = vi.spyOn(Client.prototype, 'execute')
    try {
      await using kv = patient(cassandra({ url, table }))
      await kv.get('warm')
      execute.mockClear()
      for (let n = 0; n < 12; n++) await kv.set(`named ${n}`, value)
      for (let n = 0; n < 12; n++) expect(await kv.get(`named ${n}`)).toEqual(value)
      const answers = await Promise.all(
        execute.mock.results.map(({ value: answer }) => answer as Promise<types.ResultSet>),
      )
      const told = answers.map(({ info }) => `${info.queriedHost} ${info.achievedConsistency}`)
      const { eachQuorum, localQuorum } = types.consistencies
      expect(told).toHaveLength(24)
      expect(new Set(told).size).toBe(2)
      expect(told[0]).toMatch(new RegExp(` ${eachQuorum}$`))
      expect(told.at(-1)).toMatch(new RegExp(` ${localQuorum}$`))
      expect(told[0]?.split(' ')[0]).toBe(told.at(-1)?.split(' ')[0])
    } finally {
      execute.mockRestore()
      await bench.discard(store)
    }
  })

  describe('with one of three nodes killed', () => {
    test('a quorum and transactions go on, ALL fails in time, ONE reads, and the node is used again', async () => {
      const tables = [await bench.open(false), await bench.open(true)]
      const stores = tables.map((store, i) => {
        const table = bench.tableOf(store).replace(/.*\./, '')
        return cassandra({ ...bench.own(), table, conditions: i === 1 }) as TestStore
      })
      const clients = stores.map(patient)
      for (const kv of clients) await kv.set('before', value)

      await cluster.kill(2)
      for (const [i, kv] of clients.entries()) {
        await eventually(() => kv.set('during', value))
        for (let n = 0; n < 20; n++) await kv.set(`key ${n}`, value)
        expect(await kv.get('before')).toEqual(value)
        expect(await kv.get('before', { consistency: 'eventual' })).toEqual(value)
        expect(await kv.get('before', { consistency: 'one' })).toEqual(value)
        await assertAllFails(stores[i] as TestStore)
      }
      expect(
        await mutate(stores[1] as TestStore, { type: 'set', key: 'during', value, ifVersion: null }),
      ).toMatchObject({ conditionFailed: true })

      await cluster.restart(2)
      for (const kv of clients) {
        // The other two have to hear of it, each by itself.
        for (let n = 0; n < 6; n++)
          await eventually(() => kv.set(`after ${n}`, value, { consistency: 'all' }))
        expect(await kv.get('during')).toEqual(value)
        await kv.close()
      }
      await Promise.all(tables.map((store) => store.close()))
    }, 600_000)
  })
})

/** Too few replicas: at first nobody knows, and the write times out; then it is refused. */
async function assertAllFails(store: TestStore): Promise<void> {
  const call = { deadlineAt: performance.now() + 5_000, consistency: 'all' }
  const [found] = (await store.read([{ key: 'before' }], call)) as [ReadResult<Uint8Array>]
  // Cassandra waits as long for replicas as this call for Cassandra.
  expect(['UNAVAILABLE', 'TIMEOUT']).toContain(isStoreError(found) && found.code)
  const kv = keyValue(store)
  expect(['UNAVAILABLE', 'OUTCOME_UNKNOWN']).toContain(
    await codeOf(kv.set('never', value, { consistency: 'all', timeoutMs: 5_000 })),
  )
}

/** Try again until it works. */
async function eventually(work: () => Promise<unknown>): Promise<void> {
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    const code = await codeOf(work())
    if (code === undefined) return
    if (performance.now() > giveUpAt) throw new Error(`still ${code} after ${patienceMs} ms`)
    await pause(100)
  }
}
