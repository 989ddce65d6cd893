import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { json, keyValue } from '@unikv/core'
import { httpStore } from '@unikv/http/store'
import { open } from '@unikv/stores'
import { expect, test } from 'vitest'
import { inProcess, type Outcome, root } from './command-line.ts'

const token = 'a-token-of-the-tests'

/** Serve with these arguments, do this with the address and what was told, and end it as Ctrl-C does. */
async function served(
  args: readonly string[],
  use: (url: string, told: string) => Promise<void>,
): Promise<Outcome> {
  let used: Promise<void> | undefined
  const outcome = await inProcess(['serve', '--port', '0', ...args], (told, interrupt) => {
    const url = /http:\/\/[\d.]+:\d+(?=\/)/.exec(told)?.[0]
    if (url === undefined) return
    // The token comes after the address.
    if (used === undefined)
      used = Promise.resolve()
        .then(() => use(url, told))
        .finally(interrupt)
  })
  await used
  return outcome
}

async function status(
  url: string,
  secret: string,
  more: Readonly<Record<string, string>> = {},
  init: RequestInit = {},
) {
  const headers = { authorization: `Bearer ${secret}`, ...more }
  return (await fetch(url, { ...init, headers })).status
}

test('a store by its URL, with a token that is given, opened by another program', async () => {
  const { code, err } = await served(['users=memory:', '--as', 'json', '--token', token], async (url) => {
    const users = keyValue(httpStore({ url: `${url}/users`, token }), [json<object>()])
    await users.set('ada', { name: 'Ada' })
    expect(await users.get('ada')).toEqual({ name: 'Ada' })
    const byUrl = keyValue(
      open(`${url.replace('http://', `http://:${token}@`)}/users` as 'http://host/users'),
    )
    expect(Buffer.from((await byUrl.get('ada')) as Uint8Array).toString()).toBe('{"name":"Ada"}')
    await Promise.all([users.close(), byUrl.close()])
    expect(await status(`${url}/v1/stores`, 'another-token-of-them')).toBe(401)
    expect(await status(`${url}/v1/stores`, token, { origin: 'https://evil.example' })).toBe(403)
  })
  expect(code).toBe(0)
  expect(err).not.toContain(token)
})

test('a new token is printed once, and fits', async () => {
  await served(['memory:'], async (url, told) => {
    const [, secret = ''] = /^Token of this run: (\S+)$/m.exec(told) ?? []
    expect(secret.length).toBeGreaterThanOrEqual(32)
    expect(await status(`${url}/v1/stores/memory`, secret)).toBe(200)
  })
})

test('all stores of the configuration, through their layers, and read-only on request', async () => {
  const config = { stores: { one: { url: 'memory:', layers: ['json'] }, two: 'memory:' } }
  await writeFile(join(root, 'unikv.config.json'), JSON.stringify(config))
  await served(['--read-only', '--token', token], async (url, told) => {
    expect(told).toMatch(/\(read-only\).*\n {2}http.*\/one\n {2}http.*\/two\n/)
    const put = { method: 'PUT', body: '1' }
    const type = { 'content-type': 'application/json' }
    expect(await status(`${url}/v1/stores/one/records/k`, token, type, put)).toBe(403)
  })
})

test('dialects have each store at its name', async () => {
  const begin = ['db=memory:', '--token', token, '--dialect']
  await served([...begin, 'upstash'], async (url, told) => {
    expect(told).toContain(`\n  ${url}/db\n`)
    const headers = { authorization: `Bearer ${token}` }
    expect(await (await fetch(`${url}/db/set/k/v`, { headers })).json()).toEqual({ result: 'OK' })
    expect(await (await fetch(`${url}/db/get/k`, { headers })).json()).toEqual({ result: 'v' })
  })
  await served([...begin, 'unstorage'], async (url) => {
    const type = { 'content-type': 'text/plain' }
    expect(await status(`${url}/db/a/b`, token, type, { method: 'PUT', body: 'v' })).toBe(200)
    expect(await status(`${url}/db/a:b`, token)).toBe(200)
    expect(await status(`${url}/v1/stores`, token)).toBe(404)
  })
})

test.each([
  [['a=memory:', 'a=memory:'], "Two stores are named 'a'. Write NAME=URL."],
  [['memory:', '--token', token, '--unprotected'], 'Choose --token or --unprotected, not both.'],
  [['memory:', '--host', '0.0.0.0', '--unprotected'], '--unprotected on 0.0.0.0 needs --hostname'],
  [['memory:', '--tls-cert', 'x'], 'HTTPS needs both --tls-cert and --tls-key.'],
  [['memory:', '--token', 'short'], 'Each token must have at least 16 characters'],
  [['nosuch://host'], "No store has the scheme 'nosuch:'"],
])('%j is refused', async (args, message) => {
  const { code, err } = await inProcess(['serve', '--port', '0', ...args])
  expect([code, err.startsWith('unikv: '), err.includes(message)]).toEqual([2, true, true])
})
