import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { keyring } from '@unikv/encryption'
import { openStores } from '@unikv/manager'
import { keptHistory } from '@unikv/monitor/recorder'
import { afterAll, describe, expect, test } from 'vitest'
import { type DashboardOptions, dashboard, type Look } from '../src/index.ts'

const token = 'a-token-of-the-tests'
const keys = keyring({ primary: 'a', keys: { a: Uint8Array.from({ length: 32 }, (_, i) => i) } })
const manager = await openStores({
  stores: {
    users: { url: 'memory:', layers: ['cache', 'json', { compression: { minBytes: 64 } }] },
    sealed: { url: 'memory:', layers: ['json', { encryption: { keys, dataset: 'tests' } }] },
  },
  monitor: true,
})
const { users, sealed } = manager.stores
afterAll(() => manager.close())

/** The properties of answers that these tests read. */
interface Answer {
  readonly stores: { readonly name: string }[] &
    Readonly<Record<string, { readonly read: { readonly calls: number } }>>
  readonly hasData: boolean
  readonly base64: string
  readonly isCut: boolean
  readonly bytes: number
  readonly expiresAt: number
}

/** A record below a layer. */
interface Layer {
  readonly name: string
  readonly bytes: number
}

/** A dashboard, and what asks it with the token of its owner. */
function opened(options: Partial<DashboardOptions> = {}, may: 'read' | 'write' | 'admin' = 'admin') {
  const { fetch, close } = dashboard(manager, { tokens: [{ name: 'owner', token, may }], ...options })
  afterAll(close)
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) }
    return fetch(new Request(`http://localhost${path}`, { ...init, headers }))
  }
  const json = async (path: string): Promise<Answer> => (await ask(path)).json() as Promise<Answer>
  const send = (method: string, path: string, body: object) =>
    ask(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
  return { ask, json, send, fetch }
}

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

describe('protection', () => {
  test('it refuses to start without one, and shows figures and records to its owner alone', async () => {
    expect(() => dashboard(manager, {})).toThrow('one of tokens, authorize, and unprotected')
    const { fetch } = opened()
    for (const path of [
      'overview',
      'figures',
      'live',
      'history',
      'calls',
      'facts',
      'looks',
      'stores/users/entry?key=a',
    ])
      expect((await fetch(new Request(`http://localhost/api/${path}`))).status).toBe(401)
    expect((await fetch(new Request('http://localhost/v1/stores/users/records'))).status).toBe(401)
  })

  test('pages of other origins and names of other sites are refused', async () => {
    const { ask } = opened({ hosts: ['localhost'] })
    expect((await ask('/api/overview', { headers: { origin: 'https://evil.example' } })).status).toBe(403)
    const { fetch } = dashboard(manager, { unprotected: true, hosts: ['localhost'] })
    expect((await fetch(new Request('http://evil.example/api/overview'))).status).toBe(403)
  })

  test('it is read-only unless it is writable and the caller may write', async () => {
    await users.set('locked', { n: 1 })
    const path = '/api/stores/users/entry?key=locked'
    const change = { base64: base64({ n: 2 }), ifVersion: null }
    expect((await opened().send('PUT', path, change)).status).toBe(403)
    expect((await opened({ writable: true }, 'read').send('PUT', path, change)).status).toBe(403)
    const put = { method: 'PUT', body: '{}', headers: { 'content-type': 'application/json' } }
    expect((await opened().ask('/v1/stores/users/records/locked', put)).status).toBe(403)
    expect(await users.get('locked')).toEqual({ n: 1 })
  })

  test('a caller without a store does not see it', async () => {
    const { json, ask } = opened({ tokens: [{ name: 'x', token, stores: ['sealed'] }] })
    expect((await json('/api/overview')).stores.map(({ name }) => name)).toEqual(['sealed'])
    expect((await ask('/api/stores/users/entry?key=a')).status).toBe(404)
    expect((await ask('/api/stores/constructor/entry?key=a')).status).toBe(404)
  })

  test('nor its figures, its calls, its frames and results that may be of it', async () => {
    await users.get('ada')
    await sealed.get('none')
    const reports = { list: async () => [], page: async () => '' }
    const { ask, json } = opened({ reports, tokens: [{ name: 'x', token, stores: ['sealed'] }] })
    expect(Object.keys((await json('/api/figures')).stores)).toEqual(['sealed'])
    const calls = (await (await ask('/api/calls')).json()) as { store: string }[]
    expect(new Set(calls.map(({ store }) => store))).toEqual(new Set(['sealed']))
    const { body } = await ask('/api/live')
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    for (let i = 0; i < 2; i++) {
      const { value = new Uint8Array() } = await reader.read()
      const frame = JSON.parse(Buffer.from(value).toString().slice('data: '.length)) as Answer
      expect(Object.keys(frame.stores)).toEqual(['sealed'])
    }
    await reader.cancel()
    expect((await ask('/api/reports')).status).toBe(403)
  })

  test('without data there are figures alone', async () => {
    const { ask, json } = opened({ data: false })
    expect((await json('/api/overview')).hasData).toBe(false)
    for (const path of ['/api/stores/users/entry?key=a', '/v1/stores'])
      expect((await ask(path)).status).toBe(404)
  })
})

