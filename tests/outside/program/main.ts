import { randomUUID } from 'node:crypto'
import { type Json, json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { lmdb } from '@unikv/lmdb'
import { postgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { runCells } from './cells.mjs'

/** What the types of all four stores have to offer. */
interface Users {
  namespace(name: string): Users
  get(key: string): Promise<Json | undefined>
  set(key: string, value: Json, options?: { ttlMs?: number }): Promise<{ version: unknown }>
  update(key: string, change: (value: Json | undefined) => Json | undefined): Promise<Json | undefined>
  keys(options?: { prefix?: string }): AsyncIterable<string>
  clear(what: { all: true }): Promise<number>
  close(): Promise<void>
}

const { OUTSIDE_FOLDER, UNIKV_TEST_REDIS_URL: redisUrl, UNIKV_TEST_POSTGRES_URL: postgresUrl } = process.env

const inRedis = (url: string): Users => keyValue(redis({ url, dataset: 'outside' }), [json()])
const inPostgres = (url: string): Users =>
  keyValue(postgres({ url, table: 'outside', prepare: true }), [json()])

const stores: Record<string, () => Users> = {
  memory: () => keyValue(memory(), [json()]),
  lmdb: () => keyValue(lmdb({ path: `${OUTSIDE_FOLDER}/lmdb` }), [json()]),
  ...(redisUrl === undefined ? {} : { redis: () => inRedis(redisUrl) }),
  ...(postgresUrl === undefined ? {} : { postgres: () => inPostgres(postgresUrl) }),
}

async function program(all: Users): Promise<void> {
  const users = all.namespace(`outside-${randomUUID()}`)
  await users.set('ada', { name: 'Ada', born: 1815 }, { ttlMs: 3_600_000 })
  expect(await users.get('ada'), { name: 'Ada', born: 1815 })
  expect(await users.update('visits', (count = 0) => Number(count) + 1), 1)
  const keys: string[] = []
  for await (const key of users.keys({ prefix: 'a' })) keys.push(key)
  expect(keys, ['ada'])
  await users.set('ada', 'soon gone', { ttlMs: 40 })
  while ((await users.get('ada')) !== undefined) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(await users.clear({ all: true }), 1)
  await all.close()
}

function expect(value: unknown, wanted: unknown): void {
  if (JSON.stringify(value) !== JSON.stringify(wanted)) throw new Error(`${JSON.stringify(value)}`)
}

void runCells(stores, program)
