import { json, keyValue, text } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type HttpOptions, http, type Token } from '../src/index.ts'
import { token } from './served.ts'

interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A server in this process, and what asks it with the token of the tests. */
function server(tokens: Partial<Token> = {}, options: Partial<HttpOptions> = {}) {
  const bytes = keyValue(memory())
  const users = keyValue(memory(), [json<unknown>()])
  const notes = keyValue(memory(), [text()])
  const own = { name: 'test', token, may: 'write', ...tokens } as const
  const { fetch } = http({ bytes, users, notes }, { tokens: [own], ...options })
  const ask = async (path: string, { method = 'GET', headers = {}, body }: Asked = {}) => {
    const all = { authorization: `Bearer ${token}`, ...headers }
    const init = { method, headers: all, body: body ?? null }
    const response = await fetch(new Request(`http://localhost/v1${path}`, init))
    const said = await response.text()
    return { status: response.status, headers: response.headers, said, json: () => JSON.parse(said) }
  }
  return { bytes, users, notes, ask, fetch }
}

const asJson = { 'content-type': 'application/json' }

describe('values', () => {
  test('travel as the codec of the store makes them: bytes, JSON, text', async () => {
    const { bytes, users, notes, ask } = server()
    await bytes.set('k', Buffer.from([0, 255]))
    await users.set('ada', { name: 'Ada' })
    await notes.set('n', 'a note')
    expect((await ask('/stores/bytes/records/k')).headers.get('content-type')).toBe(
      'application/octet-stream',
    )
    const user = await ask('/stores/users/records/ada')
    expect([user.headers.get('content-type'), user.said]).toEqual(['application/json', '{"name":"Ada"}'])
    expect((await ask('/stores/notes/records/n')).said).toBe('a note')
    await ask('/stores/users/records/bob', { method: 'PUT', headers: asJson, body: '{"name":"Bob"}' })
    expect(await users.get('bob')).toEqual({ name: 'Bob' })
  })

  test('that are none of the store are refused, and nothing is stored', async () => {
    const { users, ask } = server()
    const wrong = await ask('/stores/users/records/k', { method: 'PUT', headers: asJson, body: '{"name"' })
    expect([wrong.status, wrong.json().code]).toEqual([400, 'INVALID_VALUE'])
    const untyped = await ask('/stores/users/records/k', { method: 'PUT', body: '{}' })
    expect(untyped.status).toBe(415)
    expect(await users.has('k')).toBe(false)
  })

  test('come in part, to the last byte; a range outside is refused', async () => {
    const { bytes, ask } = server()
    await bytes.set('k', Buffer.from('0123456789'))
    const part = async (range: string) => {
      const { status, headers, said } = await ask('/stores/bytes/records/k', { headers: { range } })
      return [status, headers.get('content-range'), status === 206 ? said : '']
    }
    expect(await part('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234'])
    expect(await part('bytes=7-')).toEqual([206, 'bytes 7-9/10', '789'])
    expect(await part('bytes=-3')).toEqual([206, 'bytes 7-9/10', '789'])
    expect(await part('bytes=8-99')).toEqual([206, 'bytes 8-9/10', '89'])
    expect(await part('bytes=10-')).toEqual([416, 'bytes */10', ''])
    expect((await ask('/stores/bytes/records/k', { headers: { range: 'bytes=0-1,3-4' } })).said).toBe(
      '0123456789',
    )
  })
})

describe('keys', () => {
  test.each(['a/b', '..', '.', 'a%2Fb', 'ä €', '\u0000', '?x=1#y', ' '])(
    '%j is itself, in a query',
    async (key) => {
      const { bytes, ask } = server()
      const path = `/stores/bytes/record?key=${encodeURIComponent(key)}`
      expect((await ask(path, { method: 'PUT', body: 'v' })).status).toBe(204)
      expect(Buffer.from((await bytes.get(key)) as Uint8Array).toString()).toBe('v')
      expect((await ask(path)).said).toBe('v')
    },
  )

  test('in a path may have slashes, as they are or encoded', async () => {
    const { bytes, ask } = server()
    await bytes.set('a/b c', Buffer.from('v'))
    for (const path of ['a/b%20c', 'a%2Fb%20c'])
      expect((await ask(`/stores/bytes/records/${path}`)).said).toBe('v')
    expect((await ask('/stores/bytes/records/100%')).status).toBe(400)
  })

  test('of a namespace are apart', async () => {
    const { bytes, ask } = server()
    const path = '/stores/bytes/records/k?namespace=a&namespace=b'
    await ask(path, { method: 'PUT', body: 'inner' })
    expect(await bytes.has('k')).toBe(false)
    expect(await bytes.namespace('a').namespace('b').has('k')).toBe(true)
    expect((await ask('/stores/bytes/records?namespace=a&namespace=b')).json().items).toEqual([{ key: 'k' }])
    expect((await ask('/stores/bytes/records')).json().items).toEqual([])
  })

  test('a namespace in brackets, as some clients write lists, is refused', async () => {
    const { bytes, ask } = server()
    const path = '/stores/bytes/records/k?namespace[]=a'
    expect((await ask(path, { method: 'PUT', body: 'x' })).status).toBe(400)
    expect(await bytes.has('k')).toBe(false)
  })
})