describe('a record', () => {
  test('is shown as the application sees it, with its size at each layer and the tier that answers', async () => {
    const value = { text: 'lorem ipsum '.repeat(100) }
    await users.set('ada', value, { ttlMs: 60_000 })
    await users.get('ada')
    const { json, ask } = opened()
    const view = await json('/api/stores/users/entry?key=ada')
    expect(JSON.parse(Buffer.from(view.base64, 'base64').toString())).toEqual(value)
    expect(view).toMatchObject({ contentType: 'application/json', isCut: false, tier: 'memory' })
    expect(view.expiresAt).toBeGreaterThan(Date.now())
    const layers = (await (await ask('/api/stores/users/entry/layers?key=ada')).json()) as Layer[]
    expect(layers.map(({ name }) => name)).toEqual(['cache', 'json', 'compression'])
    const [, encoded, compressed] = layers
    expect(encoded?.bytes).toBe(JSON.stringify(value).length)
    expect(compressed?.bytes).toBeLessThan(200)
  })

  test('is cut at 64 KiB; the rest comes as a file', async () => {
    await users.set('long', { text: 'x'.repeat(200_000) })
    const { json, send, fetch } = opened()
    const view = await json('/api/stores/users/entry?key=long')
    expect([view.isCut, Buffer.from(view.base64, 'base64').length]).toEqual([true, 65_536])
    const { path } = (await (await send('POST', '/api/stores/users/entry/file?key=long', {})).json()) as {
      path: string
    }
    const file = await fetch(new Request(`http://localhost/${path}`))
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="long"')
    expect((await file.arrayBuffer()).byteLength).toBe(view.bytes)
    // An address is good once, and only for callers who may read.
    expect((await fetch(new Request(`http://localhost/${path}`))).status).toBe(404)
    expect(
      (await fetch(new Request('http://localhost/api/stores/users/entry/file?key=long', { method: 'POST' })))
        .status,
    ).toBe(401)
  })

  test('that is stored encrypted is shown, and each look at it is recorded', async () => {
    await sealed.set('secret', { pin: 1234 })
    const heard: Look[] = []
    const { json } = opened({ onLook: (look) => heard.push(look) })
    const view = await json('/api/stores/sealed/entry?key=secret')
    expect(Buffer.from(view.base64, 'base64').toString()).toBe('{"pin":1234}')
    expect(heard).toMatchObject([{ caller: 'owner', store: 'sealed', key: 'secret' }])
    expect(await json('/api/looks')).toMatchObject([{ key: 'secret' }])
  })
})

/** What undoes a change. */
async function undoOf(answer: Promise<Response>): Promise<string> {
  return ((await (await answer).json()) as { readonly undo: string }).undo
}

describe('a change', () => {
  const path = '/api/stores/users/entry?key=changed'

  test('needs the version that was seen, and can be undone', async () => {
    const { version } = await users.set('changed', { n: 1 })
    const { send } = opened({ writable: true })
    const stale = await send('PUT', path, { base64: base64({ n: 9 }), ifVersion: '0'.repeat(24) })
    expect(stale.status).toBe(412)
    const undo = await undoOf(send('PUT', path, { base64: base64({ n: 2 }), ifVersion: version }))
    expect(await users.get('changed')).toEqual({ n: 2 })
    expect((await send('POST', '/api/stores/users/undo', { undo })).status).toBe(200)
    expect(await users.get('changed')).toEqual({ n: 1 })
    expect((await send('POST', '/api/stores/users/undo', { undo })).status).toBe(404)
  })

  test('that was followed by another one is not undone', async () => {
    const { version } = await users.set('changed', { n: 1 })
    const { send } = opened({ writable: true })
    const undo = await undoOf(send('PUT', path, { base64: base64({ n: 2 }), ifVersion: version }))
    await users.set('changed', { n: 3 })
    expect((await send('POST', '/api/stores/users/undo', { undo })).status).toBe(412)
    expect(await users.get('changed')).toEqual({ n: 3 })
  })

  test('that deletes is undone with the life that was left, and is no way into another store', async () => {
    const { version } = await users.set('changed', { n: 1 }, { ttlMs: 60_000 })
    const before = await users.head('changed')
    const { send } = opened({ writable: true })
    const undo = await undoOf(send('PUT', path, { delete: true, ifVersion: version }))
    expect(await users.has('changed')).toBe(false)
    expect((await send('POST', '/api/stores/sealed/undo', { undo })).status).toBe(404)
    await send('POST', '/api/stores/users/undo', { undo })
    expect((await users.head('changed'))?.expiresAt).toBe(before?.expiresAt)
  })

  test.each([
    {},
    { base64: 5, ifVersion: null },
    { base64: '', ifVersion: 5 },
    { ifVersion: null },
    { base64: '', delete: true, ifVersion: null },
    { base64: '', ifVersion: null, extra: 1 },
    { expiresAt: 'soon', ifVersion: null },
    { value: 1, ifVersion: null },
  ])('that makes no sense is refused: %j', async (body) => {
    const { version } = await users.set('changed', { n: 1 })
    const { send } = opened({ writable: true })
    expect((await send('PUT', path, body)).status).toBe(400)
    expect((await users.head('changed'))?.version).toBe(version)
  })
})

