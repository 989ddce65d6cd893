import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { beforeEach, describe, expect, test } from 'vitest'
import type { HttpOptions, HttpServer } from '../src/index.ts'
import { unstorage } from '../src/unstorage/unstorage.ts'
import { upstash } from '../src/upstash/upstash.ts'
import { token } from './served.ts'

// The same by the dialects: pages of other sites, a server that is read-only, callers of a part, and requests that cost much.

const bytes = keyValue(memory())
const options = { tokens: [{ name: 'owner', token, may: 'admin' }] } as const
const open: HttpOptions = { unprotected: true }
const typed = { 'content-type': 'text/plain' }

beforeEach(async () => {
  await bytes.clear({ all: true })
  await bytes.set('k', Buffer.from('abc'))
})

async function ask({ fetch }: HttpServer, path: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(new Request(`http://localhost${path}`, init))
  return `${response.status} ${await response.text()}`
}

describe('no page of another site changes a record', () => {
  test.each<[string, string, RequestInit]>([
    ['an image', '/bytes/set/k/evil', {}],
    ['an image with a token', '/bytes/set/k/evil?_token=x', {}],
    ['an image with a name and a password', '/bytes/del/k', { headers: { authorization: 'Basic eDp5' } }],
    ['a form', '/bytes/set/k', { method: 'POST', body: 'evil', headers: typed }],
    ['a form of JSON', '/bytes', { method: 'POST', body: '["SET","k","evil"]', headers: typed }],
    [
      'a pipeline with a token',
      '/bytes/pipeline?_token=x',
      { method: 'POST', body: '[["DEL","k"]]', headers: typed },
    ],
    [
      'a transaction',
      '/bytes/multi-exec?_token=x',
      { method: 'POST', body: '[["DEL","k"]]', headers: typed },
    ],
    ['a beacon', '/bytes/getdel/k?_token=', { method: 'POST', headers: typed }],
  ])('%s', async (_, path, init) => {
    const cookies = { authorize: () => ({ name: 'by a cookie', may: 'admin' as const }) }
    for (const protection of [open, cookies])
      expect(await ask(upstash({ bytes }, protection), path, init)).toMatch(/^4(03|15) /)
    expect(Buffer.from((await bytes.get('k')) ?? []).toString()).toBe('abc')
  })

  test('nor reaches a server without a token by a name of its own', async () => {
    for (const server of [upstash({ bytes }, open), unstorage({ bytes }, open)]) {
      const { status } = await server.fetch(new Request('http://evil.example/bytes/k'))
      expect(status).toBe(403)
    }
  })
})

