import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, describe, expect, test, vi } from 'vitest'
import type { Data } from '../five-stores/data.ts'
import { server } from '../five-stores/server.ts'
import { dataOf as withUnikv } from '../five-stores/with-unikv.ts'

const folder = await mkdtemp(join(tmpdir(), 'unikv-five-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Shared servers: names of our own. */
const dataset = `five_${process.pid}`

/** Ask the web back end for something; the answer must have this status. */
async function asked(app: ReturnType<typeof server>, request: string, status: number, payload?: object) {
  const [method, url] = request.split(' ') as ['GET', string]
  const answer = await app.inject({ method, url, ...(payload === undefined ? {} : { payload }) })
  expect(answer.statusCode, `${request}: ${answer.body}`).toBe(status)
  return answer.body === '' ? undefined : answer.json()
}

/** Everything that the web back end does, twice opened. */
async function works(open: () => Data | Promise<Data>): Promise<void> {
  const first = server(await open())
  await asked(first, 'POST /users', 201, { name: 'ada', mail: 'ada@example.org' })
  const taken = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      first.inject({ method: 'POST', url: '/users', payload: { name: 'bob', mail: `${i}@example.org` } }),
    ),
  )
  expect(taken.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
    201,
    ...Array(7).fill(409),
  ])
  await asked(first, 'PUT /users/ada/mail', 204, { mail: 'new@example.org' })
  await asked(first, 'PUT /users/eve/mail', 404, { mail: 'new@example.org' })
  await asked(first, 'POST /sessions', 401, { name: 'eve' })
  const { id } = await asked(first, 'POST /sessions', 201, { name: 'ada' })
  await Promise.all(Array.from({ length: 20 }, (_, i) => asked(first, `POST /visits/page${i % 2}`, 200)))
  await first.close()

  const second = server(await open())
  expect(await asked(second, 'GET /users/ada', 200)).toMatchObject({ mail: 'new@example.org' })
  await asked(second, 'GET /users/eve', 404)
  expect(await asked(second, `GET /sessions/${id}`, 200)).toEqual({ name: 'ada' })
  await asked(second, `DELETE /sessions/${id}`, 204)
  await asked(second, `GET /sessions/${id}`, 404)
  expect(await asked(second, 'GET /visits', 200)).toEqual({ page0: 10, page1: 10 })
  await second.close()
}

function runs(
  store: string,
  environment: Readonly<Record<string, string>>,
  native: () => Data | Promise<Data>,
): void {
  test('with unikv', async () => {
    for (const [name, value] of Object.entries({ ...environment, DATASET: dataset })) vi.stubEnv(name, value)
    const file = fileURLToPath(new URL(`../five-stores/configurations/${store}.yaml`, import.meta.url))
    await works(() => withUnikv(file))
  })

  test('with the native client', () => works(native))
}

describe('on file', async () => {
  const { dataOf } = await import('../five-stores/native/file.ts')
  runs('file', { DATA_DIR: folder }, () => dataOf(folder))
})

describe('on lmdb', async () => {
  const { dataOf } = await import('../five-stores/native/lmdb.ts')
  runs('lmdb', { DATA_DIR: join(folder, 'lmdb') }, () => dataOf(join(folder, 'lmdb')))
})

describeWith('redis', async (url) => {
  const { dataOf } = await import('../five-stores/native/redis.ts')
  runs('redis', { REDIS_URL: url }, () => dataOf(url, `${dataset}_native`))
})

describeWith('postgres', async (url) => {
  const { dataOf } = await import('../five-stores/native/postgres.ts')
  runs('postgres', { POSTGRES_URL: url }, () => dataOf(url, `${dataset}_native`))
})

describeWith('mongodb', async (url) => {
  const { dataOf } = await import('../five-stores/native/mongodb.ts')
  runs('mongodb', { MONGODB_URL: url }, () => dataOf(url, `${dataset}_native`))
})