test('figures are those of the monitor, and come each second to each page that listens', async () => {
  await users.get('ada')
  const { json, ask } = opened()
  const { stores } = await json('/api/figures')
  expect(stores['users']?.read.calls).toBe(manager.monitor?.snapshot().stores['users']?.read?.calls)
  const { body } = await ask('/api/live')
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  for (let i = 0; i < 2; i++) {
    const { value = new Uint8Array() } = await reader.read()
    expect(JSON.parse(Buffer.from(value).toString().slice('data: '.length))).toHaveProperty('stores.users')
  }
  await reader.cancel()
})

test('the past comes from where figures are kept, and a wrong question is told', async () => {
  const history = keptHistory(keyValue(memory()))
  const { json, ask } = opened({ history })
  expect(await json('/api/history?store=users&resolution=hour')).toEqual([])
  expect((await ask('/api/history?resolution=week')).status).toBe(400)
  expect((await opened().ask('/api/history')).status).toBe(404)
})

test('too many pages that listen are refused, and those that leave make room', async () => {
  const { ask } = opened()
  const streams = await Promise.all(Array.from({ length: 1_000 }, () => ask('/api/live')))
  expect((await ask('/api/live')).status).toBe(503)
  for (const { body } of streams) await body?.cancel()
  const last = await ask('/api/live')
  expect(last.status).toBe(200)
  await last.body?.cancel()
})

describe('results of benchmarks', () => {
  const reports = {
    list: async () => [{ name: 'first', study: 'run', at: 0, stores: ['memory'], status: 'complete' }],
    page: async (names: readonly string[]) => `<!doctype html>${names.join(' and ')}`,
  }

  test('are listed, and their page opens in a frame, without a token and without code', async () => {
    const { json, send, fetch } = opened({ reports })
    expect(await json('/api/reports')).toMatchObject([{ name: 'first', study: 'run' }])
    const { path } = (await (await send('POST', '/api/reports', { names: ['a', 'b'] })).json()) as {
      path: string
    }
    const page = await fetch(new Request(`http://localhost/${path}`))
    expect(await page.text()).toBe('<!doctype html>a and b')
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'unsafe-inline';/,
    )
  })

  test('are shown to their owner alone, under no other address', async () => {
    const { fetch, send } = opened({ reports })
    expect((await fetch(new Request('http://localhost/api/reports'))).status).toBe(401)
    expect((await fetch(new Request('http://localhost/reports/first'))).status).toBe(404)
    for (const names of [[], 'first', [1], undefined])
      expect((await send('POST', '/api/reports', { names })).status).toBe(400)
  })
})

describe('the page', () => {
  const asked = (fetch: (request: Request) => Promise<Response>, path: string, headers = {}) =>
    fetch(new Request(`http://localhost${path}`, { headers }))

  test('is small, and asks for nothing elsewhere', async () => {
    const html = await (await asked(opened().fetch, '/')).text()
    expect(gzipSync(html).length).toBeLessThan(150_000)
    expect(html).not.toMatch(/(?:src|href)="(?!data:)|url\(https?:|@import/)
  })

  test.each(['', '/'])('lies below any path, whether it ends with a slash or not: %j', async (ending) => {
    const { fetch } = opened({ basePath: '/admin/stores' })
    const page = await asked(fetch, `/admin/stores${ending}`)
    const html = await page.text()
    expect(html).toMatch(/^<!doctype html>/)
    const sources = ['script type="module"', 'style'].map((element) => {
      const [, text = ''] = new RegExp(`<${element}>([^]*?)</`).exec(html) ?? []
      return `'sha256-${hash('sha256', text, 'base64')}'`
    })
    expect(page.headers.get('content-security-policy')).toContain(
      `default-src 'none'; script-src ${sources[0]}; style-src ${sources[1]}; `,
    )
    const etag = page.headers.get('etag') ?? ''
    expect((await asked(fetch, '/admin/stores', { 'if-none-match': etag })).status).toBe(304)
  })

  test.each(['/index.html', '/package.json', '/..%2Fpackage.json', '/%2e%2e/index.js', '//', '/admin'])(
    'is the only one: %s',
    async (path) => {
      expect((await opened().ask(path)).status).toBe(404)
    },
  )
})