describe('versions', () => {
  test('are entity tags: a known one is not sent again, and a write waits for none', async () => {
    const { ask } = server()
    const path = '/stores/bytes/records/k'
    const first = await ask(path, { method: 'PUT', body: '1', headers: { 'if-none-match': '*' } })
    const tag = first.headers.get('etag') as string
    expect((await ask(path, { headers: { 'if-none-match': tag } })).status).toBe(304)
    expect((await ask(path, { method: 'PUT', body: '2', headers: { 'if-none-match': '*' } })).status).toBe(
      412,
    )
    expect((await ask(path, { method: 'PUT', body: '2', headers: { 'if-match': tag } })).status).toBe(204)
    const late = await ask(path, { method: 'DELETE', headers: { 'if-match': tag } })
    expect([late.status, late.json().code]).toEqual([412, 'CONDITION_FAILED'])
    expect((await ask(path)).said).toBe('2')
  })

  test.each([{ 'if-match': '"a", "b"' }, { 'if-match': '*' }, { 'if-none-match': '"a"' }])(
    'a condition that cannot be kept is refused: %j',
    async (headers) => {
      const { ask, bytes } = server()
      expect((await ask('/stores/bytes/records/k', { method: 'PUT', body: '1', headers })).status).toBe(400)
      expect(await bytes.has('k')).toBe(false)
    },
  )
})

describe('expiry and counters', () => {
  test('a life, a time, and to keep it', async () => {
    const { bytes, ask } = server()
    const path = '/stores/bytes/records/k'
    const put = (headers: Record<string, string>) => ask(path, { method: 'PUT', body: '1', headers })
    await put({ 'unikv-expires-at': String(Date.now() + 60_000) })
    const expiresAt = (await bytes.head('k'))?.expiresAt
    await put({ 'unikv-ttl': 'keep' })
    expect((await ask(path)).headers.get('unikv-expires-at')).toBe(String(expiresAt))
    expect((await put({ 'unikv-ttl': 'soon' })).status).toBe(400)
    await ask(path, { method: 'PATCH', headers: asJson, body: '{"type":"touch","ttlMs":null}' })
    expect((await bytes.head('k'))?.expiresAt).toBeUndefined()
  })

  test('count, and touch what is there alone', async () => {
    const { ask } = server()
    const path = '/stores/bytes/records/n'
    const patch = (body: object) =>
      ask(path, { method: 'PATCH', headers: asJson, body: JSON.stringify(body) })
    expect((await patch({ type: 'touch', ttlMs: 1000 })).status).toBe(404)
    expect((await patch({ type: 'increment', by: 2, initial: 40 })).json()).toMatchObject({ value: 42 })
    expect((await patch({ type: 'increment', by: 0.5 })).status).toBe(400)
    expect((await patch({ type: 'increment', by: 1, extra: 1 })).json().detail).toContain("'extra'")
    expect((await ask(path)).said).toBe('42')
  })
})

test('a listing has pages, a prefix, values, and a cursor that is good for itself alone', async () => {
  const { users, ask } = server()
  for (const key of ['a1', 'a2', 'a3', 'b1']) await users.set(key, { key })
  const first = (await ask('/stores/users/records?prefix=a&limit=2&values=true')).json()
  expect(first.items).toMatchObject([{ key: 'a1', value: { key: 'a1' } }, { key: 'a2' }])
  const next = (await ask(`/stores/users/records?prefix=a&limit=2&cursor=${first.cursor}`)).json()
  expect(next).toEqual({ items: [{ key: 'a3' }] })
  expect((await ask(`/stores/users/records?prefix=b&cursor=${first.cursor}`)).status).toBe(400)
  expect((await ask('/stores/users/records?gt=a1&lte=b1&reverse=true')).json().items).toEqual([
    { key: 'b1' },
    { key: 'a3' },
    { key: 'a2' },
  ])
})

