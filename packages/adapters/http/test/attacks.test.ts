import { connect } from 'node:net'
import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { http } from '../src/index.ts'
import { listen } from '../src/node/index.ts'
import { token } from './served.ts'

// Requests of those who mean harm, to a server that listens: what each gets, and that nothing was changed or shown.

const limited = 'a-token-of-a-part-alone'
const reader = 'a-token-of-a-reader'
const bytes = keyValue(memory())
const users = keyValue(memory(), [json<unknown>()])
const server = await listen(
  http(
    { bytes, users },
    {
      tokens: [
        { name: 'owner', token, may: 'write' },
        { name: 'part', token: limited, may: 'write', prefix: 'a/' },
        { name: 'reader', token: reader },
      ],
      hosts: ['127.0.0.1'],
      maxBodyBytes: 1_000_000,
    },
  ),
)
afterAll(() => server.close())
const { port } = new URL(server.url)

beforeEach(async () => {
  await bytes.clear({ all: true })
  await bytes.set('secret', Buffer.from('what nobody may see'))
  await bytes.set('a/own', Buffer.from('own'))
})

/** The bytes of a connection up to its end, or to its first whole answer. */
function raw(text: string): Promise<string> {
  return new Promise((resolve) => {
    let got = ''
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(text, 'latin1'))
    socket.on('data', (part) => {
      got += part.toString('latin1')
      if (/^HTTP\/1.1 [2-5][^]*\r\n\r\n/.test(got)) socket.end()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(got))
  })
}

const own = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n`
const k = '/v1/stores/bytes/records/k'
const secret = '/v1/stores/bytes/records/secret'

test.each([
  [
    'another name (rebinding)',
    `GET ${secret} HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    403,
  ],
  ['a name with a dot behind it', `GET ${secret} HTTP/1.1\r\nHost: localhost.:${port}\r\n\r\n`, 403],
  [
    'a forwarded name',
    `GET ${secret} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: 127.0.0.1\r\n\r\n`,
    403,
  ],
  ['an absolute target of another name', `GET http://evil.example${secret} HTTP/1.1\r\n${own}\r\n`, 403],
  ['a name that is none', `GET ${secret} HTTP/1.1\r\nHost: a b/..@127.0.0.1\r\n\r\n`, 400],
  ['no name', `GET ${secret} HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n\r\n`, 400],
  ['a page of another site', `GET ${secret} HTTP/1.1\r\n${own}Origin: https://evil.example\r\n\r\n`, 403],
  ['a page without an origin', `GET ${secret} HTTP/1.1\r\n${own}Origin: null\r\n\r\n`, 403],
  [
    'a page of this host at another port',
    `GET ${secret} HTTP/1.1\r\n${own}Origin: http://127.0.0.1:1\r\n\r\n`,
    403,
  ],
  ['a token in the URL', `GET ${secret}?_token=${token} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`, 401],
  ['an empty token', `GET ${secret} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \r\n\r\n`, 401],
  [
    'two tokens',
    `GET ${secret} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    401,
  ],
  ['two lengths', `PUT ${k} HTTP/1.1\r\n${own}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400],
  [
    'a length and chunks (smuggling)',
    `PUT ${k} HTTP/1.1\r\n${own}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /`,
    400,
  ],
  [
    'chunks that are encoded',
    `PUT ${k} HTTP/1.1\r\n${own}Transfer-Encoding: gzip, chunked\r\n\r\n1\r\nA\r\n0\r\n\r\n`,
    415,
  ],
  [
    'a body that is compressed',
    `PUT ${k} HTTP/1.1\r\n${own}Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\nA`,
    415,
  ],
  [
    'a long extension of a chunk',
    `PUT ${k} HTTP/1.1\r\n${own}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\nA\r\n0\r\n\r\n`,
    413,
  ],
  [
    'a long body that is only announced',
    `PUT ${k} HTTP/1.1\r\n${own}Content-Length: 99999999999\r\n\r\n`,
    413,
  ],
  ['lines that end by LF alone', `GET ${secret} HTTP/1.1\nHost: 127.0.0.1\n\n`, 400],
  ['a header in two lines', `GET ${secret} HTTP/1.1\r\n${own}X: a\r\n b\r\n\r\n`, 400],
  ['a header with a space in its name', `GET ${secret} HTTP/1.1\r\n${own}Content-Length : 5\r\n\r\n`, 400],
  ['a long header', `GET ${secret} HTTP/1.1\r\n${own}X: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
  ['a long path', `GET ${secret}${'x'.repeat(100_000)} HTTP/1.1\r\n${own}\r\n`, 431],
  ['a NUL in the path', `GET ${secret}\0 HTTP/1.1\r\n${own}\r\n`, 400],
  ['a backslash in the path', `GET /v1/stores/bytes/records/..\\..\\x HTTP/1.1\r\n${own}\r\n`, 400],
  ['an encoded part of the path', `GET /v1/stores/bytes/%72ecords/secret HTTP/1.1\r\n${own}\r\n`, 404],
  ['an encoded listing', `GET /v1/stores/bytes/%72ecords HTTP/1.1\r\n${own}\r\n`, 404],
  [
    'an encoded path with another in it',
    `GET /v1/stores/users/%72ecords/v1/stores/bytes/records/secret HTTP/1.1\r\n${own}\r\n`,
    404,
  ],
  ['two slashes', `GET /${secret} HTTP/1.1\r\n${own}\r\n`, 404],
  [
    'dots that leave the interface',
    `GET /v1/stores/bytes/records/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\n${own}\r\n`,
    404,
  ],
  ['one key in the path and one behind it', `GET ${k}?key=secret HTTP/1.1\r\n${own}\r\n`, 400],
  ['two keys', `GET /v1/stores/bytes/record?key=k&key=secret HTTP/1.1\r\n${own}\r\n`, 400],
  ['two forms of a key', `GET /v1/stores/bytes/record?key=k&canonical=secret HTTP/1.1\r\n${own}\r\n`, 400],
  [
    'another method in a header',
    `POST ${secret} HTTP/1.1\r\n${own}X-HTTP-Method-Override: DELETE\r\nContent-Length: 0\r\n\r\n`,
    404,
  ],
  ['TRACE', `TRACE ${secret} HTTP/1.1\r\n${own}\r\n`, 404],
  ['an expectation', `PUT ${k} HTTP/1.1\r\n${own}Expect: x\r\nContent-Length: 1\r\n\r\nA`, 417],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400],
])('%s is refused', async (_, text, status) => {
  const got = await raw(text)
  expect(got.slice(0, 12)).toBe(`HTTP/1.1 ${status}`)
  expect(got).not.toContain('nobody may see')
  expect(await bytes.has('k')).toBe(false)
  expect(await bytes.has('secret')).toBe(true)
})

test('CONNECT has no answer, and an upgrade is none', async () => {
  expect(await raw(`CONNECT evil.example:1 HTTP/1.1\r\n${own}\r\n`)).toBe('')
  const upgrade = `GET /v1/stores HTTP/1.1\r\n${own}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
  expect(await raw(upgrade)).toMatch(/^HTTP\/1.1 200/)
})

