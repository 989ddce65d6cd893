import { createCipheriv, createHash } from 'node:crypto'
import { request } from 'node:http'
import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { type HttpOptions, http } from '@unikv/http'
import { type Listening, type ListenOptions, listen } from '@unikv/http/node'
import { capabilitiesOf, httpStore } from '@unikv/http/store'
import { parts, readStream, type StreamedValue, writeStream } from '@unikv/parts'
import { afterAll, describe, expect, test } from 'vitest'

const mib = 1_048_576
const kv = keyValue(memory(), [parts({ size: 100_000, above: 50_000 })])
const token = 'a-token-of-the-tests'

/** The address of the records of the store. */
async function served(options: Partial<HttpOptions>, listening: ListenOptions = {}): Promise<Listening> {
  const tokens = [{ name: 'test', token, may: 'write' as const }]
  const server = await listen(http({ films: kv }, { tokens, ...options }), listening)
  return { ...server, url: `${server.url}/v1/stores/films/records` }
}

const server = await served({ maxStreamBytes: 64 * mib, maxBodyBytes: 10 * mib })
const record = server.url
afterAll(() => server.close())

/** Bytes without a pattern, the same in each run. */
const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16))
const value = noise.update(Buffer.alloc(12 * mib + 12_345))

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, ...(init.headers as object) }
  return fetch(`${record}/${path}`, { ...init, headers })
}

async function* pieces(bytes: Uint8Array, size = 70_001): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** A body of unknown length, as `fetch` sends it. */
const streamed = (bytes: Uint8Array) =>
  ({ method: 'PUT', body: ReadableStream.from(pieces(bytes)), duplex: 'half' }) as RequestInit

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function bodyOf(answer: Response): Promise<Uint8Array> {
  return new Uint8Array(await answer.arrayBuffer())
}

test('a body that is longer than what is held in memory goes to the store and comes back', async () => {
  for (const init of [streamed(value), { method: 'PUT', body: value }]) {
    const written = await ask('film', init)
    expect(written.status).toBe(204)
    const found = await ask('film')
    expect(found.headers.get('etag')).toBe(written.headers.get('etag'))
    expect(found.headers.get('content-length')).toBe(String(value.length))
    expect(digest(await bodyOf(found))).toBe(digest(value))
  }
})

test('a short body of unknown length is kept whole', async () => {
  const short = value.subarray(0, 40_000)
  expect((await ask('short', streamed(short))).status).toBe(204)
  expect(await kv.get('short')).toEqual(new Uint8Array(short))
})

