import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  document,
  type Finds,
  json,
  type KeyValueBase,
  keyValue,
  passThrough,
  type Scans,
  supports,
  type Where,
} from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { structured } from '@unikv/core/structured'
import { http, type Token } from '@unikv/http'
import { capabilitiesOf, httpStore } from '@unikv/http/store'
import { sqlite } from '@unikv/sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Queries by fields, through a server to a store that finds, by the adapter and by a program without unikv.

type Kv = KeyValueBase<string, unknown> & Finds<string, unknown> & Scans<string, unknown>

const token = 'a-token-of-the-tests'
const origin = 'http://localhost'
let folder = ''
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-finding-http-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const opened = () =>
  sqlite({ path: join(folder, `${files++}.db`), values: 'document', threads: 0, durability: 'buffered' })

/** The parts of answers that are looked at. */
interface Said {
  readonly code?: string
  readonly cursor?: string
  readonly items: readonly {
    readonly key: string
    readonly value?: unknown
    readonly error?: { readonly code: string }
  }[]
}

/** A server in this process, and what asks it: all requests are counted. */
function server(own: Partial<Token> = {}, maxBodyBytes = 4_000_000) {
  const kv = keyValue(opened(), [document()]) as unknown as Kv
  const stores = { logs: kv, bytes: keyValue(memory()) } as never
  const access = { name: 'test', token, may: 'write', ...own } as const
  const { fetch } = http(stores, { tokens: [access], maxBodyBytes })
  const requests: string[] = []
  const counted = (url: string, init: RequestInit) => {
    requests.push(`${init.method} ${new URL(url).pathname}`)
    return fetch(new Request(url, init))
  }
  const ask = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(new Request(`${origin}/v1/stores/${path}`, init))
    return { status: response.status, said: (await response.json()) as Said }
  }
  const options = { url: `${origin}/logs`, token, fetch: counted }
  const far = async () => {
    const capabilities = { ...(await capabilitiesOf(options)), find: true } as const
    return keyValue(httpStore({ ...options, capabilities }), [json()]) as unknown as Kv
  }
  return { kv, ask, requests, options, far }
}

const items = (page: { readonly items: readonly (readonly [string, { readonly value: unknown }])[] }) =>
  page.items.map(([key, { value }]) => [key, value])

test('a query is one request, and so are totals', async () => {
  const { kv, far, requests } = server()
  const its = kv.namespace('a') as Kv
  for (let n = 0; n < 30; n++) await its.set(`k${n}`, { n, text: `line ${n}`, level: n % 2 })
  const there = (await far()).namespace('a') as Kv
  await there.get('k0')
  requests.length = 0
  const query = { where: { text: { contains: 'ne 1' } }, orderBy: [{ desc: 'n' }], limit: 4 } as const
  const near = await its.find(query)
  const page = await there.find(query)
  expect(items(page)).toEqual(items(near))
  expect(page.items.map(([, { version }]) => version)).toEqual(near.items.map(([, { version }]) => version))
  const next = await there.find({ ...query, after: page.cursor })
  expect(items(next)).toEqual(items(await its.find({ ...query, after: near.cursor })))
  expect(await there.aggregate({ where: { level: 1 }, of: 'n' })).toEqual({
    count: 15,
    sum: 225,
    min: 1,
    max: 29,
  })
  expect(await there.aggregate({ where: { level: 2 }, of: 'n' })).toMatchObject({ count: 0, sum: 0 })
  const found = 'POST /v1/stores/logs/find'
  expect(requests).toEqual([
    found,
    found,
    ...Array.from({ length: 2 }, () => 'POST /v1/stores/logs/aggregate'),
  ])
})

test('the server says whether its store finds, and the adapter believes nothing else', async () => {
  const { options, kv } = server()
  expect(await capabilitiesOf(options)).toMatchObject({ find: true, documents: false })
  const told = keyValue(httpStore({ ...options, capabilities: await capabilitiesOf(options) }), [json()])
  expect(supports(told, 'find')).toBe(true)
  await kv.set('a', { n: 1 })
  const unasked = keyValue(httpStore(options), [json()])
  // @ts-expect-error -- nothing is said of it
  await expect(unasked.find({})).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  expect(items(await unasked.find({ where: { n: 1 }, scan: true }))).toEqual([['a', { n: 1 }]])
  const bytes = { ...options, url: `${origin}/bytes` }
  expect(await capabilitiesOf(bytes)).not.toMatchObject({ find: true })
  const promised = keyValue(httpStore({ ...bytes, capabilities: { find: true } as const }))
  await expect(promised.find({})).rejects.toThrow(/does not offer what is said of it: find/)
})

