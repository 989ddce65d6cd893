import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { afterAll, describe, expect, test } from 'vitest'
import { http } from '../src/index.ts'
import { type Listening, type ListenOptions, listen } from '../src/node/index.ts'
import { upstash } from '../src/upstash/upstash.ts'
import { token } from './served.ts'

// Callers that are slow, many, or gone, and requests whose answer would fill the memory.

const headers = { authorization: `Bearer ${token}` }
const tokens = [{ name: 'owner', token, may: 'write' as const }]
const value = Buffer.alloc(100_000, 'x')
const bytes = keyValue(memory())
await bytes.set('big', Buffer.alloc(16_000_000, 'y'))
const unhandled: unknown[] = []
const hear = (error: unknown): void => void unhandled.push(error)
process.on('unhandledRejection', hear)
afterAll(() => void process.off('unhandledRejection', hear))

/** Counts how many reads of the store are under way at most. */
function counted() {
  const inner = memory()
  const seen = { underWay: 0, most: 0, reads: 0 }
  const read: typeof inner.read = async (...args) => {
    seen.reads++
    seen.most = Math.max(seen.most, ++seen.underWay)
    await pause(5)
    seen.underWay--
    return inner.read(...args)
  }
  return { seen, kv: keyValue(Object.assign(Object.create(inner) as typeof inner, { read })) }
}

async function served(options: ListenOptions = {}, kv = bytes): Promise<Listening> {
  const server = await listen(http({ bytes: kv }, { tokens }), options)
  afterAll(() => server.close())
  return server
}

/** A connection that reads nothing until it is told to. */
async function connected({ url }: Listening, text: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {}).pause()
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

const head = (line: string): string => `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`
const read = head('GET /v1/stores/bytes/records/big')

describe('the values of one answer are bounded', () => {
  const many = Array.from({ length: 100 }, (_, i) => `v${i}`)
  const kv = keyValue(memory())
  const { fetch } = http({ kv }, { tokens, maxBodyBytes: 1_600_000 })
  const dialect = upstash({ kv }, { tokens, maxBodyBytes: 1_600_000 })
  const json = { ...headers, 'content-type': 'application/json' }
  const post = (path: string, body: unknown): Request =>
    new Request(`http://localhost${path}`, { method: 'POST', headers: json, body: JSON.stringify(body) })

  test('of a batch: the rest is told apart', async () => {
    for (const key of many) await kv.set(key, value)
    const answer = await fetch(post('/v1/stores/kv/reads', { reads: many.map((key) => ({ key })) }))
    const { results } = (await answer.json()) as { results: { base64?: string; error?: { code: string } }[] }
    const [whole, left] = [results.filter((one) => one.base64), results.filter((one) => one.error)]
    expect([whole.length + left.length, whole.length >= 60, whole.length <= 80]).toEqual([100, true, true])
    expect(new Set(left.map((one) => one.error?.code))).toEqual(new Set(['VALUE_TOO_LARGE']))
  })

  test('of a page: its cursor goes on', async () => {
    const names: string[] = []
    let cursor: string | undefined
    do {
      const query = new URLSearchParams({
        values: 'true',
        limit: '1000',
        ...(cursor === undefined ? {} : { cursor }),
      })
      const answer = await fetch(
        new Request(`http://localhost/v1/stores/kv/records?${query.toString()}`, { headers }),
      )
      const page = (await answer.json()) as { items: { key: string; base64?: string }[]; cursor?: string }
      expect(page.items.length).toBeLessThanOrEqual(80)
      names.push(...page.items.filter((one) => one.base64 !== undefined).map((one) => one.key))
      cursor = page.cursor
    } while (cursor !== undefined)
    expect(names.toSorted()).toEqual(many.toSorted())
  })

  test('of commands of Redis, also with the same key again and again', async () => {
    const mget = await dialect.fetch(post('/kv', ['MGET', ...Array.from({ length: 10_000 }, () => 'v1')]))
    expect(mget.status).toBe(413)
    const commands = Array.from({ length: 1_000 }, () => ['GET', 'v1'])
    const answer = await dialect.fetch(post('/kv/pipeline', commands))
    const outcomes = (await answer.json()) as { result?: string; error?: string }[]
    expect(outcomes.length).toBe(1_000)
    expect(outcomes.filter((one) => one.result).length).toBeLessThan(100)
    expect(outcomes.at(-1)?.error).toContain('VALUE_TOO_LARGE')
  })
})

