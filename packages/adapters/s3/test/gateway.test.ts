import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { isStoreError, keyValue, type Mutation, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { resultsOf } from '@unikv/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { prepareS3, s3 } from '../src/index.ts'

/** What stands before S3 answers: with this status and this body. */
interface Said {
  readonly status: number
  readonly body?: string
  readonly delayMs?: number
}

const value = Buffer.from('value')
const page = '<html><head><title>404</title></head><body>no such route</body></html>'
const broken = 'upstream connect error or disconnect/reset before headers'
const options = { bucket: 'bucket', credentials: { accessKeyId: 'key', secretAccessKey: 'secret' } }
let answer: (method: string) => Said
const asked: string[] = []
const server = createServer((request, response) => {
  const method = request.method ?? ''
  asked.push(method)
  const { status, body = '', delayMs = 0 } = answer(method)
  request.resume().once('end', async () => {
    await pause(delayMs)
    response.writeHead(status, { etag: '"etag"' }).end(body)
  })
})
let endpoint: string

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  asked.length = 0
})
afterAll(() => {
  server.close()
})

function code(name: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${name}</Code></Error>`
}

const opened = () => keyValue(s3({ ...options, endpoint }))

type Opened = ReturnType<typeof opened>

/** What a call comes to behind the gateway. */
async function outcome(said: Said, run: (kv: Opened) => Promise<unknown>) {
  answer = () => said
  await using kv = opened()
  return await run(kv).catch((error: unknown) => (isStoreError(error) ? error.code : error))
}

const set = (kv: Opened) => kv.set('key', value)
const remove = (kv: Opened) => kv.delete('key')
const get = (kv: Opened) => kv.get('key')
const count = (kv: Opened) => kv.count()

describe('a write may have gone through', () => {
  test.each<[string, Said]>([
    ['503 of a gateway', { status: 503, body: broken }],
    ['503 without a body', { status: 503 }],
    ['503 with a page', { status: 503, body: page }],
    ['503 with a code that nobody knows', { status: 503, body: code('Unheard') }],
    ['404 with a page', { status: 404, body: page }],
    ['404 without a body', { status: 404 }],
  ])('%s', async (_, said) => {
    expect(await outcome(said, set)).toBe('OUTCOME_UNKNOWN')
    expect(await outcome(said, remove)).toBe('OUTCOME_UNKNOWN')
    const both = await outcome(said, (kv) => resultsOf(kv.deleteMany(['one', 'two'])))
    expect(both).toMatchObject([{ code: 'OUTCOME_UNKNOWN' }, { code: 'OUTCOME_UNKNOWN' }])
  })

  test.each([404, 412])('deletes of many that are refused as if they were one (%i)', async (status) => {
    const both = await outcome({ status, body: code('NoSuchKey') }, (kv) =>
      resultsOf(kv.deleteMany(['one', 'two'])),
    )
    expect(both).toMatchObject([{ code: 'OUTCOME_UNKNOWN' }, { code: 'OUTCOME_UNKNOWN' }])
  })
})

test.each<[Said, string]>([
  [{ status: 503, body: code('SlowDown') }, 'OVERLOADED'],
  [{ status: 503, body: code('ServiceUnavailable') }, 'OVERLOADED'],
  [{ status: 429, body: broken }, 'OVERLOADED'],
  [{ status: 501 }, 'UNSUPPORTED'],
  [{ status: 507 }, 'STORE_FULL'],
  [{ status: 404, body: code('NoSuchBucket') }, 'NOT_PREPARED'],
])('%j to a write changed nothing: %s', async (said, told) => {
  expect(await outcome(said, set)).toBe(told)
})

test('a page is no miss, and no empty listing', async () => {
  for (const body of [page, broken, '', code('NoSuchUpload')]) {
    expect(await outcome({ status: 404, body }, get)).toBe('UNAVAILABLE')
    expect(await outcome({ status: 404, body }, count)).toBe('UNAVAILABLE')
  }
  expect(await outcome({ status: 503, body: broken }, get)).toBe('OVERLOADED')
  expect(await outcome({ status: 404, body: code('NoSuchKey') }, get)).toBeUndefined()
})

test.each([404, 412, 416])('a list that is refused (%i) has no page', async (status) => {
  expect(await outcome({ status, body: code('NoSuchKey') }, count)).toBe('UNAVAILABLE')
})

test('a bucket that a HEAD does not find is made', async () => {
  answer = (method) => ({ status: method === 'HEAD' ? 404 : 200 })
  await prepareS3({ ...options, endpoint })
  expect(asked).toEqual(['HEAD', 'PUT'])
})

test('deletes of many that fail before anything waits for them are told, and nothing is unhandled', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown): unknown => unhandled.push(error)
  process.on('unhandledRejection', note)
  answer = (method) =>
    method === 'POST' ? { status: 403, body: code('AccessDenied') } : { status: 200, delayMs: 200 }
  const store = s3({ ...options, endpoint, maxConnections: 2 })
  const version = newVersion()
  const mutations: readonly Mutation<Uint8Array>[] = [
    { type: 'set', key: 'a', value, version, expiresAt: undefined },
    { type: 'set', key: 'b', value, version, expiresAt: undefined },
    { type: 'delete', key: 'c', version },
    { type: 'delete', key: 'd', version },
  ]
  const results = await store.write(mutations, callOptions())
  await store.close()
  process.off('unhandledRejection', note)
  const denied = { code: 'ACCESS_DENIED' }
  expect(results).toMatchObject([{ version }, { version }, denied, denied])
  expect(unhandled).toEqual([])
})