test('batches tell of each item, and one that is atomic takes effect as a whole', async () => {
  const { users, ask } = server()
  const post = (path: string, body: object) =>
    ask(`/stores/users/${path}`, { method: 'POST', headers: asJson, body: JSON.stringify(body) })
  const writes = [
    { type: 'set', key: 'a', value: { n: 1 } },
    { type: 'set', key: 'b', value: { n: 2 }, ifVersion: '0'.repeat(24) },
  ]
  const { results } = (await post('writes', { writes })).json()
  expect(results).toMatchObject([{ version: expect.any(String) }, { conditionFailed: true }])
  expect((await post('reads', { reads: [{ key: 'a' }, { key: 'b' }] })).json().results).toMatchObject([
    { value: { n: 1 } },
    null,
  ])
  const bad = [
    { type: 'set', key: 'c', value: 1 },
    { type: 'set', key: 'c', value: 2 },
  ]
  expect((await post('writes', { writes: bad, atomic: true })).status).toBe(400)
  expect(await users.has('c')).toBe(false)
})

describe('access', () => {
  test('nothing begins without a protection that is named', () => {
    const stores = { users: keyValue(memory()) }
    expect(() => http(stores, {})).toThrow('one of tokens, authorize, and unprotected')
    expect(() => http(stores, { tokens: [] })).toThrow('at least one token')
    expect(() => http(stores, { tokens: [{ name: 'a', token: 'short' }] })).toThrow('16 characters')
    expect(() => http(stores, { unprotected: true, tokens: [{ name: 'a', token }] })).toThrow('one of tokens')
  })

  test.each([undefined, 'Bearer', `Bearer ${token}x`, `Basic ${token}`, `Bearer ${token.slice(0, -1)}`])(
    'no store answers to %j',
    async (authorization) => {
      const { fetch } = server()
      const headers = authorization === undefined ? {} : { authorization }
      for (const path of ['stores', 'stores/bytes', 'stores/bytes/records', 'openapi.json']) {
        const { status } = await fetch(new Request(`http://localhost/v1/${path}`, { headers }))
        expect(status).toBe(401)
      }
    },
  )

  test.each(['PUT', 'DELETE', 'PATCH'])('a reader may not %s', async (method) => {
    const { bytes, ask } = server({ may: 'read' })
    await bytes.set('k', Buffer.from('1'))
    const body = '{"type":"increment"}'
    expect((await ask('/stores/bytes/records/k', { method, headers: asJson, body })).status).toBe(403)
    expect(
      (await ask('/stores/bytes/writes', { method: 'POST', headers: asJson, body: '{"writes":[]}' })).status,
    ).toBe(403)
    expect((await ask('/stores/bytes/records/k')).said).toBe('1')
  })

  test('a read-only server is so for everybody', async () => {
    const { ask } = server({ may: 'admin' }, { readOnly: true })
    expect((await ask('/stores/bytes/records/k', { method: 'PUT', body: '1' })).status).toBe(403)
  })

  test('a caller sees its stores, its namespace and its prefix alone', async () => {
    const stores = server({ stores: ['bytes'] })
    expect((await stores.ask('/stores')).json()).toEqual({ stores: ['bytes'] })
    expect((await stores.ask('/stores/users/records/k')).status).toBe(404)

    const { bytes, ask } = server({ namespace: ['mine'] })
    await bytes.set('k', Buffer.from('root'))
    const own = '/stores/bytes/record?key=k&namespace=mine'
    expect((await ask(own, { method: 'PUT', body: 'own' })).status).toBe(204)
    const others = ['key=k', 'key=k&namespace=minesweeper', 'canonical=k', 'canonical=%00dk%000']
    for (const query of others) expect((await ask(`/stores/bytes/record?${query}`)).status).toBe(403)
    expect((await ask('/stores/bytes/records')).status).toBe(403)
    expect((await ask('/stores/bytes/records?canonical=true')).status).toBe(403)
    expect((await ask('/stores/bytes/records?namespace=mine')).json().items).toEqual([{ key: 'k' }])
    const body = JSON.stringify({ reads: [{ key: 'k' }] })
    expect((await ask('/stores/bytes/reads', { method: 'POST', headers: asJson, body })).status).toBe(403)

    const prefixed = server({ prefix: 'a/' })
    expect((await prefixed.ask('/stores/bytes/records?prefix=a')).status).toBe(403)
    expect((await prefixed.ask('/stores/bytes/records?prefix=a/b')).status).toBe(200)
  })

  test('an own function decides, and one that names no right gives none', async () => {
    const may = (right: unknown) =>
      server({}, { tokens: undefined, authorize: () => ({ name: 'x', may: right }) as never })
    expect((await may('write').ask('/stores/bytes/records/k', { method: 'PUT', body: '1' })).status).toBe(204)
    expect((await may('all').ask('/stores')).status).toBe(500)
    const nobody = server({}, { tokens: undefined, authorize: async () => undefined })
    expect((await nobody.ask('/stores')).status).toBe(401)
  })
})

