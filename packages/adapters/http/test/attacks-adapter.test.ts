import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type Capabilities, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { afterAll, describe, expect, test } from 'vitest'
import { http } from '../src/index.ts'
import { capabilitiesOf, httpStore } from '../src/store/index.ts'

// A server that means harm, or is none of unikv. No answer of it is taken for a value, no write is sent twice, and no secret is told.

const token = 'a-token-that-no-error-shows'
const version = '0'.repeat(24)
const own = http({ s: keyValue(memory()) }, { unprotected: true })
const described = await own.fetch(new Request('http://localhost/v1/stores/s'))
const { capabilities: known } = (await described.json()) as { capabilities: Capabilities }
const capabilities = { ...known, find: true }

type Answer = (response: ServerResponse, request: IncomingMessage) => void
let answer: Answer = (response) => response.end()
let told: unknown = capabilities
let asked: string[] = []
const server = createServer((request, response) => {
  if (request.url === '/v1/stores/s') return as(response, 200, { capabilities: told })
  asked.push(`${request.method} ${request.headers.authorization}`)
  answer(response, request)
})
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/s`

function as(response: ServerResponse, status: number, body: unknown, type = 'application/json'): void {
  response.writeHead(status, { unikv: '1', 'content-type': type })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

const problem =
  (status: number, body: object): Answer =>
  (response) =>
    as(response, status, body, 'application/problem+json')
const results =
  (...all: unknown[]): Answer =>
  (response) =>
    as(response, 200, { results: all })
const withHeaders =
  (status: number, headers: Record<string, string>, body = ''): Answer =>
  (response) => {
    response.writeHead(status, { unikv: '1', ...headers })
    response.end(body)
  }
const found = { 'unikv-length': '5', 'unikv-version': version }

const opened = () =>
  keyValue(httpStore({ url, token, capabilities: { increment: true, find: true } as const }))
type Far = ReturnType<typeof opened>

/** The error of a call while the server answers so. */
async function failure(
  by: Answer,
  call: (far: Far) => Promise<unknown>,
): Promise<{ code: string; message: string }> {
  const far = opened()
  answer = by
  asked = []
  const outcome = await call(far).then(
    (value) => ({ code: `no error: ${JSON.stringify(value)}`, message: '' }),
    (error: { code: string; message: string }) => error,
  )
  await far.close()
  return outcome
}

const get = (far: Far): Promise<unknown> => far.getEntry('k')
const getMany = (far: Far): Promise<unknown> => far.getMany(['a', 'b'])
const set = (far: Far): Promise<unknown> => far.set('k', Buffer.from('v'))

describe('no odd answer is a value, or that there is none', () => {
  test.each<[string, Answer]>([
    ['a page of a proxy', withHeaders(200, { unikv: '', 'content-type': 'text/html' }, '<h1>')],
    ['a redirect to elsewhere', withHeaders(307, { location: 'http://127.0.0.1:1/evil' })],
    ['a redirect by a server of unikv', withHeaders(301, { location: `${url}2`, ...found })],
    ['nothing', withHeaders(204, found)],
    ['a shorter body', withHeaders(200, { ...found, 'unikv-length': '50' }, 'hello')],
    ['a part', withHeaders(206, found, 'hello')],
    ['that it is as it was, unasked', withHeaders(304, found)],
    ['that there is none, by nobody', withHeaders(404, {})],
    ['that there is none, by another', withHeaders(404, { 'content-type': 'text/html' }, '<h1>')],
    ['a version that is none', withHeaders(200, { ...found, 'unikv-version': 'evil' }, 'hello')],
    ['an expiry that is none', withHeaders(200, { ...found, 'unikv-expires-at': 'soon' }, 'hello')],
    ['an expiry below 0', withHeaders(200, { ...found, 'unikv-expires-at': '-1' }, 'hello')],
    ['an error that is none', problem(503, { code: 'constructor', detail: 'x' })],
    ['an error without words', problem(503, { code: 'UNAVAILABLE', detail: 5 })],
  ])('%s', async (_, by) => {
    expect((await failure(by, get)).code).toBe('UNAVAILABLE')
    expect(asked.length).toBe(1)
  })

  test.each<[string, Answer]>([
    ['fewer results', results(null)],
    ['base64 that is none', results({ base64: '%%%', version }, null)],
    ['a number', results({ base64: 5, version }, null)],
    ['a version that is none', results({ base64: 'QQ==', version: {} }, null)],
    ['an expiry that is none', results({ base64: 'QQ==', version, expiresAt: 'x' }, null)],
    ['text', (response) => as(response, 200, 'null')],
    ['deep JSON', (response) => as(response, 200, '['.repeat(200_000) + ']'.repeat(200_000))],
  ])('%s of a batch', async (_, by) => {
    expect((await failure(by, getMany)).code).toBe('UNAVAILABLE')
  })

  test.each<[string, unknown, string]>([
    ['the same page again and again', { items: [{ key: 'a' }], cursor: 'x' }, 'CORRUPT'],
    ['no page, again and again', { items: [], cursor: 'x' }, 'CORRUPT'],
    ['a key of another namespace', { items: [{ key: 'root' }] }, 'CORRUPT'],
    ['a key that is none', { items: [{ key: 5 }] }, 'UNAVAILABLE'],
    ['a cursor that is none', { items: [], cursor: 5 }, 'UNAVAILABLE'],
  ])('%s of a listing', async (_, page, code) => {
    const by: Answer = (response) => as(response, 200, page)
    expect((await failure(by, listed)).code).toBe(code)
  })
})

describe('no odd answer is what was found, or a total', () => {
  const item = { key: 'k', base64: 'QQ==', version }
  test.each<[string, unknown]>([
    ['no list', { items: {} }],
    ['nothing', null],
    ['more than was asked for', { items: [item, item, item] }],
    ['no records, and that there are more', { items: [], last: { key: 'k', values: [[0]] } }],
    ['a place in another order', { items: [item, item], last: { key: 'k', values: [] } }],
    ['a place that is none', { items: [item, item], last: { key: 'k', values: [[4, 5]] } }],
    ['a cursor', { items: [item, item], last: 'x' }],
    ['a key that is none', { items: [{ ...item, key: 5 }] }],
    ['a value that is none', { items: [{ ...item, base64: '%%' }] }],
    ['keys alone', { items: [{ key: 'k' }] }],
  ])('%s', async (_, body) => {
    const by: Answer = (response) => as(response, 200, body)
    const find = (far: Far): Promise<unknown> => far.find({ orderBy: ['n'], limit: 2 })
    expect((await failure(by, find)).code).toBe('UNAVAILABLE')
    expect(asked.length).toBe(1)
  })

  test.each<[string, unknown]>([
    ['nothing', null],
    ['no count', { sum: 1 }],
    ['a count below 0', { count: -1, sum: 1 }],
    ['a part of a record', { count: 0.5, sum: 1 }],
    ['no sum', { count: 1 }],
    ['a sum of letters', { count: 1, sum: '12' }],
    ['a list for the least', { count: 1, sum: 1, min: [] }],
    ['null for the greatest', { count: 1, sum: 1, max: null }],
  ])('%s of totals', async (_, body) => {
    const by: Answer = (response) => as(response, 200, body)
    expect((await failure(by, (far) => far.aggregate({ of: 'n' }))).code).toBe('UNAVAILABLE')
    expect(asked.length).toBe(1)
  })
})

async function listed(far: Far): Promise<unknown> {
  const keys = []
  for await (const key of far.namespace('n').keys()) keys.push(key)
  return keys
}

describe('a write whose answer is odd may have taken effect, and is sent once', () => {
  test.each<[string, Answer]>([
    ['a reset', (_, request) => request.socket.destroy()],
    [
      'half an answer',
      (response) =>
        void response.writeHead(200, { 'content-length': '9' }).write('x', () => response.destroy()),
    ],
    ['a redirect', withHeaders(307, { location: `${url}2` })],
    ['a page', withHeaders(500, { unikv: '', 'content-type': 'text/html' }, '<h1>')],
    ['no version', withHeaders(204, {})],
    ['a version that is none', withHeaders(204, { 'unikv-version': 'evil' })],
  ])('%s', async (_, by) => {
    expect((await failure(by, set)).code).toBe('OUTCOME_UNKNOWN')
    expect(asked).toEqual([`PUT Bearer ${token}`])
  })

  test.each<[string, unknown]>([
    ['text', '12'],
    ['nothing', undefined],
    ['a number beyond all', 2 ** 60],
  ])('a counter that is %s', async (_, number) => {
    const { code } = await failure(results({ version, number }), (far) => far.increment('n'))
    expect([code, asked.length]).toEqual(['OUTCOME_UNKNOWN', 1])
  })
})

test.each([401, 403, 429, 503])('words of %i are short, plain, and hold no token', async (status) => {
  const codes: Record<number, string> = {
    401: 'UNAUTHORIZED',
    403: 'FORBIDDEN',
    429: 'TOO_MANY_REQUESTS',
    503: 'UNAVAILABLE',
  }
  const by: Answer = (response, request) => {
    const detail = `\u001b[2J\nFAKE ${request.headers.authorization} ${'x'.repeat(1_000_000)}`
    problem(status, { code: codes[status], detail })(response, request)
  }
  const { message } = await failure(by, get)
  expect(message).toContain('FAKE')
  expect(message.length).toBeLessThan(700)
  expect(message).not.toMatch(/\p{Cc}/u)
  expect(message).not.toContain(token)
})

test('a body without an end, and one that is packed, fill no memory', async () => {
  const piece = Buffer.alloc(1_000_000)
  const endless: Answer = (response) => {
    response.on('error', () => {}).writeHead(200, { unikv: '1', ...found })
    const more = (): void => {
      while (response.write(piece)) if (response.destroyed) return
    }
    response.on('drain', more)
    more()
  }
  const packed = gzipSync(Buffer.alloc(400_000_000))
  const bomb: Answer = (response) => {
    response.on('error', () => {}).writeHead(200, { unikv: '1', ...found, 'content-encoding': 'gzip' })
    response.end(packed)
  }
  for (const by of [endless, bomb]) {
    const { code } = await failure(by, (far) => far.get('k', { timeoutMs: 60_000 }))
    expect(code).toBe('UNAVAILABLE')
  }
})

test.each<[string, object]>([
  ['no batches', { batch: undefined }],
  ['batches of nothing', { batch: { ...capabilities.batch, maxItems: 0 } }],
  ['batches of text', { batch: { ...capabilities.batch, maxItems: 'x' } }],
  ['values below nothing', { maxValueBytes: -5 }],
  ['keys beyond all', { maxKeyBytes: 1e308 }],
  ['a listing of its own', { scan: 'yes' }],
  ['a life of its own', { ttl: { kind: 'lazy', precisionMs: 'x' } }],
  ['documents', { documents: true }],
  ['a search of its own', { find: 'yes' }],
  ['a level that is no list', { consistency: 'strong' }],
])('a server that tells of %s is none', async (_, more) => {
  told = { ...capabilities, ...more }
  const outcome = await capabilitiesOf({ url, token }).catch((error: { code: string }) => error.code)
  told = capabilities
  expect(outcome).toBe('UNAVAILABLE')
})

test('abilities of a server bring nothing else', async () => {
  told = JSON.parse(
    JSON.stringify({ ...capabilities, evil: 1 }).replace('{', '{"__proto__":{"polluted":1},'),
  ) as unknown
  const found = await capabilitiesOf({ url, token })
  told = capabilities
  expect([Object.hasOwn(found, 'evil'), Object.hasOwn(found, '__proto__'), 'polluted' in found]).toEqual([
    false,
    false,
    false,
  ])
})
