import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { keyValue, newVersion, type ReadResult } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { hbase, prepareHbase } from '../src/index.ts'
import { base64, bytes, fresh, freshDataset, listed } from './fresh.ts'

const textOf = (found: ReadResult<Uint8Array>): string | undefined =>
  found !== undefined && 'value' in found ? Buffer.from(found.value).toString() : undefined

/** What this ends with. */
async function errorOf(work: () => unknown): Promise<unknown> {
  try {
    await work()
    return undefined
  } catch (error) {
    return error
  }
}

/** A gateway behind a proxy that asks for a user, as gateways that are open to many stand. */
async function guarded(url: string, authorization: string): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const isKnown = request.headers.authorization === authorization
    if (!isKnown) return void response.writeHead(401).end()
    const { method, headers } = request
    const forward = httpRequest(url + request.url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    request.pipe(forward)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { url: `127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

describeWith('hbase', (url) => {
  test('a user is told by basic authentication; a wrong one is ACCESS_DENIED, without the password', async () => {
    const password = 'planted:secret@'
    const proxy = await guarded(url, `Basic ${base64(`ada:${password}`)}`)
    try {
      const right = fresh({ url: `http://ada:${encodeURIComponent(password)}@${proxy.url}` })
      await keyValue(right).set('k', bytes('v'))
      expect(await keyValue(right).get('k')).toEqual(bytes('v'))
      await right.close()
      const wrong = fresh({ url: `http://ada:planted@${proxy.url}` })
      const error = await errorOf(() => wrong.read([{ key: 'k' }], callOptions()))
      expect(error).toMatchObject({ code: 'ACCESS_DENIED', retryable: false })
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('planted')
      await wrong.close()
    } finally {
      proxy.server.close()
    }
  })

  describe('the table', () => {
    const name = `t${freshDataset()}`

    test('that is missing is NOT_PREPARED; prepareHbase makes it, and twice is fine', async () => {
      const store = fresh({ url, table: name, prepare: false })
      const error = await errorOf(() => store.read([{ key: 'k' }], callOptions()))
      expect(error).toMatchObject({ code: 'NOT_PREPARED', message: expect.stringContaining(name) })
      await Promise.all([prepareHbase({ url, table: name }), prepareHbase({ url, table: name })])
      await keyValue(store).set('k', bytes('v'))
      await expect(
        fresh({ url, table: name, family: 'other' }).read([{ key: 'k' }], callOptions()),
      ).rejects.toMatchObject({ code: 'INVALID_CONFIG', message: expect.stringContaining('column family') })
    })

    test('that is gone is NOT_PREPARED to a write and an error to a read, never a miss', async () => {
      const store = fresh({ url, table: name })
      const kv = keyValue(store)
      expect(textOf((await store.read([{ key: 'k' }], callOptions()))[0])).toBeUndefined()
      expect((await store.native.request('DELETE', `/${name}/schema`)).status).toBe(200)
      await expect(kv.set('k', bytes('v'))).rejects.toMatchObject({ code: 'NOT_PREPARED' })
      await expect(kv.get('k')).rejects.toMatchObject({
        code: expect.stringMatching(/UNAVAILABLE|NOT_PREPARED/),
      })
      await expect(listed(store)).rejects.toMatchObject({
        code: expect.stringMatching(/UNAVAILABLE|NOT_PREPARED/),
      })
    })

    test('of others, or one that drops live records, is refused', async () => {
      const { native } = fresh({ url })
      const foreign = `f${freshDataset()}`
      const schemas = [
        { name: foreign, ColumnSchema: [{ name: 'u' }] },
        { name: `${foreign}a`, UNIKV: '1', ColumnSchema: [{ name: 'u', TTL: '60' }] },
      ]
      for (const body of schemas) {
        expect((await native.request('PUT', `/${body.name}/schema`, { body })).status).toBe(201)
        await expect(
          fresh({ url, table: body.name }).read([{ key: 'k' }], callOptions()),
        ).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
        await native.request('DELETE', `/${body.name}/schema`)
      }
    })
  })
})

describe('without a server', () => {
  test('wrong options are refused, without what the URL holds', () => {
    const url = 'http://ada:planted@127.0.0.1:8080'
    const wrong: readonly object[] = [
      {},
      { url: 'planted' },
      { url: 'ftp://ada:planted@host' },
      { url: `${url}/planted` },
      { url: `${url}?planted=1` },
      { url, table: 'A' },
      { url, dataset: 'a:b' },
      { url, family: '' },
      { url, durability: 'memory' },
      { url, maxValueBytes: 0 },
      { url, maxConnections: 1.5 },
      { url, queueLimit: -1 },
    ]
    for (const options of wrong) {
      let error: unknown
      try {
        hbase(options as { url: string })
      } catch (caught) {
        error = caught
      }
      expect(error).toMatchObject({ code: 'INVALID_CONFIG' })
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('planted')
    }
  })

  test('a gateway that is not there is UNAVAILABLE, nothing was sent, and no secret is told', async () => {
    const store = fresh({ url: 'http://ada:planted-secret@127.0.0.1:1' })
    const call = callOptions()
    const remove = { type: 'delete', key: 'k', version: newVersion() } as const
    const error = await errorOf(() => store.write([remove], call))
    expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('127.0.0.1:1') })
    expect(call.sent).toBe(false)
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('planted')
    expect(inspect(store, { depth: 9, showHidden: true })).not.toContain('planted')
  })

  test('capabilities are literal, and follow the options', () => {
    const store = hbase({ url: 'http://h', durability: 'replicated' })
    const durability: 'replicated' = store.capabilities.durability
    expect(durability).toBe('replicated')
    const kv = keyValue(hbase({ url: 'http://h' }))
    expect('increment' in kv && kv.capabilities.increment).toBe(false)
  })
})