test('a condition behind two thousand headers holds', async () => {
  const many = 'a: b\r\n'.repeat(2_100)
  const remove = `DELETE ${secret} HTTP/1.1\r\n${own}${many}If-Match: "${'0'.repeat(24)}"\r\n\r\n`
  expect(await raw(remove)).toMatch(/^HTTP\/1.1 412/)
  expect(await bytes.has('secret')).toBe(true)
})

async function ask(path: string, init: RequestInit = {}, own = token): Promise<string> {
  const typed = { authorization: `Bearer ${own}`, 'content-type': 'application/json' }
  const headers = Object.assign(typed, init.headers)
  const response = await fetch(`${server.url}/v1/stores${path}`, { ...init, headers })
  return `${response.status} ${await response.text()}`
}
const deep = '['.repeat(100_000) + ']'.repeat(100_000)
const nul = encodeURIComponent('\u0000')
const set = { type: 'set', key: 'secret' }

describe('nothing is accepted and ignored', () => {
  test.each<[string, string, string, object | string, object?]>([
    ['a deep body', 'POST', '/users/writes', deep],
    ['a deep value', 'POST', '/users/writes', `{"writes":[{"type":"set","key":"k","value":${deep}}]}`],
    ['a deep value as it is', 'PUT', '/users/record?key=k', deep],
    ['base64 that is none', 'POST', '/bytes/writes', { writes: [{ ...set, base64: '%%% none' }] }],
    ['base64 that was cut', 'POST', '/bytes/writes', { writes: [{ ...set, base64: 'QUJDR' }] }],
    [
      'a misspelt condition',
      'POST',
      '/bytes/writes',
      { writes: [{ ...set, base64: 'QQ==', if_version: '0' }] },
    ],
    [
      'a condition of a delete',
      'POST',
      '/bytes/writes',
      { writes: [{ type: 'delete', key: 'secret', ifversion: '0' }] },
    ],
    [
      'two keys of an item',
      'POST',
      '/bytes/writes',
      { writes: [{ type: 'delete', key: 'x', canonical: 'secret' }] },
    ],
    ['two values', 'POST', '/users/writes', { writes: [{ ...set, value: 1, base64: 'Mg==' }] }],
    [
      'a prototype',
      'POST',
      '/bytes/writes',
      '{"writes":[{"type":"delete","key":"secret","__proto__":{"x":1}}]}',
    ],
    ['a prototype of the body', 'POST', '/bytes/writes', '{"__proto__":{"writes":[]},"writes":[]}'],
    [
      'a number beyond all',
      'POST',
      '/bytes/writes',
      '{"writes":[{"type":"increment","key":"n","by":1e999}]}',
    ],
    [
      'a namespace beside the body',
      'POST',
      '/bytes/writes?namespace=a',
      { writes: [{ ...set, base64: 'QQ==' }] },
    ],
    [
      'many items',
      'POST',
      '/bytes/reads',
      { reads: Array.from({ length: 10_001 }, (_, i) => ({ key: `k${i}` })) },
    ],
    ['half a flag', 'POST', '/bytes/reads', { reads: [{ key: 'secret', head: 'yes' }] }],
    ['an unknown parameter', 'PUT', '/bytes/record?key=secret&ns=a', 'x'],
    ['an empty expiry, which was 0', 'PUT', '/bytes/record?key=secret', 'x', { 'unikv-expires-at': '' }],
    ['an expiry below 0', 'PUT', '/bytes/record?key=secret', 'x', { 'unikv-expires-at': '-1' }],
    ['a life in hexadecimals', 'PUT', '/bytes/record?key=secret', 'x', { 'unikv-ttl': '0x10' }],
    ['a life that is none', 'PUT', '/bytes/record?key=secret', 'x', { 'unikv-ttl': 'NaN' }],
    ['a life beyond all', 'PUT', '/bytes/record?key=secret', 'x', { 'unikv-ttl': '9'.repeat(20) }],
    ['an open quote', 'DELETE', '/bytes/record?key=secret', '', { 'if-match': '"' }],
    ['a tag without quotes', 'DELETE', '/bytes/record?key=secret', '', { 'if-match': 'x' }],
    [
      'a tag with more behind it',
      'DELETE',
      '/bytes/record?key=secret',
      '',
      { 'if-match': `"${'0'.repeat(24)}"x` },
    ],
    ['any or one', 'DELETE', '/bytes/record?key=secret', '', { 'if-match': '*, "a"' }],
    ['clears that are no JSON', 'GET', '/bytes/records?canonical=true&clears=x', ''],
    ['clears that are no list', 'GET', '/bytes/records?canonical=true&clears=5', ''],
  ])('%s', async (_, method, path, body, headers = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const got = await ask(path, { method, headers: { ...headers }, body: text === '' ? null : text })
    expect(got).toMatch(/^400 /)
    expect(got.length).toBeLessThan(600)
    expect(Buffer.from((await bytes.get('secret')) ?? []).toString()).toBe('what nobody may see')
    expect(await users.has('k')).toBe(false)
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
  })

  test('a long name is not sent back', async () => {
    const got = await ask('/users/writes', { method: 'POST', body: `{"${'x'.repeat(900_000)}":1}` })
    expect([got.slice(0, 3), got.length < 600]).toEqual(['400', true])
  })
})

