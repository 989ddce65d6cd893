import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import type { HttpOptions, Token } from '../src/index.ts'
import { unstorage } from '../src/unstorage/unstorage.ts'
import { token } from './served.ts'

/** A server in this process, and what asks it with the token of the tests. */
function server(access: Partial<Token> = {}, options: Partial<HttpOptions> = {}) {
  const bytes = keyValue(memory())
  const users = keyValue(memory(), [json<unknown>()])
  const own = { name: 'test', token, may: 'write', ...access } as const
  const { fetch } = unstorage({ bytes, users }, { tokens: [own], ...options })
  const ask = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const all = { authorization: `Bearer ${token}`, ...headers }
    const response = await fetch(
      new Request(`http://localhost${path}`, { method, headers: all, body: body ?? null }),
    )
    return { status: response.status, said: await response.text(), headers: response.headers }
  }
  return { bytes, users, ask, fetch }
}

test('values are text that no browser takes for a page, or bytes for who accepts them', async () => {
  const { ask } = server()
  await ask('PUT', '/bytes/a/b', '<script>')
  const text = await ask('GET', '/bytes/a/b')
  expect([text.said, text.headers.get('content-type'), text.headers.get('x-content-type-options')]).toEqual([
    '<script>',
    'text/plain; charset=utf-8',
    'nosniff',
  ])
  const raw = await ask('GET', '/bytes/a:b', undefined, { accept: 'application/octet-stream' })
  expect([raw.said, raw.headers.get('content-type')]).toEqual(['<script>', 'application/octet-stream'])
  const head = await ask('HEAD', '/bytes/a/b')
  expect([head.status, head.said]).toEqual([200, ''])
  expect((await ask('GET', '/bytes/absent')).status).toBe(404)
})

test('a store of JSON takes JSON alone', async () => {
  const { ask, users } = server()
  expect((await ask('PUT', '/users/ada', '{"name":"Ada"}')).status).toBe(200)
  expect((await ask('PUT', '/users/ada', 'Ada')).status).toBe(400)
  expect(await users.get('ada')).toEqual({ name: 'Ada' })
})

test.each([
  ['PUT', '/bytes/', 400],
  ['HEAD', '/bytes/a/', 400],
  ['POST', '/bytes/a', 405],
  ['PATCH', '/bytes/a', 405],
  ['GET', '/bytes/a/%2e%2e%2fb', 404],
  ['GET', '/bytes/a:..:b', 400],
  ['GET', '/bytes/100%', 400],
  ['GET', '/nobody/a', 404],
  ['GET', '/__proto__/a', 404],
  ['GET', '/', 404],
])('%s %s is refused by %i', async (method, path, status) => {
  expect((await server().ask(method, path)).status).toBe(status)
})

test('a life that is none is refused', async () => {
  const { ask, bytes } = server()
  for (const ttl of ['soon', '-1', 'NaN'])
    expect((await ask('PUT', '/bytes/k', 'v', { 'x-ttl': ttl })).status).toBe(400)
  expect(await bytes.has('k')).toBe(false)
})

test('rights, scopes, and the limit of a body hold', async () => {
  const reader = server({ may: 'read' })
  await reader.bytes.set('k', Buffer.from('v'))
  for (const [method, path] of [
    ['PUT', '/bytes/k'],
    ['DELETE', '/bytes/k'],
    ['DELETE', '/bytes/'],
  ] as const)
    expect((await reader.ask(method, path)).status).toBe(403)
  expect((await reader.ask('GET', '/bytes/k')).said).toBe('v')

  const scoped = server({ prefix: 'a:' })
  for (const key of ['a:1', 'b:1', 'a']) await scoped.bytes.set(key, Buffer.from('v'))
  expect((await scoped.ask('GET', '/bytes/b/1')).status).toBe(403)
  expect((await scoped.ask('GET', '/bytes/')).said).toBe('["a/1"]')
  expect((await scoped.ask('DELETE', '/bytes/')).status).toBe(200)
  expect([await scoped.bytes.has('a:1'), await scoped.bytes.has('b:1')]).toEqual([false, true])

  const { fetch } = server()
  expect((await fetch(new Request('http://localhost/bytes/k'))).status).toBe(401)
  const frozen = server({ may: 'admin' }, { readOnly: true, maxBodyBytes: 10 })
  expect((await frozen.ask('PUT', '/bytes/k', 'v')).status).toBe(403)
  const small = server({}, { maxBodyBytes: 10 })
  expect((await small.ask('PUT', '/bytes/k', 'x'.repeat(11))).status).toBe(413)
})

test('a page of another origin may do nothing, also without tokens', async () => {
  const { fetch, bytes } = server({}, { tokens: undefined, unprotected: true })
  const headers = { origin: 'https://evil.example' }
  const put = new Request('http://localhost/bytes/k', { method: 'PUT', headers, body: 'v' })
  expect((await fetch(put)).status).toBe(403)
  expect(await bytes.has('k')).toBe(false)
})
