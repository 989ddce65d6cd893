import { fileURLToPath } from 'node:url'
import { describeWith } from '@unikv/test-kit/vitest'
import { MongoClient } from 'mongodb'
import { describe, expect, test, vi } from 'vitest'
import { collect } from '../log-management/collector.ts'
import type { Log, Logs } from '../log-management/log.ts'
import { service } from '../log-management/service.ts'
import { logsOf as withUnikv } from '../log-management/with-unikv.ts'

/** Shared servers: names of our own. */
const place = `logs_${process.pid}`

/** Two hosts of one tenant over midnight: an address that guesses until it gets in, and one that gives up early. */
const sources = [
  {
    host: 'web1',
    application: 'shop',
    lines: [
      ...Array.from(
        { length: 6 },
        (_, i) => `2026-11-30T23:59:5${i}.000Z warning [10.0.0.9] login failed for ada`,
      ),
      '2026-11-30T23:59:58.500Z info [10.0.0.9] login succeeded for ada',
      'not a line of this form',
      '2026-11-30T23:59:59.999Z error payment service did not answer',
    ],
  },
  {
    host: 'db1',
    application: 'postgres',
    lines: [
      '2026-12-01T00:00:00.000Z info [10.0.0.9] export of table users',
      '2026-12-01T00:00:01.000Z warning [10.0.0.7] login failed for eve',
    ],
  },
]
const day = { from: '2026-11-30T12:00:00.000Z', to: '2026-12-01T12:00:00.000Z' }
const span = new URLSearchParams(day).toString()

async function works(open: () => Logs | Promise<Logs>): Promise<void> {
  const app = service(await open(), { one: 'shop', two: 'other' })
  const asked = async (token: string, request: string, status: number, payload?: object) => {
    const [method, url] = request.split(' ') as ['GET', string]
    const headers = { authorization: `Bearer ${token}` }
    const answer = await app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
    expect(answer.statusCode, `${request}: ${answer.body}`).toBe(status)
    return answer.body === '' ? undefined : answer.json()
  }
  const sent: Log[] = []
  const send = async (logs: readonly Log[]): Promise<void> => {
    sent.push(...logs)
    await asked('one', 'POST /logs', 201, logs)
  }
  expect(await collect(sources, send, 4)).toEqual({ sent: 10, unread: 1 })
  // The same ids of another tenant are logs of their own.
  await asked('two', 'POST /logs', 201, sent.slice(0, 1))
  const [first, , , , , , , crash] = sent as [Log, Log, Log, Log, Log, Log, Log, Log]

  const suspects = await asked('one', `GET /suspects?${span}`, 200)
  expect(suspects).toEqual([{ address: '10.0.0.9', failures: 6, gotIn: true }])
  expect(await asked('two', `GET /suspects?${span}`, 200)).toEqual([])
  const trace = await asked('one', `GET /addresses/10.0.0.9?${span}`, 200)
  expect(trace).toEqual({ web1: sent.slice(0, 7), db1: [sent[8]] })
  const before = new URLSearchParams({ ...day, to: '2026-12-01T00:00:00.000Z' }).toString()
  expect(await asked('one', `GET /levels?${before}`, 200)).toEqual({
    shop: { warning: 6, info: 1, error: 1 },
  })

  await asked('one', `PUT /logs/${crash.id}`, 204, { ...crash, level: 'warning', address: '10.0.0.7' })
  expect(await asked('one', `GET /logs/${crash.id}`, 200)).toEqual({
    ...crash,
    level: 'warning',
    address: '10.0.0.7',
  })
  const moved = await asked('one', `GET /addresses/10.0.0.7?${span}`, 200)
  expect(moved).toMatchObject({ web1: [{ id: crash.id }], db1: [{ host: 'db1' }] })
  await asked('one', `DELETE /logs/${first.id}`, 204)
  await asked('one', `DELETE /logs/${first.id}`, 404)
  await asked('one', `PUT /logs/${first.id}`, 404, first)
  await asked('one', `GET /logs/${first.id}`, 404)
  expect(await asked('two', `GET /logs/${first.id}`, 200)).toEqual(first)
  expect((await asked('one', `GET /suspects?${span}`, 200))[0].failures).toBe(5)

  await asked('one', 'POST /logs', 400, [{ ...first, id: 'unlike its time' }])
  await asked('three', 'GET /levels', 401)
  await app.close()
}

type Prototype = { logsOf(this: void, url: string, place: string): Logs | Promise<Logs> }

function runs(
  store: 'cassandra' | 'mongodb' | 'postgres',
  url: string,
  prototypes: Readonly<Record<string, () => Promise<Prototype>>>,
): void {
  test('with unikv', async () => {
    vi.stubEnv(`${store.toUpperCase()}_URL`, url)
    vi.stubEnv('DATASET', place)
    const file = fileURLToPath(new URL(`../log-management/configurations/${store}.yaml`, import.meta.url))
    await works(() => withUnikv(file))
  })
  describe.each(Object.entries(prototypes))('%s', (name, load) => {
    test('does the same', async () => {
      const { logsOf } = await load()
      await works(() => logsOf(url, `${place}_${name}`))
    })
  })
}

/** The server of the tests finds nothing by a pattern on an indexed field, unlike MongoDB. keyv lists keys by one. */
async function withoutIndexes(): Promise<Prototype> {
  const { logsOf } = await import('../log-management/keyv/mongodb.ts')
  return {
    async logsOf(url, database) {
      const logs = logsOf(url, database)
      // Connects, and makes the indexes.
      await logs.log('none', 'none')
      const client = new MongoClient(url)
      await client.db(database).collection('logs').dropIndexes()
      await client.close()
      return logs
    },
  }
}

describeWith('cassandra', (url) =>
  runs('cassandra', url, { native: () => import('../log-management/native/cassandra.ts') }),
)

describeWith('mongodb', (url) =>
  runs('mongodb', url, {
    native: () => import('../log-management/native/mongodb.ts'),
    keyv: withoutIndexes,
    unstorage: () => import('../log-management/unstorage/mongodb.ts'),
    typeorm: () => import('../log-management/typeorm/mongodb.ts'),
  }),
)

describeWith('postgres', (url) =>
  runs('postgres', url, {
    native: () => import('../log-management/native/postgres.ts'),
    keyv: () => import('../log-management/keyv/postgres.ts'),
    unstorage: () => import('../log-management/unstorage/postgres.ts'),
    typeorm: () => import('../log-management/typeorm/postgres.ts'),
  }),
)
