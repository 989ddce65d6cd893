import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import type { HttpOptions, Token } from '../src/index.ts'
import { globOf } from '../src/upstash/glob.ts'
import { upstash } from '../src/upstash/upstash.ts'
import { token } from './served.ts'

interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A server in this process, and what asks it: a command by POST, or any path. */
function server(access: Partial<Token> = {}, options: Partial<HttpOptions> = {}) {
  const bytes = keyValue(memory())
  const users = keyValue(memory(), [json<unknown>()])
  const own = { name: 'test', token, may: 'write', ...access } as const
  const { fetch } = upstash({ bytes, users }, { tokens: [own], ...options })
  const ask = async (path: string, { method = 'POST', headers = {}, body }: Asked = {}) => {
    const all = { authorization: `Bearer ${token}`, ...headers }
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const init = { method, headers: all, body: sent ?? null }
    const response = await fetch(new Request(`http://localhost${path}`, init))
    return { status: response.status, ...(JSON.parse((await response.text()) || '{}') as object) } as Answer
  }
  const run = (...command: unknown[]) => ask('/bytes', { body: command })
  return { bytes, users, ask, run, fetch }
}

interface Answer {
  readonly status: number
  readonly result?: unknown
  readonly error?: string
}

const get = { method: 'GET' }

describe('forms of a command', () => {
  test('as JSON, as a path, and with the value as the body', async () => {
    const { ask, run } = server()
    expect(await run('set', 'a', 1)).toEqual({ status: 200, result: 'OK' })
    expect(await ask('/bytes/get/a', get)).toEqual({ status: 200, result: '1' })
    expect((await ask('/bytes/SET/a%2Fb/x%20y/EX/100', get)).result).toBe('OK')
    expect((await ask('/bytes/ttl/a%2Fb', get)).result).toBe(100)
    expect((await ask('/bytes/set/b?EX=50&NX', { body: 'any bytes' })).result).toBe('OK')
    expect((await ask('/bytes/mget/b/a%2Fb', get)).result).toEqual(['any bytes', 'x y'])
    expect((await ask('/bytes/ttl/b', get)).result).toBe(50)
  })

  test('replies are base64 where that is asked for, but for OK', async () => {
    const { ask, bytes } = server()
    await bytes.set('k', Buffer.from([0, 255]))
    const headers = { 'upstash-encoding': 'base64' }
    expect((await ask('/bytes/mget/k/absent', { ...get, headers })).result).toEqual(['AP8=', null])
    expect((await ask('/bytes', { headers, body: ['SET', 'k', 'OK'] })).result).toBe('OK')
    expect((await ask('/bytes/get/k', { ...get, headers })).result).toBe('T0s=')
  })

  test.each([
    [['NOSUCH'], "ERR unknown command 'NOSUCH'"],
    [['hasOwnProperty', 'k'], 'ERR unknown command'],
    [['GET'], "ERR wrong number of arguments for 'get' command"],
    [['SET', 'k', 'v', 'EX'], 'ERR syntax error'],
    [['SET', 'k', 'v', 'EX', '1', 'PX', '1'], 'ERR syntax error'],
    [['SET', 'k', 'v', 'NX', 'XX'], 'ERR syntax error'],
    [['SET', 'k', 'v', 'SOON'], 'ERR syntax error'],
    [['SET', 'k', 'v', 'EX', '1e3'], 'ERR value is not an integer'],
    [['SET', 'k', 2 ** 60], 'ERR send numbers beyond 2^53 as text'],
    [['SET', 'k', { a: 1 }], 'ERR arguments must be text'],
    [['INCRBY', 'k', '9007199254740992'], 'ERR value is not an integer'],
    [['EXPIRE', 'k', '1', 'NX', 'GT'], 'ERR syntax error'],
    [['SCAN', 'MTIz'], 'ERR invalid cursor'],
    [['SCAN', '123'], 'ERR The cursor belongs to another'],
    [['MSETNX', 'k', 'v'], 'ERR unknown command'],
    [[], 'ERR empty command'],
    ['{', 'ERR failed to parse command'],
  ])('%j is an error in the words of Redis, and changes nothing', async (body, error) => {
    const { ask, bytes } = server()
    expect(await ask('/bytes', { body })).toEqual({ status: 400, error: expect.stringContaining(error) })
    expect(await bytes.has('k')).toBe(false)
  })

  test('a store of JSON takes JSON alone', async () => {
    const { ask, users } = server()
    expect((await ask('/users', { body: ['SET', 'ada', '{"name":"Ada"}'] })).result).toBe('OK')
    expect(await users.get('ada')).toEqual({ name: 'Ada' })
    expect((await ask('/users', { body: ['SET', 'ada', 'Ada'] })).error).toContain('it must be JSON')
  })
})