describe('a server that is read-only', () => {
  const server = upstash({ bytes }, { ...options, readOnly: true })
  const changes = `SET k x; SETEX k 1 x; PSETEX k 1 x; SETNX n x; GETSET k x; GETDEL k; GETEX k EX 1; GETEX k; MSET k x; APPEND k x;
    SETRANGE k 0 x; INCR n; DECR n; INCRBY n 1; DECRBY n 1; DEL k; UNLINK k; EXPIRE k 1; PEXPIRE k 1; EXPIREAT k 1; PEXPIREAT k 1;
    PERSIST k; FLUSHDB; FLUSHALL`
  test.each(changes.split(/;\s+/))('refuses %s in each form', async (command) => {
    const version = (await bytes.head('k'))?.version
    const headers = { authorization: `Bearer ${token}` }
    const words = command.split(' ')
    const post = (path: string, body: unknown): Promise<string> =>
      ask(server, path, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(await post('/bytes', words)).toMatch(/^403 .*read-only/)
    expect(await post('/bytes/multi-exec', [words])).toMatch(/^403 .*read-only/)
    expect(await post('/bytes/pipeline', [words])).toMatch(/^200 \[{"error":"NOPERM.*read-only/)
    expect(await ask(server, `/bytes/${words.join('/')}`, { headers })).toMatch(/^403 .*read-only/)
    expect((await bytes.head('k'))?.version).toBe(version)
  })

  test.each(['PUT', 'DELETE'])('refuses %s of a record and of all', async (method) => {
    const readOnly = unstorage({ bytes }, { ...options, readOnly: true })
    const headers = { authorization: `Bearer ${token}` }
    for (const path of ['/bytes/k', '/bytes/'])
      expect(await ask(readOnly, path, { method, headers })).toMatch(/^40[03] /)
    expect(await bytes.has('k')).toBe(true)
  })
})

test.each(['EVAL x 0', 'SCRIPT LOAD x', 'CONFIG GET *', 'KEYS', '__proto__', 'constructor x', 'toString'])(
  'there is no command %s',
  async (command) => {
    const headers = { authorization: `Bearer ${token}` }
    const body = JSON.stringify(command.split(' '))
    expect(await ask(upstash({ bytes }, options), '/bytes', { method: 'POST', headers, body })).toMatch(
      /^400 /,
    )
  },
)

describe('a caller of a part', () => {
  const part = { tokens: [{ name: 'part', token, may: 'admin' as const, prefix: 'a/' }] }
  const headers = { authorization: `Bearer ${token}` }

  test('scans, empties and counts its own alone, by cursors of its own making too', async () => {
    await bytes.set('a/1', Buffer.from('own'))
    const server = upstash({ bytes }, part)
    const run = (...words: string[]): Promise<string> =>
      ask(server, '/bytes', { method: 'POST', headers, body: JSON.stringify(words) })
    for (const place of ['', 'a', 'k', 'zz']) {
      const cursor = Buffer.from(JSON.stringify([1, 'memory', 'a/', null, null, place])).toString('base64url')
      const digits = BigInt(`0x01${Buffer.from(cursor, 'latin1').toString('hex')}`).toString()
      expect(await run('SCAN', digits, 'COUNT', '1000')).not.toContain('"k"')
    }
    expect(await run('KEYS', '*')).toBe('200 {"result":["a/1"]}')
    expect(await run('GET', 'k')).toMatch(/^403 /)
    expect(await run('FLUSHDB')).toBe('200 {"result":"OK"}')
    expect([await bytes.has('a/1'), await bytes.has('k')]).toEqual([false, true])
    expect(await ask(unstorage({ bytes }, part), '/bytes/', { method: 'DELETE', headers })).toBe('200 OK')
    expect(await bytes.has('k')).toBe(true)
  })

  test('leaves its keys by no path', async () => {
    const server = unstorage({ bytes }, part)
    for (const path of [
      '/bytes/a/../k',
      '/bytes/a/%2e%2e/k',
      '/bytes/a%2F..%2Fk',
      '/bytes/a:..:k',
      '/bytes//k',
    ])
      expect(await ask(server, path, { headers })).toMatch(/^40[034] /)
  })
})

describe('what costs much is refused or has its turn', () => {
  const headers = { authorization: `Bearer ${token}` }
  const server = upstash({ bytes }, { ...options, maxTimeoutMs: 200 })
  const run = (words: string[]): Promise<string> =>
    ask(server, '/bytes', { method: 'POST', headers, body: JSON.stringify(words) })
  const many = (count: number, word: string): string[] => Array.from({ length: count }, () => word)

  test.each<[string, string[]]>([
    ['a pattern of a megabyte', ['KEYS', '?'.repeat(1_000_000)]],
    ['a pattern of stars', ['SCAN', '0', 'MATCH', '*a'.repeat(500_000)]],
    ['a cursor of a million digits', ['SCAN', '9'.repeat(1_000_000)]],
    ['many options', ['SET', 'k', 'v', ...many(300_000, 'GET')]],
    ['many keys', ['MGET', ...many(300_000, 'k')]],
    ['an offset beyond all', ['SETRANGE', 'k', '4294967295', 'x']],
    ['a number beyond all', ['INCRBY', 'n', '9223372036854775807']],
    ['a life beyond all', ['EXPIRE', 'k', '9007199254740991']],
    ['a long option', ['EXPIRE', 'k', '1', 'x'.repeat(1_000_000)]],
    ['a long command', ['x'.repeat(1_000_000)]],
  ])('%s', async (_, words) => {
    const got = await run(words)
    expect([got.slice(0, 3), got.length < 300]).toEqual(['400', true])
  })

  test('a pattern that goes back and forth ends in time, and others are answered meanwhile', async () => {
    for (let i = 0; i < 2_000; i++) await bytes.set('a'.repeat(1_800) + i, Buffer.from(''))
    let isOver = false
    const slow = run(['KEYS', `*${'a'.repeat(900)}b`]).finally(() => {
      isOver = true
    })
    expect(await run(['GET', 'k'])).toBe('200 {"result":"abc"}')
    expect(isOver).toBe(false)
    expect(await slow).toMatch(/^504 .*TIMEOUT/)
  })
})
