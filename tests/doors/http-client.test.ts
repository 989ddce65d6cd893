import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { http } from '@unikv/http'
import { listen } from '@unikv/http/node'
import { sqlite } from '@unikv/sqlite'
import { type Document, OpenAPIClientAxios } from 'openapi-client-axios'
import { afterAll, expect, test } from 'vitest'

// A client that is generated from the document of a server, as programs in other languages have it.

const token = 'a-token-of-the-tests'
const users = keyValue(memory(), [json<unknown>()])
const bytes = keyValue(memory())
const folder = await mkdtemp(join(tmpdir(), 'unikv-client-'))
const logs = keyValue(sqlite({ path: join(folder, 'logs.db'), values: 'document', threads: 0 }))
const access = { name: 'tests', token, may: 'write' } as const
const server = await listen(http({ users, bytes, logs }, { tokens: [access], basePath: '/mounted' }))
afterAll(async () => {
  await server.close()
  await logs.close()
  await rm(folder, { recursive: true })
})

const headers = { authorization: `Bearer ${token}` }
const description = (await (
  await fetch(`${server.url}/mounted/v1/openapi.json`, { headers })
).json()) as Document

/** A client with a method for each operation; it rejects no status. */
async function generated() {
  const api = new OpenAPIClientAxios({
    definition: description,
    withServer: { url: `${server.url}/mounted` },
    // Lists as the document says: each value with the name.
    axiosConfigDefaults: { headers, validateStatus: () => true, paramsSerializer: { indexes: null } },
  })
  return api.init()
}

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  expect(await validator.validate(structuredClone(description) as never)).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

test('each operation is a method of the client, and works', async () => {
  const client = await generated()
  const operations = client.api.getOperations().map(({ operationId }) => operationId)
  const used = new Set<string>()
  const ask = async (name: string, parameters: Asked = {}, body?: unknown): Promise<Answer> => {
    used.add(name)
    return (await client[name]?.(parameters, body)) as Answer
  }
  const store = 'users'

  expect((await ask('listStores')).data).toEqual({ stores: ['users', 'bytes', 'logs'] })
  expect((await ask('describeStore', { store })).data).toMatchObject({ contentType: 'application/json' })

  for (const [suffix, key] of [
    ['', 'ada'],
    ['ByQuery', 'a/../ä'],
  ] as const) {
    const place = { store, key }
    const put = await ask(`putRecord${suffix}`, { ...place, 'If-None-Match': '*' }, { name: 'Ada' })
    expect(put.status).toBe(204)
    const taken = await ask(`putRecord${suffix}`, { ...place, 'If-None-Match': '*' }, { name: 'Bob' })
    expect([taken.status, taken.data['code']]).toEqual([412, 'CONDITION_FAILED'])
    expect((await ask(`getRecord${suffix}`, place)).data).toEqual({ name: 'Ada' })
    const known = { ...place, 'If-None-Match': put.headers['etag'] as string }
    expect((await ask(`getRecord${suffix}`, known)).status).toBe(304)
    const touched = await ask(`patchRecord${suffix}`, place, { type: 'touch', ttlMs: 60_000 })
    expect([touched.status, (await users.head(key))?.expiresAt]).toEqual([204, expect.any(Number)])
    const late = { ...place, 'If-Match': `"${'0'.repeat(24)}"` }
    expect((await ask(`deleteRecord${suffix}`, late)).status).toBe(412)
    expect((await ask(`deleteRecord${suffix}`, place)).status).toBe(204)
    expect((await ask(`getRecord${suffix}`, place)).status).toBe(404)
  }
  const counted = await ask('patchRecord', { store: 'bytes', key: 'n' }, { type: 'increment', by: 2 })
  expect(counted.data).toMatchObject({ value: 2 })

  const writes = ['b', 'c', 'd'].map((key) => ({ type: 'set', key, value: { key } }))
  const written = await ask('writeRecords', { store }, { writes, namespace: ['x', 'y'], atomic: true })
  expect(written.data['results']).toHaveLength(3)
  expect((await users.namespace('x').namespace('y').get('c')) as object).toEqual({ key: 'c' })
  const reads = [{ key: 'b' }, { key: 'absent' }]
  const read = await ask('readRecords', { store }, { reads, namespace: ['x', 'y'] })
  expect(read.data['results']).toMatchObject([{ value: { key: 'b' } }, null])
  const within = { store, namespace: ['x', 'y'], limit: 2 }
  const page = await ask('listRecords', within)
  expect(page.data['items']).toEqual([{ key: 'b' }, { key: 'c' }])
  const next = await ask('listRecords', { ...within, cursor: page.data['cursor'] as string })
  expect(next.data).toEqual({ items: [{ key: 'd' }] })

  await logs.setMany([1, 2, 3].map((n) => [`log${n}`, { n, text: `line ${n}` }]))
  const query = { where: { text: { contains: 'line' } }, orderBy: [{ desc: 'n' }], limit: 2 }
  const found = await ask('findRecords', { store: 'logs' }, query)
  expect(found.data['items']).toMatchObject([{ key: 'log3', value: { n: 3 } }, { key: 'log2' }])
  const rest = await ask('findRecords', { store: 'logs' }, { ...query, after: found.data['cursor'] })
  expect(rest.data['items']).toMatchObject([{ key: 'log1' }])
  const totals = await ask('aggregateRecords', { store: 'logs' }, { where: { n: { gt: 1 } }, of: 'n' })
  expect(totals.data).toEqual({ count: 2, sum: 5, min: 2, max: 3 })

  expect(operations.filter((name) => !used.has(name ?? ''))).toEqual([])
})

type Asked = Readonly<Record<string, string | number | string[]>>

interface Answer {
  readonly status: number
  readonly data: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
}
