import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type Bytes, type KeyValue, passThrough } from '@unikv/core'
import { type Configuration, type LayerConfiguration, type Manager, openStores } from '@unikv/manager'
import type { Policy } from '@unikv/monitor/recorder'
import { testServer } from '@unikv/test-kit'
import { describeWith, longTest } from '@unikv/test-kit/vitest'
import { afterEach, expect, test } from 'vitest'
import {
  type Action,
  type Approve,
  readsAt,
  type StoreWork,
  type Tactic,
  type TunedStore,
  type Tuner,
  TunerLog,
  tierIn,
  tuner,
} from '../../src/index.ts'
import { placeOf } from '../../src/run/place-of.ts'
import { addIndex } from '../../src/tactics/index-tactics.ts'

type Promised = Omit<Policy, 'store' | 'over'>
type Kv = KeyValue<string, unknown>

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Each read takes a tenth of a second, of which other work on the machine is a small part: it cannot look like the effect of a change. */
const slow = passThrough('slow', {
  wrap: (inner) => ({
    read: async (reads, call) => {
      await wait(100)
      return inner.read(reads, call)
    },
  }),
})

/** A server that requests reach after a tenth of a second: other work on the machine takes a small part of that. */
async function distant(url: string): Promise<string> {
  const { host, port, hostname } = new URL(url)
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    client.on('data', (data) => setTimeout(() => server.write(data), 100))
    server.pipe(client)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on('error', () => {}).on('close', () => other.destroy())
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  closers.push(async () => proxy.close())
  return url.replace(host, `127.0.0.1:${(proxy.address() as AddressInfo).port}`)
}