/** A cursor that the server did not make. */
const forged = (prefix: string, place: string): string =>
  Buffer.from(JSON.stringify([1, 'memory', prefix, null, null, place])).toString('base64url')

describe('a caller of a part sees no other', () => {
  test.each([
    ['a key', 'GET', '/bytes/record?key=secret'],
    ['a key of another case', 'GET', '/bytes/record?key=A/own'],
    ['a slash that looks the same', 'GET', `/bytes/record?key=${encodeURIComponent('a\uff0fown')}`],
    ['a canonical key', 'GET', '/bytes/record?canonical=secret'],
    ['dots', 'GET', '/bytes/records/a/../secret'],
    ['encoded dots', 'GET', '/bytes/records/a/%2e%2e/secret'],
    ['the listing of all', 'GET', '/bytes/records'],
    ['the listing of all by the store', 'GET', '/bytes/records?canonical=true'],
    ['a shorter prefix', 'GET', '/bytes/records?prefix=a'],
    ['records of layers', 'GET', `/bytes/records?canonical=true&prefix=${nul}d`],
    ['a record without a name', 'DELETE', `/bytes/record?canonical=${nul}ua/secret${nul}6`],
    ['a cursor of all', 'GET', `/bytes/records?cursor=${forged('', 'a')}`],
    ['what caches of others hold', 'GET', '/bytes/records?canonical=true&prefix=a/&clears=[""]'],
  ])('%s', async (_, method, path) => {
    expect(await ask(path, { method }, limited)).toMatch(/^403 /)
  })

  test('nor by a cursor of its own making', async () => {
    for (const place of ['', 'A', 'a', 'b', 'secret', 'zz']) {
      const got = await ask(`/bytes/records?prefix=a/&values=true&cursor=${forged('a/', place)}`, {}, limited)
      expect(got).not.toMatch(/"secret"/)
      expect(
        await ask(`/bytes/records?prefix=a/&canonical=true&reverse=true&cursor=${place}`, {}, limited),
      ).not.toMatch(/"secret"/)
    }
  })

  test('and a reader makes no cache forget', async () => {
    expect(await ask('/bytes/records?canonical=true&clears=[""]', {}, reader)).toMatch(/^403 /)
  })
})