describe('connections', () => {
  test('one that sends many requests at once is answered in turn', async () => {
    const { seen, kv } = counted()
    await kv.set('big', Buffer.from('v'))
    const server = await served({}, kv)
    const socket = await connected(server, `${read}\r\n`.repeat(100))
    let got = ''
    socket.on('data', (part) => {
      got += part.toString('latin1')
    })
    while (got.split('HTTP/1.1 200').length <= 100) await once(socket.resume(), 'data')
    socket.destroy()
    expect([seen.reads, seen.most]).toEqual([100, 1])
  })

  test('one that reads nothing holds no answer but its first, and no memory for ever', async () => {
    const server = await served({ requestTimeoutMs: 300 })
    const socket = await connected(server, `${read}\r\n`.repeat(200))
    while ((await connections(server)) === 0) await pause(1)
    while ((await connections(server)) > 0) await pause(20)
    socket.destroy()
    expect(await connections(server)).toBe(0)
  })

  test('those that send nothing, or slowly, keep no others waiting, and are ended', async () => {
    const server = await served({ requestTimeoutMs: 200 })
    const idle = Array.from({ length: 1_000 }, () => connected(server, ''))
    const slow = Array.from({ length: 200 }, (_, i) =>
      connected(
        server,
        i % 2 === 0 ? 'GET /v1/sto' : `${head('PUT /v1/stores/bytes/records/k')}Content-Length: 9\r\n\r\nab`,
      ),
    )
    const sockets = await Promise.all([...idle, ...slow])
    const { status } = await fetch(`${server.url}/v1/stores/bytes/records/big`, { method: 'HEAD', headers })
    expect(status).toBe(200)
    while ((await connections(server)) > 1) await pause(50)
    expect(await bytes.has('k')).toBe(false)
    for (const socket of sockets) socket.destroy()
  })

  test('callers that vanish in the midst leave nothing behind', async () => {
    const server = await served()
    for (let i = 0; i < 40; i++) {
      const put = `${head('PUT /v1/stores/bytes/records/k')}Content-Length: 1000\r\n\r\nab`
      const socket = await connected(server, [put, `${read}\r\n`, 'GET /v1'][i % 3] as string)
      await pause(i % 4)
      if (i % 2 === 0) socket.resetAndDestroy()
      else socket.destroy()
    }
    while ((await connections(server)) > 0) await pause(20)
    expect((await fetch(`${server.url}/v1/stores`, { headers })).status).toBe(200)
    expect([await bytes.has('k'), unhandled]).toEqual([false, []])
  })
})

test('no header, and no token that is none, passes a limit of requests', async () => {
  const { fetch } = http({ bytes }, { tokens, requestsPerSecond: 1 })
  const own = (i: number): Record<string, string> => ({
    authorization: `Bearer ${token}`,
    'x-forwarded-for': `10.0.0.${i}`,
  })
  const other = (i: number): Record<string, string> => ({ authorization: `Bearer another-token-${i}` })
  for (const [headersOf, passed] of [
    [own, 200],
    [other, 401],
  ] as const) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        fetch(new Request('http://localhost/v1/stores', { headers: headersOf(i) })),
      ),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === passed).length).toBeLessThan(25)
    expect(statuses.filter((status) => status !== passed && status !== 429)).toEqual([])
  }
})

describe('close', () => {
  test('ends with the answers under way, and cuts none', async () => {
    const { kv } = counted()
    await kv.set('big', Buffer.alloc(2_000_000, 'y'))
    const server = await served({}, kv)
    const asked = Array.from({ length: 20 }, async () => {
      const response = await fetch(`${server.url}/v1/stores/bytes/records/big`, { headers })
      return (await response.arrayBuffer()).byteLength
    })
    await asked[0]
    while ((await connections(server)) < 10) await pause(1)
    const closed = server.close()
    const lengths = (await Promise.allSettled(asked)).map((one) =>
      one.status === 'fulfilled' ? one.value : 'refused',
    )
    await closed
    expect(lengths.filter((length) => length !== 2_000_000 && length !== 'refused')).toEqual([])
  })

  test.each([
    ['a body that stops', `${head('PUT /v1/stores/bytes/records/k')}Content-Length: 9\r\n\r\nab`],
    ['an answer that is not read', `${read}\r\n`],
    ['half a request', 'GET /v1'],
  ])('does not wait for ever for %s', async (_, text) => {
    const server = await served({ closeTimeoutMs: 100 })
    const socket = await connected(server, text)
    while ((await connections(server)) === 0) await pause(1)
    await pause(20)
    await server.close()
    expect(await connections(server)).toBe(0)
    socket.destroy()
  })
})

function connections({ server }: Listening): Promise<number> {
  return new Promise((resolve) => server.getConnections((_, count) => resolve(count ?? 0)))
}
