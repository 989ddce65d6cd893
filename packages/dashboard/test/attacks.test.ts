import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { keyring } from '@unikv/encryption'
import type { Access } from '@unikv/http'
import { listen } from '@unikv/http/node'
import { openStores } from '@unikv/manager'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type DashboardOptions, dashboard, type Look } from '../src/index.ts'

// Requests of those who mean harm, to a page that listens. What each gets, and that nothing was changed or shown.

const secret = 'what nobody may see'
const secretKey = Uint8Array.from({ length: 32 }, (_, i) => 200 - i)
const keys = keyring({ primary: 'a', keys: { a: secretKey } })
const [token, reader, part, other] = ['owner', 'reader', 'part', 'other'].map(
  (name) => `token-of-the-${name}-0123456789`,
) as [string, string, string, string]
const planted = 'planted-password'
const manager = await openStores({
  stores: {
    users: { url: 'memory:', layers: ['json'] },
    sealed: { url: 'memory:', layers: ['json', { encryption: { keys, dataset: 'attacks' } }] },
    // Nothing answers there.
    away: `redis://planted-user:${planted}@127.0.0.1:1/0`,
  },
  monitor: true,
})
const { users, sealed } = manager.stores
const looks: Look[] = []
const options: DashboardOptions = {
  tokens: [
    { name: 'owner', token, may: 'admin' },
    { name: 'reader', token: reader },
    { name: 'part', token: part, may: 'admin', prefix: 'a/' },
    { name: 'other', token: other, may: 'admin', stores: ['users'] },
  ],
  hosts: ['127.0.0.1'],
  writable: true,
  onLook: (look) => void looks.push(look),
  reports: { list: async () => [], page: async () => '' },
}
const page = dashboard(manager, options)
const server = await listen(page)
afterAll(async () => {
  page.close()
  await server.close()
  await manager.close()
})

beforeEach(async () => {
  await users.set('u', { secret })
  await sealed.set('k', { secret })
  looks.length = 0
})

type Init = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> }

async function ask(path: string, own: string | undefined = token, init: Init = {}): Promise<Response> {
  const headers = { ...(own === undefined ? {} : { authorization: `Bearer ${own}` }), ...init.headers }
  return fetch(server.url + path, { redirect: 'manual', ...init, headers })
}

async function told(path: string, own?: string, init?: Init): Promise<string> {
  const response = await ask(path, own, init)
  return `${response.status} ${await response.text()}`
}

