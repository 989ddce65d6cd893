import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { opening, plantedSecret as planted } from '@unikv/conformance'
import { keyValue } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { errorOf, readText } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { type HbaseOptions, hbase, prepareHbase } from '../src/index.ts'
import { base64, bytes, fresh, freshDataset, listed, table } from './fresh.ts'

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

const good = `http://ada:${planted}@127.0.0.1:8080`
const refused: readonly (readonly [string, object])[] = [
  ['no URL', {}],
  ['text that is not a URL', { url: planted }],
  ['a URL of another scheme', { url: `ftp://ada:${planted}@host` }],
  ['a URL with a path', { url: `${good}/${planted}` }],
  ['a URL with a parameter', { url: `${good}?${planted}=1` }],
  ['an upper-case table', { url: good, table: 'A' }],
  ['a dataset with a colon', { url: good, dataset: 'a:b' }],
  ['an empty family', { url: good, family: '' }],
  ['a durability that HBase does not have', { url: good, durability: 'memory' }],
  ['no room for values', { url: good, maxValueBytes: 0 }],
  ['half a connection', { url: good, maxConnections: 1.5 }],
  ['less than no queue', { url: good, queueLimit: -1 }],
]

describeWith('hbase', (url) => {
  const at = (address: string, scheme = 'http'): HbaseOptions => ({
    url: `${scheme}://${address}`,
    table,
    dataset: freshDataset(),
    prepare: true,
  })

  opening<HbaseOptions>({
    test,
    describe,
    make: (options) => hbase(options),
    refused,
    fresh: () => at(new URL(url).host),
    server: {
      address: new URL(url).host,
      at: (address, password) => at(password === undefined ? address : `ada:${password}@${address}`),
      withTls: (address) => at(address, 'https'),
    },
    preparing: {
      prepare: prepareHbase,
      missing: () => ({ url, table: `t${freshDataset()}`, prepare: false }),
      onCall: (options) => ({ ...options, prepare: true }),
    },
    discard: async (options) => {
      if (options.table === table) return
      const store = hbase(options)
      await store.native.request('DELETE', `/${options.table}/schema`)
      await store.close()
    },
    module: { url: new URL('../dist/index.js', import.meta.url), make: 'hbase', prepare: 'prepareHbase' },
  })

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

    test('with another column family is refused', async () => {
      await prepareHbase({ url, table: name })
      await expect(
        fresh({ url, table: name, family: 'other' }).read([{ key: 'k' }], callOptions()),
      ).rejects.toMatchObject({ code: 'INVALID_CONFIG', message: expect.stringContaining('column family') })
    })

    test('that is gone is NOT_PREPARED to a write and an error to a read, never a miss', async () => {
      const store = fresh({ url, table: name })
      const kv = keyValue(store)
      expect(await readText(store, 'k')).toBeUndefined()
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
  test('capabilities are literal, and follow the options', () => {
    const store = hbase({ url: 'http://h', durability: 'replicated' })
    const durability: 'replicated' = store.capabilities.durability
    expect(durability).toBe('replicated')
    const kv = keyValue(hbase({ url: 'http://h' }))
    expect('increment' in kv && kv.capabilities.increment).toBe(false)
  })
})