describe('attacks', () => {
  test('names of other sites, and pages of other origins, are refused', async () => {
    const { fetch } = server({}, { hosts: ['localhost'], unprotected: true, tokens: undefined })
    const ask = async (host: string, origin?: string) => {
      const headers = origin === undefined ? {} : { origin }
      return (await fetch(new Request(`http://${host}/v1/stores`, { headers }))).status
    }
    expect(await ask('localhost:7700')).toBe(200)
    expect(await ask('LOCALHOST')).toBe(200)
    expect(await ask('evil.example')).toBe(403)
    expect(await ask('localhost', 'https://evil.example')).toBe(403)
    expect(await ask('localhost', 'null')).toBe(403)
  })

  test('a page that is named may read answers, and no other', async () => {
    const { fetch } = server({}, { origins: ['https://app.example'] })
    const preflight = async (origin: string) => {
      const headers = { origin, 'access-control-request-method': 'PUT' }
      const url = 'http://localhost/v1/stores/bytes/records/k'
      const response = await fetch(new Request(url, { method: 'OPTIONS', headers }))
      return response.headers.get('access-control-allow-origin')
    }
    expect(await preflight('https://app.example')).toBe('https://app.example')
    expect(await preflight('https://evil.example')).toBeNull()
  })

  test('a body that is too long is refused with and without its length, and not read', async () => {
    const { ask, fetch, bytes } = server({}, { maxBodyBytes: 10 })
    const path = '/stores/bytes/records/k'
    expect((await ask(path, { method: 'PUT', body: 'x'.repeat(11) })).status).toBe(413)
    let sent = 0
    const endless = new ReadableStream({
      pull: (controller) => {
        sent += 5
        controller.enqueue(Buffer.from('xxxxx'))
      },
    })
    const headers = { authorization: `Bearer ${token}` }
    const init = { method: 'PUT', headers, body: endless, duplex: 'half' } as RequestInit
    expect((await fetch(new Request(`http://localhost/v1${path}`, init))).status).toBe(413)
    expect(sent).toBeLessThan(100)
    expect(await bytes.has('k')).toBe(false)
  })

  test('too many requests of one caller are refused, and not those of another', async () => {
    const stores = { bytes: keyValue(memory()) }
    const tokens = ['one', 'two'].map((name) => ({ name, token: `${name}-${token}` }))
    const { fetch } = http(stores, { tokens, requestsPerSecond: 1 })
    const ask = async (name: string) => {
      const headers = { authorization: `Bearer ${name}-${token}` }
      return (await fetch(new Request('http://localhost/v1/stores', { headers }))).status
    }
    const first = await Promise.all(Array.from({ length: 20 }, () => ask('one')))
    expect(first.filter((status) => status === 429).length).toBeGreaterThan(10)
    expect(await ask('two')).toBe(200)
  })

  test('no problem shows a key, a value, a token or a cause', async () => {
    const broken = keyValue({ ...memory(), read: () => Promise.reject(new Error('secret-of-the-driver')) })
    const { fetch } = http({ broken }, { tokens: [{ name: 'a', token }] })
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(new Request('http://localhost/v1/stores/broken/records/my-key', { headers }))
    const said = await response.text()
    expect(response.status).toBe(503)
    for (const secret of ['secret-of-the-driver', 'my-key', token]) expect(said).not.toContain(secret)
  })

  test.each(['__proto__', 'constructor', 'toString', '..', '%2e%2e', ''])(
    'no store is named %j',
    async (name) => {
      expect((await server().ask(`/stores/${name}/records/k`)).status).toBe(404)
    },
  )
})