describeWith('postgres', (url) => {
  let count = 0
  const named = (): string => `tuner_${process.pid}_${(count += 1)}`
  const at = (parameters = ''): string => `${url}?dataset=${named()}${parameters}`

  async function tuned(
    store: string,
    policy: Promised,
    approve: Approve = 'ask',
    layers: LayerConfiguration[] = ['json'],
    near?: { readonly url: string; readonly tactics: readonly Tactic[] },
  ): Promise<{ manager: Manager<Configuration, Record<'users', Kv>>; tuning: Tuner; log: TunerLog }> {
    const manager = (await openStores({
      stores: { users: { url: store, layers }, figures: at(), ...(near && { near: { url: near.url } }) },
      monitor: {
        keepIn: 'figures',
        statisticsMs: 1000,
        policies: [{ ...policy, store: 'users', over: '5s' }],
      },
    })) as unknown as Manager<Configuration, Record<'users', Kv>>
    const errors: unknown[] = []
    const tuning = tuner({
      manager,
      approve,
      tactics: near?.tactics,
      everyMs: 400,
      onError: (error) => errors.push(error),
    })
    closers.push(
      () => manager.close(),
      () => tuning.close(),
    )
    const figures = (manager.stores as unknown as { figures: KeyValue<string, Bytes> }).figures
    return { manager, tuning, log: new TunerLog(figures) }
  }

  /** Callers that go on until the end of the test. */
  function called(callers: number, call: (i: number) => Promise<unknown>): void {
    let isOver = false
    const caller = async (i: number): Promise<void> => {
      for (; !isOver; i += callers) await call(i)
    }
    const all = Promise.all(Array.from({ length: callers }, (_, i) => caller(i)))
    closers.push(async () => {
      isOver = true
      await all
    })
  }

  const ended = (log: TunerLog): Promise<Action | undefined> =>
    expect
      .poll(async () => (await log.actions())[0]?.action, { interval: 200 })
      .toSatisfy((action) => ['kept', 'undone', 'failed'].includes(action?.state))
      .then(async () => (await log.actions())[0]?.action)

  test('proposes an index, waits for its owner, makes it beside the load, and keeps it', async () => {
    const { manager, log } = await tuned(at(), { operation: 'native', belowMs: 5, minCalls: 5 })
    const table = named()
    const native = (
      manager.stores.users as unknown as {
        native: { query(sql: string, values?: unknown[]): Promise<{ rows: unknown[] }> }
      }
    ).native
    await native.query(
      `CREATE TABLE ${table} AS SELECT i AS no, 'ip' || i % 5000 AS ip FROM generate_series(1, 200000) i`,
    )
    closers.push(() => native.query(`DROP TABLE ${table}`))
    const query = (i: number) =>
      native.query(`SELECT count(*) FROM ${table} WHERE ip = $1`, [`ip${i % 5000}`])
    called(2, (i) =>
      (manager.monitor as NonNullable<Manager['monitor']>).measure('users', () => query(i), {
        by: ['ip'],
        in: table,
      }),
    )
    called(1, (i) => manager.stores.users.set(`k${i % 100}`, i))
    await expect.poll(async () => (await log.actions()).length).toBe(1)
    const [{ action } = { action: undefined }] = await log.actions()
    expect(action).toMatchObject({
      state: 'proposed',
      tactic: 'add-index',
      title: `an index on ip of ${table}`,
    })
    await wait(1000)
    expect((await log.actions())[0]?.action.state).toBe('proposed')
    await log.answer(action?.id ?? '', 'approved', 'the owner')
    expect(await ended(log)).toMatchObject({ state: 'kept', verdict: { answer: 'help' } })
    const { rows } = await native.query(`EXPLAIN SELECT count(*) FROM ${table} WHERE ip = 'ip7'`)
    expect(JSON.stringify(rows)).toContain('unikv_tune_')
  })

  test('a query of a table that is not there says nothing about the others', async () => {
    const { manager } = await tuned(at(), { operation: 'native', belowMs: 5 })
    await manager.stores.users.set('a', 1)
    const place = placeOf('users', manager) as Omit<TunedStore, 'signal'>
    const work = { [`by ip in not_there_${process.pid}`]: {}, 'by ip': {} } as unknown as StoreWork
    const found = await addIndex.look?.({ ...place, signal: new AbortController().signal }, work)
    expect(Object.keys(found?.tables ?? {})).toEqual([place.table])
  })

  test('puts a cache before reads, turns it on and off to see, and keeps it', async () => {
    const { manager, log } = await tuned(
      at(),
      { operation: 'read', percentile: 50, belowMs: 0.05 },
      () => true,
    )
    await manager.stores.users.setMany(Array.from({ length: 50 }, (_, i) => [`k${i}`, { i }]))
    called(2, (i) => manager.stores.users.get(`k${i % 50}`).then(() => (i % 8 < 2 ? wait(1) : undefined)))
    const action = await ended(log)
    expect(action).toMatchObject({ state: 'kept', tactic: 'add-cache', verdict: { answer: 'help' } })
    expect(action?.samples.filter(({ isOn }) => !isOn).length).toBeGreaterThan(2)
    expect(manager.configuration.stores['users']?.layers?.[0]).toHaveProperty('cache')
  })

  longTest('a store in memory gets what is read, takes the reads, and is written through', async () => {
    const redis = testServer('redis')
    if (!('urls' in redis)) throw new Error(redis.missing)
    const copies = named()
    const { manager, log } = await tuned(
      await distant(at()),
      { operation: 'read', percentile: 50, belowMs: 10 },
      () => true,
      ['json'],
      { url: `${redis.urls[0]}?dataset=${copies}`, tactics: [tierIn('near')] },
    )
    await manager.stores.users.setMany(Array.from({ length: 8 }, (_, i) => [`k${i}`, { i }]))
    called(2, (i) => manager.stores.users.get(`k${i % 8}`))
    expect(await ended(log)).toMatchObject({
      state: 'kept',
      tactic: 'add-tier-in-near',
      verdict: { answer: 'help' },
    })
    expect(manager.configuration.stores['users']?.layers).toContainEqual({
      tier: expect.objectContaining({ store: 'near' }),
    })
    type Native = { native: { keys(pattern: string): Promise<readonly string[]> } }
    const { native } = (manager.stores as unknown as { near: Native }).near
    expect((await native.keys(`*${copies}*`)).length).toBeGreaterThanOrEqual(8)
    await manager.stores.users.set('k3', { i: 'anew' })
    expect(await manager.stores.users.get('k3')).toEqual({ i: 'anew' })
  })

  longTest('takes a cache back that answers nothing, and does not try it again', async () => {
    const { manager, tuning, log } = await tuned(
      at(),
      { operation: 'read', percentile: 50, belowMs: 0.05 },
      (proposal) => proposal.tactic === 'add-cache',
      ['json', slow],
    )
    // No key is read twice. At an even pace: a load that changes would be a reason to try again.
    called(8, (i) => manager.stores.users.get(`k${i}`))
    expect(await ended(log)).toMatchObject({ state: 'undone', tactic: 'add-cache' })
    expect(manager.configuration.stores['users']?.layers).toEqual(['json', slow])
    await wait(1500)
    expect((await tuning.actions()).filter(({ tactic }) => tactic === 'add-cache')).toHaveLength(1)
  })

  longTest('opens more connections where calls wait for one', async () => {
    const { manager, log } = await tuned(
      at('&maxConnections=2'),
      { operation: 'native', percentile: 50, belowMs: 30 },
      () => true,
    )
    const monitor = manager.monitor as NonNullable<Manager['monitor']>
    called(8, () =>
      monitor.measure('users', () =>
        (manager.stores.users.native as { query(sql: string): Promise<unknown> }).query(
          'SELECT pg_sleep(0.01)',
        ),
      ),
    )
    expect(await ended(log)).toMatchObject({ state: 'kept', tactic: 'more-connections' })
    expect(manager.configuration.stores['users']?.url).toContain('maxConnections=4')
  })

  longTest('takes connections back that do harm, as calls wait for a lock', async () => {
    const { manager, log } = await tuned(
      at('&maxConnections=2'),
      { operation: 'native', percentile: 50, belowMs: 30 },
      ({ tactic }) => tactic === 'more-connections',
    )
    const monitor = manager.monitor as NonNullable<Manager['monitor']>
    // The more callers wait for the lock, the longer each of them keeps it.
    const contenders = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = ${process.pid}`
    const sql = `SELECT pg_advisory_xact_lock(${process.pid}), pg_sleep(0.005 * (${contenders}))`
    called(8, () =>
      monitor.measure('users', () =>
        (manager.stores.users.native as { query(sql: string): Promise<unknown> }).query(sql),
      ),
    )
    expect(await ended(log)).toMatchObject({ state: 'undone', tactic: 'more-connections' })
    expect(manager.configuration.stores['users']?.url).toContain('maxConnections=2')
  })
})

/** Its URL has a query already. */
describeWith('mongodb', (url) => {
  test('reads at another level while the change is in effect, and as before after it', async () => {
    const manager = await openStores({
      stores: { users: { url: `${url}&dataset=levels_${process.pid}`, layers: ['json'] } },
      monitor: true,
    })
    closers.push(() => manager.close())
    await manager.stores.users.set('a', 1)
    const tactic = readsAt('eventual', ['users'])
    const change = { option: 'readConsistency', before: null, after: 'eventual' }
    const at = { manager, name: 'users' } as never
    await tactic.carryOut(change, at)
    expect(manager.configuration.stores.users).toMatchObject({ readConsistency: 'eventual' })
    await expect.poll(() => manager.stores.users.get('a')).toBe(1)
    await tactic.undo(change, at)
    expect(manager.configuration.stores.users).not.toHaveProperty('readConsistency')
    expect(await manager.stores.users.get('a')).toBe(1)
    const wrong = { ...manager.configuration.stores.users, readConsistency: 'both' }
    await expect(
      manager.reload((now) => ({ ...now, stores: { ...now.stores, users: wrong } })),
    ).rejects.toThrow(/stores\.users.*does not offer this level as `readConsistency`/s)
  })
})