test('only JSON shows its fields to the server', () => {
  const { options } = server()
  const found = httpStore({ ...options, capabilities: { find: true } as const })
  expect(keyValue(found, [json()]).capabilities.find).toBe(true)
  expect(keyValue(found).capabilities.find).toBe(true)
  expect(keyValue(found, [structured()]).capabilities.find).toBe(false)
})

test('conditions as deep as they may be travel, and deeper ones are refused on both sides', async () => {
  const { far, ask, kv } = server()
  await kv.set('a', { n: 1 })
  const nested = (levels: number, where: Where): Where =>
    levels === 0 ? where : { or: [nested(levels - 1, where), { m: 1 }], n: { gte: 0 } }
  const deepest = { where: nested(32, { n: { in: [0, 1] }, 'a\\.b': { exists: false } }) }
  expect(items(await (await far()).find(deepest))).toEqual([['a', { n: 1 }]])
  expect((await ask('logs/find', deepest)).said.items).toHaveLength(1)
  await expect((await far()).find({ where: nested(33, {}) })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  })
  const { status, said } = await ask('logs/find', { where: nested(33, {}) })
  expect([status, said.code]).toEqual([400, 'INVALID_ARGUMENT'])
})

test('names and texts arrive as they are', async () => {
  const { far, kv } = server()
  const names = ['a.b', '\\', '__proto__', 'and', 'or', '$gt', "it's", '\u{1f600}', 'constructor']
  const texts = ['', '%', '\\', '\u0000', '"', '\u2028', '\u{1f600}', '__proto__']
  await kv.setMany(
    names.flatMap((name, i) =>
      texts.map(
        (text, j) => [`${i} ${j}`, JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(text)}}`)] as const,
      ),
    ),
  )
  for (const name of names) {
    const path = name.replace(/[.\\]/g, '\\$&')
    for (const text of texts) {
      const query = { where: { [path]: { eq: text } }, orderBy: [{ desc: path }] }
      const page = await (await far()).find(query)
      expect(items(page)).toEqual(items(await kv.find(query)))
      expect(page.items).toHaveLength(1)
    }
  }
})

test('an answer without room for all is continued, also within a step', async () => {
  const { far, kv, requests, ask } = server({}, 20_000)
  const text = 'x'.repeat(9_000)
  // The server looks at 32 at first, of which it has room for nine.
  for (let n = 0; n < 40; n++) await kv.set(`k${n}`, { n, text })
  const there = await far()
  await there.get('k0')
  requests.length = 0
  const page = await there.find({ where: { n: { gte: 1 } }, orderBy: ['n'], limit: 35 })
  expect(page.items.map(([, { value }]) => (value as { n: number }).n)).toEqual(
    Array.from({ length: 35 }, (_, i) => i + 1),
  )
  expect(requests.length).toBeGreaterThan(2)
  const rest = await there.find({ where: { n: { gte: 1 } }, orderBy: ['n'], limit: 35, after: page.cursor })
  expect(rest.items.map(([key]) => key)).toEqual(['k36', 'k37', 'k38', 'k39'])
  expect(rest.cursor).toBeUndefined()
  const { said } = await ask('logs/find', { orderBy: ['n'], limit: 40 })
  expect(said.items.length).toBeLessThan(40)
  expect(said.items.some(({ error }) => error?.code === 'VALUE_TOO_LARGE')).toBe(true)
  const more = await ask('logs/find', { orderBy: ['n'], limit: 40, after: said.cursor })
  expect(more.said.items[0]?.key).toBe(`k${said.items.length}`)
})

test('a sum beyond all numbers arrives', async () => {
  // Servers of SQL add up in ways of their own.
  const beyond = passThrough('beyond', {
    wrap: () => ({
      find: () => ({ entries: [], totals: { count: 2, sum: Number.POSITIVE_INFINITY, min: 1, max: 1e308 } }),
    }),
  })
  const stores = { logs: keyValue(opened(), [document(), beyond]) } as never
  const { fetch } = http(stores, { tokens: [{ name: 'test', token }] })
  const own = (url: string, init: RequestInit) => fetch(new Request(url, init))
  const options = { url: `${origin}/logs`, token, fetch: own }
  const far = keyValue(
    httpStore({ ...options, capabilities: await capabilitiesOf(options) }),
  ) as unknown as Kv
  expect(await far.aggregate({ of: 'n' })).toEqual({
    count: 2,
    sum: Number.POSITIVE_INFINITY,
    min: 1,
    max: 1e308,
  })
})

test('a program without unikv asks in the words of find, with a cursor of the server', async () => {
  const { kv, ask } = server()
  const its = kv.namespace('t')
  for (let n = 0; n < 5; n++) await its.set(`k${n}`, { n })
  const query = { where: { n: { gt: 0 } }, orderBy: [{ desc: 'n' }], limit: 3, namespace: ['t'] }
  const { said } = await ask('logs/find', query)
  expect(said.items.map(({ key, value }) => [key, value])).toEqual([
    ['k4', { n: 4 }],
    ['k3', { n: 3 }],
    ['k2', { n: 2 }],
  ])
  const next = (await ask('logs/find', { ...query, after: said.cursor })).said
  expect(next.items.map(({ key }) => key)).toEqual(['k1'])
  expect(next.cursor).toBeUndefined()
  expect((await ask('logs/aggregate', { of: 'n', namespace: ['t'] })).said).toEqual({
    count: 5,
    sum: 10,
    min: 0,
    max: 4,
  })
  expect((await ask('logs/aggregate', {})).said).toMatchObject({ count: 0, sum: 0 })
  const refused: readonly (readonly [string, object, number])[] = [
    ['logs/find', { ...query, where: { n: { like: 1 } } }, 400],
    ['logs/find', { ...query, sort: ['n'] }, 400],
    ['logs/find', { ...query, limit: 10_001 }, 400],
    ['logs/find', { ...query, namespace: 't' }, 400],
    ['logs/find', { ...query, namespace: ['other'], after: said.cursor }, 400],
    ['logs/find?canonical=true', { ...query }, 400],
    ['logs/find?canonical=true', { start: '', after: { key: 'a', values: [[4]] }, orderBy: ['n'] }, 400],
    ['logs/find?canonical=true', { start: '\ud800' }, 400],
    ['logs/find?prefix=a', query, 400],
    ['logs/aggregate', { of: '' }, 400],
    ['logs/aggregate', { orderBy: ['n'] }, 400],
    ['bytes/find', {}, 501],
    ['bytes/aggregate', {}, 501],
    ['none/find', {}, 404],
  ]
  for (const [path, body, status] of refused)
    expect([path, (await ask(path, body)).status]).toEqual([path, status])
})

test('a caller finds in its own namespace alone, by whichever form it asks', async () => {
  const { kv, ask, far } = server({ may: 'read', namespace: ['mine'] })
  for (const one of [
    kv,
    kv.namespace('mine'),
    kv.namespace('minesweeper'),
    kv.namespace('mine').namespace('inner'),
  ])
    await one.set('k', { n: 1 })
  const count = async (namespace: readonly string[]) => (await ask('logs/aggregate', { namespace })).said
  expect(await count(['mine'])).toMatchObject({ count: 1 })
  expect(await count(['mine', 'inner'])).toMatchObject({ count: 1 })
  for (const other of [[], ['minesweeper'], ['other', 'mine']])
    for (const verb of ['find', 'aggregate'])
      expect((await ask(`logs/${verb}`, { namespace: other })).status).toBe(403)
  const range = async (start: string, end?: string) =>
    (await ask('logs/aggregate?canonical=true', { start, end })).status
  const own = '\u0001mine\u0002'
  expect(await range(own, `${own.slice(0, -1)}\u0003`)).toBe(200)
  expect(await range(`${own}a`, `${own}b`)).toBe(200)
  for (const [start, end] of [
    ['', undefined],
    [own, undefined],
    ['a', undefined],
    ['\u0001', '\u0003'],
    [own, `${own.slice(0, -1)}\u0004`],
    ['\u0001mine\u0001', '\u0001mine\u0003'],
    ['\u0000d' + own, own],
  ] as const)
    expect([start, end, await range(start, end)]).toEqual([start, end, 403])
  const its = await far()
  expect((await (its.namespace('mine') as Kv).find({})).items).toHaveLength(1)
  await expect(its.find({})).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
})