function json(method: string, body: unknown, type = 'application/json'): Init {
  return {
    method,
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

describe('a sealed value is shown one by one, and each look is recorded', () => {
  test.each([
    '/v1/stores/sealed/records?values=true',
    '/v1/stores/sealed/records?canonical=true&values=true',
    '/v1/stores/sealed/%72ecords?values=true',
    '/v1/%73tores/sealed/records?values=true',
    '/v1/stores/%73ealed/records?values=true',
    '/v1/stores/sealed//records?values=true',
    '/v1/stores/sealed/records/?values=true',
    '/v1/stores/x/../sealed/records?values=true',
    '/v1/stores/sealed/%72ecord?key=k',
    '/v1/stores/sealed/records/k?key=other',
  ])('GET %s shows none', async (path) => {
    const got = await told(path)
    expect(got).toMatch(/^40[034] /)
    expect(got).not.toContain(secret)
  })

  test.each(['reads', 're%61ds'])('POST %s shows none', async (path) => {
    const got = await told(`/v1/stores/sealed/${path}`, token, json('POST', { reads: [{ key: 'k' }] }))
    expect(got).toMatch(/^40[34] /)
  })

  test.each([
    '/v1/stores/sealed/record?key=k',
    '/v1/stores/%73ealed/records/%6b',
    '/api/stores/sealed/entry?key=k',
  ])('GET %s is recorded', async (path) => {
    expect(await told(path)).toMatch(/^200 /)
    expect(looks).toMatchObject([{ caller: 'owner', store: 'sealed', key: 'k' }])
  })
})

describe('a caller sees its part', () => {
  test.each<[string, string]>([
    ['a key', '/api/stores/users/entry?key=u'],
    ['a canonical key', '/api/stores/users/entry?canonical=u'],
    ['two keys', '/api/stores/users/entry?key=a/&canonical=u'],
    ['a level', '/api/stores/users/level?prefix=u'],
    ['a level of another namespace', '/api/stores/users/level?namespace=x'],
    ['a walk', '/api/stores/users/walk?prefix=u'],
    ['a listing', '/v1/stores/users/records'],
    ['looks of others', '/api/looks'],
    ['results', '/api/reports'],
    ['runs', '/api/runs'],
  ])('by its prefix: not %s', async (_, path) => {
    expect(await told(path, part)).toMatch(/^40[03] /)
  })

  test('by its prefix: no cursor of its own making leads out of a level', async () => {
    for (const place of ['', 'u', 'zz']) {
      const cursor = Buffer.from(JSON.stringify([place, null])).toString('base64url')
      expect(await told(`/api/stores/users/level?cursor=${cursor}`, part)).not.toContain('"u"')
    }
  })

  test.each([
    '/api/stores/sealed/entry?key=k',
    '/v1/stores/sealed/record?key=k',
    '/api/stores/sealed/level',
    '/api/looks',
  ])('by its stores: not %s', async (path) => {
    expect(await told(path, other)).toMatch(/^40[34] /)
  })

  test('nobody brings a record back by the right of another', async () => {
    const { version } = (await users.head('u')) as { version: string }
    const change = json('PUT', { delete: true, ifVersion: version })
    const { undo } = JSON.parse((await told('/api/stores/users/entry?key=u', token, change)).slice(4)) as {
      undo: string
    }
    for (const [own, store] of [
      [reader, 'users'],
      [part, 'users'],
      [other, 'sealed'],
      [token, 'sealed'],
    ] as const)
      expect(await told(`/api/stores/${store}/undo`, own, json('POST', { undo }))).toMatch(/^40[34] /)
    expect(await users.has('u')).toBe(false)
  })
})

describe('no page of another site, and no odd body, changes a record', () => {
  test.each<[string, string, Init, number]>([
    ['a form', '/api/stores/users/entry?key=u', json('PUT', '{"delete":true}', 'text/plain'), 415],
    ['a form of a report', '/api/reports', json('POST', 'names=a', 'application/x-www-form-urlencoded'), 415],
    ['another origin', '/api/overview', { headers: { origin: 'https://evil.example' } }, 403],
    ['no origin', '/api/overview', { headers: { origin: 'null' } }, 403],
    [
      'a preflight',
      '/api/stores/users/entry?key=u',
      { method: 'OPTIONS', headers: { origin: 'https://evil.example' } },
      404,
    ],
    [
      'another method',
      '/api/stores/users/entry?key=u',
      { method: 'POST', headers: { 'x-http-method-override': 'PUT' } },
      404,
    ],
    [
      'base64 that is none',
      '/api/stores/users/entry?key=u',
      json('PUT', { base64: '%%%', ifVersion: null }),
      400,
    ],
    [
      'more than is known',
      '/api/stores/users/entry?key=u',
      json('PUT', { delete: true, ifVersion: null, x: 1 }),
      400,
    ],
    ['no version', '/api/stores/users/entry?key=u', json('PUT', { delete: true }), 400],
    ['an undo that is none', '/api/stores/users/undo', json('POST', '{"undo":{"toString":null}}'), 400],
    [
      'a promise with a tag of YAML',
      '/api/promises/check',
      json('POST', { policies: [{ store: '!!js/x', operation: 'read', belowMs: 5 }] }),
      400,
    ],
    [
      'a prototype',
      '/api/promises/check',
      json('POST', '{"policies":[{"__proto__":{"x":1},"store":"users","operation":"read","belowMs":5}]}'),
      400,
    ],
    [
      'deep JSON',
      '/api/promises/check',
      json('POST', `{"policies":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
      400,
    ],
    ['many results', '/api/reports', json('POST', { names: Array.from({ length: 101 }, () => 'a') }), 400],
    ['a cursor that is none', '/api/stores/users/level?cursor=x', {}, 400],
  ])('%s', async (_, path, init, status) => {
    expect((await told(path, token, init)).slice(0, 3)).toBe(String(status))
    expect(await users.get('u')).toEqual({ secret })
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
  })
})

test.each([
  '/../package.json',
  '/%2e%2e/package.json',
  '/%2e%2e%2fpackage.json',
  '/assets/..%2f..%2findex.js',
  '/.env',
  '/index.js',
  '//etc/passwd',
  '/reports/x',
  '/__proto__',
])('no file is at %s', async (path) => {
  expect((await ask(path, undefined)).status).toBe(404)
})

test('no answer, stream or error holds a secret', async () => {
  const bytes = Buffer.from(secretKey)
  const secrets = [
    planted,
    'planted-user',
    token,
    reader,
    part,
    other,
    bytes.toString('hex'),
    bytes.toString('base64'),
  ]
  const paths = [
    '',
    'api/overview',
    'api/figures',
    'api/history',
    'api/calls',
    'api/facts',
    'api/looks',
    'api/promises',
    'api/tuner',
    'api/reports',
    'v1/stores',
    'v1/openapi.json',
  ]
  for (const store of ['users', 'sealed', 'away', 'none'])
    for (const path of ['entry?key=u', 'level', 'walk']) paths.push(`api/stores/${store}/${path}`)
  for (const path of ['records', 'record?key=u', 'records/u?x', '']) paths.push(`v1/stores/away/${path}`)
  for (const path of paths)
    for (const own of [token, reader, part, undefined]) {
      const got = await told(`/${path}`, own)
      for (const one of secrets) expect(got.includes(one) ? `${path} shows ${one}` : '').toBe('')
    }
})

test('what an application throws is told to it, and not to the caller', async () => {
  const heard: unknown[] = []
  const authorize = (): Access => {
    throw new Error(planted)
  }
  const { fetch } = dashboard(
    { stores: { a: keyValue(memory()) }, monitor: undefined, recorder: undefined },
    { authorize, onError: (error) => heard.push(error) },
  )
  const response = await fetch(new Request('http://localhost/api/overview'))
  expect([response.status, (await response.text()).includes(planted), heard.length]).toEqual([503, false, 1])
})