describe('access', () => {
  test('needs a token, in its header or in the query', async () => {
    const { ask, fetch } = server()
    const status = async (path: string, authorization?: string) => {
      const headers = authorization === undefined ? {} : { authorization }
      return (await fetch(new Request(`http://localhost${path}`, { headers }))).status
    }
    expect(await status('/bytes/get/k')).toBe(401)
    expect(await status(`/bytes/get/k?_token=${token}`)).toBe(200)
    expect(await status(`/bytes/get/k?_token=${token}x`)).toBe(401)
    expect(await status(`/bytes/get/k?_token=${token}`, 'Bearer another-token-of-nobody')).toBe(401)
    expect((await ask('/bytes', { headers: { authorization: 'Bearer' } })).error).toContain('WRONGPASS')
    expect(await ask('/nobody/get/k', get)).toMatchObject({ status: 404 })
  })

  test('readers read, writers write, and only administrators flush', async () => {
    const reader = server({ may: 'read' })
    expect((await reader.run('GET', 'k')).result).toBeNull()
    for (const command of [['SET', 'k', 'v'], ['GETEX', 'k'], ['DEL', 'k'], ['INCR', 'k'], ['FLUSHDB']])
      expect(await reader.run(...command)).toEqual({ status: 403, error: expect.stringContaining('NOPERM') })
    expect((await server().run('FLUSHDB')).error).toContain('NOPERM')
    expect((await server({ may: 'admin' }).run('FLUSHDB', 'ASYNC')).result).toBe('OK')
    const frozen = server({ may: 'admin' }, { readOnly: true })
    expect((await frozen.run('SET', 'k', 'v')).error).toContain('read-only')
    expect((await frozen.ask('/bytes/multi-exec', { body: [['SET', 'k', 'v']] })).status).toBe(403)
    expect(await frozen.bytes.has('k')).toBe(false)
  })

  test('a caller has the keys of its namespace, or those of its prefix, alone', async () => {
    const { bytes, run } = server({ may: 'admin', namespace: ['mine'] })
    await bytes.set('k', Buffer.from('root'))
    expect((await run('GET', 'k')).result).toBeNull()
    await run('SET', 'k', 'own')
    expect(Buffer.from((await bytes.namespace('mine').get('k')) as Uint8Array).toString()).toBe('own')
    expect([(await run('KEYS', '*')).result, (await run('DBSIZE')).result]).toEqual([['k'], 1])
    await run('FLUSHDB')
    expect([await bytes.namespace('mine').has('k'), await bytes.has('k')]).toEqual([false, true])

    const prefixed = server({ may: 'admin', prefix: 'a/' })
    for (const key of ['a/1', 'a/2', 'b', 'a']) await prefixed.bytes.set(key, Buffer.from(key))
    expect((await prefixed.run('GET', 'b')).error).toContain('NOPERM')
    expect((await prefixed.run('MGET', 'a/1', 'b')).error).toContain('NOPERM')
    expect((await prefixed.run('KEYS', '*')).result).toEqual(['a/1', 'a/2'])
    expect((await prefixed.run('SCAN', '0', 'MATCH', 'b*')).result).toEqual(['0', []])
    await prefixed.run('FLUSHDB')
    expect([await prefixed.bytes.has('a/1'), await prefixed.bytes.has('b')]).toEqual([false, true])
  })
})

describe('attacks', () => {
  test('without tokens, a page of another site can change nothing', async () => {
    const { bytes, fetch } = server({}, { tokens: undefined, unprotected: true })
    const status = async (path: string, init: RequestInit = {}) =>
      (await fetch(new Request(`http://localhost${path}`, init))).status
    const command = '["SET","k","v"]'
    expect(await status('/bytes/set/k/v')).toBe(403)
    expect(await status('/bytes/set/k', { method: 'POST', body: 'v' })).toBe(403)
    expect(await status('/bytes', { method: 'POST', body: command })).toBe(415)
    const headers = { 'content-type': 'application/json' }
    const evil = { ...headers, origin: 'https://evil.example' }
    expect(await status('/bytes', { method: 'POST', body: command, headers: evil })).toBe(403)
    expect(await bytes.has('k')).toBe(false)
    expect(await status('/bytes/get/k')).toBe(200)
    expect(await status('/bytes', { method: 'POST', body: command, headers })).toBe(200)
  })

  test('bodies, pipelines and requests have limits', async () => {
    const { ask } = server({}, { maxBodyBytes: 200_000 })
    expect((await ask('/bytes', { body: ['SET', 'k', 'x'.repeat(200_000)] })).status).toBe(413)
    const many = Array.from({ length: 10_001 }, () => ['PING'])
    expect((await ask('/bytes/pipeline', { body: many })).error).toContain('at most 10000 commands')
    expect((await ask('/bytes/pipeline', { body: [] })).error).toContain('empty pipeline')
    const limited = server({}, { requestsPerSecond: 1 })
    const all = await Promise.all(Array.from({ length: 10 }, () => limited.run('PING')))
    expect(all.filter(({ status }) => status === 429).length).toBeGreaterThan(5)
  })

  test('a pattern full of stars takes no time', () => {
    const { fits, prefix } = globOf(`a${'*a'.repeat(200)}b`)
    expect([fits('a'.repeat(2_000)), fits(`${'a'.repeat(201)}b`), prefix]).toEqual([false, true, 'a'])
  })

  test('no error shows a key, a value or a cause', async () => {
    const broken = keyValue({ ...memory(), read: () => Promise.reject(new Error('secret-of-the-driver')) })
    const heard: unknown[] = []
    const { fetch } = upstash({ broken }, { unprotected: true, onError: (error) => heard.push(error) })
    const response = await fetch(new Request('http://localhost/broken/get/my-key'))
    const said = await response.text()
    expect(response.status).toBe(503)
    for (const secret of ['secret-of-the-driver', 'my-key']) expect(said).not.toContain(secret)
  })
})

test.each([
  ['h?llo', ['hello', 'hallo'], ['hllo', 'heello']],
  ['h[ae]llo', ['hello', 'hallo'], ['hillo']],
  ['h[^e]llo', ['hallo'], ['hello']],
  ['h[a-c]llo', ['hbllo'], ['hdllo', 'h-llo']],
  ['a\\*b', ['a*b'], ['axb']],
  ['[]a]', [], ['a', ']']],
  ['a[bc', ['ab', 'ac'], ['a[bc']],
  ['*', ['', 'x'], []],
  ['😀?', ['😀€'], ['😀']],
])('the pattern %s', (pattern, fitting, others) => {
  const { fits } = globOf(pattern)
  expect([fitting.filter(fits), others.filter(fits)]).toEqual([fitting, []])
})
