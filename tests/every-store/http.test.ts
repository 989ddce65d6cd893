import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conformance } from '@unikv/conformance'
import { type AnyStore, type Bytes, compose, type Json, json, keyValue, type Store } from '@unikv/core'
import { type AnyKeyValue, http } from '@unikv/http'
import { listen } from '@unikv/http/node'
import { capabilitiesOf, type HttpStoreOptions, httpStore } from '@unikv/http/store'
import { lmdb } from '@unikv/lmdb'
import { redis } from '@unikv/redis'
import { sqlite } from '@unikv/sqlite'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, describe, expect, test } from 'vitest'
import { Authority } from './fixtures/certificates.ts'

// Stores behind HTTPS with a token, as another process has them.

const folder = mkdtempSync(join(tmpdir(), 'unikv-http-'))
const token = 'a-token-of-the-tests'
const tls = new Authority(folder).certify('server', 'IP:127.0.0.1', 2)
const served: Record<string, AnyKeyValue & { close(): Promise<void> }> = {}
const access = { name: 'tests', token, may: 'write' } as const
const server = await listen(
  http(() => served, { tokens: [access] }),
  { tls },
)
afterAll(async () => {
  await Promise.all(Object.values(served).map((kv) => kv.close()))
  await server.close()
  rmSync(folder, { recursive: true })
})

/** Node.js reads it with each connection. */
const trusting = async (url: string, init: RequestInit): Promise<Response> => {
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  return fetch(url, init)
}

/** Stores of a kind, each served under a name of its own, with all that it can do. */
function datasets(make: (name: string) => AnyStore) {
  const opened = new WeakMap<object, HttpStoreOptions>()
  const open = (options: HttpStoreOptions): Store<Bytes> => {
    const store = httpStore(options)
    opened.set(store, options)
    return store
  }
  return {
    open: async () => {
      const name = `store_${Object.keys(served).length}`
      served[name] = keyValue(make(name))
      const options = { url: `${server.url}/${name}`, token, fetch: trusting }
      return open({ ...options, capabilities: await capabilitiesOf(options) })
    },
    reopen: (store: Store<Bytes>) => open(opened.get(store) as HttpStoreOptions),
  }
}

test('a certificate that is not trusted ends every request, and nothing is sent', async () => {
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  // Another origin, to which no connection is open.
  const url = `${server.url.replace('127.0.0.1', 'localhost')}/users`
  const kv = keyValue(httpStore({ url, token }))
  await expect(kv.set('k', new Uint8Array(1))).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    retryable: false,
    message: expect.stringContaining('No trusted TLS'),
  })
  await kv.close()
})

// Over memory the interface passes the whole suite: here is what these two do otherwise.
describe('LMDB behind HTTPS', async () => {
  const make = (name: string) => lmdb({ path: join(folder, name), durability: 'buffered' })
  await conformance({
    test,
    describe,
    topics: /^(declared|batches$|write, and)/,
    ...datasets(make),
  })
})

describe('documents in SQLite behind HTTPS, found by their fields', async () => {
  const { open } = datasets((name) =>
    sqlite({ path: join(folder, `${name}.db`), values: 'document', threads: 0, durability: 'buffered' }),
  )
  await conformance<Json>({
    test,
    describe,
    topics: /^(declared|finding)/,
    open: async () => compose(await open(), [json()]),
    value: (n) => ({ n }),
  })
})

describeWith('redis', async (url) => {
  const make = (name: string) => redis({ url, dataset: `http_${process.pid}_${name}` })
  await conformance({
    test,
    describe,
    topics: /^(read and write|scan and cursor)/,
    ...datasets(make),
  })
})