describe('ranges', () => {
  test.each([
    ['bytes=0-0', 0, 1],
    ['bytes=99999-100000', 99_999, 100_001],
    ['bytes=5000000-', 5_000_000, value.length],
    ['bytes=-100001', value.length - 100_001, value.length],
    [`bytes=0-${2 * value.length}`, 0, value.length],
    ['bytes=0-99999999999999999999', 0, value.length],
  ])('%s', async (range, start, end) => {
    const found = await ask('film', { headers: { range } })
    expect(found.status).toBe(206)
    expect(found.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${value.length}`)
    expect(digest(await bodyOf(found))).toBe(digest(value.subarray(start, end)))
  })

  test.each([`bytes=${value.length}-`, 'bytes=-0', 'bytes=9-3'])('%s is refused', async (range) => {
    const found = await ask('film', { headers: { range } })
    expect(found.status).toBe(416)
    expect(found.headers.get('content-range')).toBe(`bytes */${value.length}`)
    await found.body?.cancel()
  })
})

describe('conditions', () => {
  test('a version that is known is not sent again', async () => {
    const etag = (await ask('film', { method: 'HEAD' })).headers.get('etag') as string
    for (const known of [etag, `"000000000000000000000000", ${etag}`, '*']) {
      const found = await ask('film', { headers: { 'if-none-match': known } })
      expect(found.status).toBe(304)
      expect((await bodyOf(found)).length).toBe(0)
    }
  })

  test('a body whose condition does not hold changes nothing', async () => {
    const wrong = { 'if-match': '"000000000000000000000000"' }
    expect((await ask('film', { ...streamed(value.subarray(5)), headers: wrong })).status).toBe(412)
    const isNew = { 'if-none-match': '*' }
    expect((await ask('film', { ...streamed(value.subarray(5)), headers: isNew })).status).toBe(412)
    expect(digest(await bodyOf(await ask('film')))).toBe(digest(value))
  })
})

test('a body that is too long leaves the value as it is', async () => {
  const long = { 'content-length': String(65 * mib) }
  const told = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, ...long }
    const put = request(`${record}/film`, { method: 'PUT', headers }, (answer) => resolve(answer.statusCode))
    put.on('error', reject).flushHeaders()
  })
  expect(told).toBe(413)
  async function* endless() {
    for (;;) yield value.subarray(0, mib)
  }
  const untold = { method: 'PUT', body: ReadableStream.from(endless()), duplex: 'half' } as RequestInit
  expect(await ask('film', untold).then(({ status }) => status)).toBe(413)
  expect(digest(await bodyOf(await ask('film')))).toBe(digest(value))
})

test('a body that stands still is ended, and one that goes on arriving is not', async () => {
  const limits = { maxStreamBytes: 64 * mib, stallTimeoutMs: 1_500 }
  const slow = await served(limits, { requestTimeoutMs: 1_500 })
  const path = `${slow.url}/slow`
  const headers = { authorization: `Bearer ${token}`, 'content-length': String(5 * mib) }
  const put = () => request(path, { method: 'PUT', headers })
  const stalled = put()
  const end = new Promise((resolve) => {
    stalled.on('response', ({ statusCode }) => resolve(statusCode)).on('error', resolve)
  })
  stalled.write(value.subarray(0, mib + 1))
  expect(await end).toBe(408)
  const going = put()
  const status = new Promise((resolve, reject) => {
    going.on('response', ({ statusCode }) => resolve(statusCode)).on('error', reject)
  })
  for (let sent = 0; sent < 5; sent++) {
    going.write(value.subarray(sent * mib, (sent + 1) * mib))
    await new Promise((resolve) => setTimeout(resolve, 400))
  }
  going.end()
  expect(await status).toBe(204)
  await slow.close()
  expect(digest(await bodyOf(await ask('slow')))).toBe(digest(value.subarray(0, 5 * mib)))
  await kv.delete('slow')
})

test('a program streams through the adapter to a server whose store knows nothing of parts', async () => {
  const plain = keyValue(memory())
  const tokens = [{ name: 'test', token, may: 'write' as const }]
  const other = await listen(http({ plain }, { tokens }))
  const films = keyValue(httpStore({ url: `${other.url}/plain`, token }), [parts()])
  await writeStream(films, 'film', pieces(value))
  const { body, length } = (await readStream(films, 'film', { start: -5_000_000 })) as StreamedValue
  const found: Uint8Array[] = []
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) found.push(bytes)
  expect(length).toBe(value.length)
  expect(digest(Buffer.concat(found))).toBe(digest(value.subarray(-5_000_000)))
  expect(Math.max(...found.map((bytes) => bytes.length))).toBeLessThan(mib)
  await films.close()
  await other.close()
  await plain.close()
})

test('an adapter opens what a server keeps in parts', async () => {
  const options = { url: new URL('/films', record), token }
  expect(await capabilitiesOf(options)).toMatchObject({ holds: ['parts'] })
  const films = keyValue(httpStore(options))
  await films.set('own', Buffer.from('a film'))
  expect(Buffer.from((await films.get('own')) ?? []).toString()).toBe('a film')
  await films.delete('own')
  await films.close()
})

test('a body that is cut leaves the value as it is', async () => {
  await new Promise<void>((resolve) => {
    const headers = { authorization: `Bearer ${token}`, 'content-length': String(9 * mib) }
    const put = request(`${record}/film`, { method: 'PUT', headers }).on('error', () => resolve())
    put.write(value.subarray(0, 3 * mib), () => put.destroy())
  })
  expect(digest(await bodyOf(await ask('film')))).toBe(digest(value))
  await expect.poll(() => recordsIn()).toBe(2 + Math.ceil(value.length / 100_000))
})

/** Records of the store below: those of users and their parts. */
async function recordsIn(): Promise<number> {
  const { adapterOf, callOptions } = await import('@unikv/core/adapter')
  let count = 0
  const range = { prefix: '', pageSize: 1000, values: false }
  for await (const { entries } of adapterOf(kv).scan(range, callOptions())) count += entries.length
  return count
}
