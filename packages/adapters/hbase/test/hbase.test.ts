import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { isStoreError, keyValue, newVersion, type ReadResult } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test, vi } from 'vitest'
import { hbase, prepareHbase } from '../src/index.ts'
import { fresh, freshDataset, table } from './fresh.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const bytes = (text: string): Buffer => Buffer.from(text)
const textOf = (found: ReadResult<Uint8Array>): string | undefined =>
  found !== undefined && 'value' in found ? Buffer.from(found.value).toString() : undefined

/** A row of an answer, as far as it is looked at. */
interface Named {
  readonly key: string
}

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
  type Native = ReturnType<typeof fresh>['native']
  /** Put one row behind the store's back. */
  const putRow = async (
    native: Native,
    row: string | Buffer,
    cells: Record<string, string>,
    timestamp?: number,
  ) => {
    const Cell = Object.entries(cells).map(([column, value]) => ({
      column: base64(column),
      $: value,
      ...(timestamp === undefined ? {} : { timestamp }),
    }))
    const body = { Row: [{ key: Buffer.from(row).toString('base64'), Cell }] }
    expect((await native.request('PUT', `/${table}/row`, { body })).status).toBe(200)
  }
  const rowsOf = async (native: Native, dataset: string): Promise<readonly string[]> => {
    const range = `limit=1000&startrow=${dataset}:&endrow=${dataset};`
    const { body } = await native.request('GET', `/${table}/*?${range}`)
    const { Row } = JSON.parse(body.toString()) as { readonly Row: readonly Named[] }
    return Row.map(({ key }) =>
      Buffer.from(key, 'base64')
        .toString()
        .slice(dataset.length + 1),
    )
  }
  const listed = async (store: ReturnType<typeof fresh>, pageSize = 100): Promise<string[]> => {
    const keys: string[] = []
    for await (const page of store.scan({ prefix: '', pageSize, values: false }, callOptions()))
      keys.push(...page.entries.map(({ key }: { readonly key: string }) => key))
    return keys
  }

  test('a record that is written again right after its deletion is there', async () => {
    const dataset = freshDataset()
    const [one, other] = [fresh({ url, dataset }), fresh({ url, dataset })].map((store) => keyValue(store))
    if (one === undefined || other === undefined) throw new Error('two stores')
    for (let round = 0; round < 40; round++) {
      await one.set('k', bytes(`a ${round}`))
      await other.delete('k')
      expect(await one.get('k')).toBeUndefined()
      const { version } = await one.set('k', bytes(`b ${round}`), { ifVersion: null })
      expect(await other.getEntry('k')).toMatchObject({ version })
      await other.delete('k', { ifVersion: version })
      expect(await one.get('k')).toBeUndefined()
      await one.setMany([['k', bytes(`c ${round}`)]])
      expect(await other.get('k')).toEqual(bytes(`c ${round}`))
    }
  })

  test('an expired record gives way to a new one, and to no touch', async () => {
    const kv = keyValue(fresh({ url }))
    const { version } = await kv.set('k', bytes('old'), { ttlMs: 1 })
    await new Promise((done) => setTimeout(done, 5))
    expect(await kv.touch('k', { ttlMs: 1_000 })).toBe(false)
    await expect(kv.set('k', bytes('x'), { ifVersion: version })).rejects.toMatchObject({
      code: 'CONDITION_FAILED',
    })
    await kv.set('k', bytes('new'), { ifVersion: null })
    expect(await kv.get('k')).toEqual(bytes('new'))
  })

  test('a condition that the gateway answers a second time is known by its token', async () => {
    const store = fresh({ url })
    const version = newVersion()
    const set = { type: 'set', key: 'k', value: bytes('v'), version, ifVersion: null } as const
    expect(await store.write([set], callOptions())).toEqual([{ version }])
    expect(await store.write([set], callOptions())).toEqual([{ version }])
    const token = newVersion()
    const remove = { type: 'delete', key: 'k', version: token, ifVersion: version } as const
    expect(await store.write([remove], callOptions())).toEqual([{ version: token }])
    expect(await store.write([remove], callOptions())).toEqual([{ version: token }])
    expect(await store.write([{ ...remove, version: newVersion() }], callOptions())).toMatchObject([
      { conditionFailed: true },
    ])
  })

  describe('limits', () => {
    test('a key of the longest length works in every verb, a longer one is refused', async () => {
      const store = fresh({ url, dataset: `t${'x'.repeat(47)}` })
      const kv = keyValue(store)
      const { maxKeyBytes } = store.capabilities
      for (const character of ['k', '\u0004', '😀']) {
        const key = character.repeat(maxKeyBytes / Buffer.byteLength(character))
        await kv.set(key, bytes('v'))
        await kv.set(key, bytes('w'), { ifVersion: (await kv.getEntry(key))?.version ?? null })
        expect(await kv.getMany([key, `${character}`])).toEqual([bytes('w'), undefined])
        // Begins behind the key itself.
        const pages = store.scan({ prefix: key.slice(0, -2), pageSize: 1, values: true }, callOptions())
        const found: string[] = []
        for await (const page of pages) found.push(...page.entries.map((entry) => entry.key))
        expect(found).toEqual([key])
        await kv.delete(key)
        await expect(kv.set(`${key}k`, bytes('v'))).rejects.toMatchObject({ code: 'KEY_TOO_LONG' })
      }
    })

    test('a value of the longest length works, a longer one is refused before and by the server', async () => {
      const store = fresh({ url })
      const kv = keyValue(store, [], { timeoutMs: 30_000 })
      const { maxValueBytes, maxKeyBytes } = store.capabilities
      const value = Buffer.alloc(maxValueBytes, 7)
      const key = 'k'.repeat(maxKeyBytes)
      await kv.set(key, value)
      expect((await kv.get(key))?.length).toBe(maxValueBytes)
      await kv.delete(key)
      await expect(kv.set('k', Buffer.alloc(maxValueBytes + 1))).rejects.toMatchObject({
        code: 'VALUE_TOO_LARGE',
      })
      const wide = fresh({ url, maxValueBytes: 16 * 1024 * 1024 })
      await expect(
        keyValue(wide, [], { timeoutMs: 30_000 }).set('k', Buffer.alloc(10 * 1024 * 1024)),
      ).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' })
    })

    test('of connections and waiting requests: what is beyond is OVERLOADED', async () => {
      const store = fresh({ url, connectionLimit: 1, queueLimit: 2 })
      await store.read([{ key: 'k' }], callOptions())
      const results = await Promise.all(
        Array.from({ length: 6 }, async () => store.read([{ key: 'k' }], callOptions())),
      )
      const codes = results.map(([one]) => (isStoreError(one) ? one.code : one))
      expect(codes).toEqual([undefined, undefined, undefined, 'OVERLOADED', 'OVERLOADED', 'OVERLOADED'])
    })
  })

  describe('rows of others', () => {
    test('are not listed, are CORRUPT to a read, and other datasets stay apart', async () => {
      const dataset = freshDataset()
      const store = fresh({ url, dataset })
      const neighbours = [
        fresh({ url, dataset: `${dataset}x` }),
        fresh({ url, dataset: dataset.slice(0, -1) }),
      ]
      for (const one of [store, ...neighbours]) await keyValue(one).set('mine', bytes('v'))
      await putRow(store.native, `${dataset}:foreign`, { 'u:h': base64('no header'), 'u:b': base64('v') })
      await putRow(store.native, `${dataset}:other`, { 'u:x': base64('v') })
      await putRow(store.native, Buffer.concat([bytes(`${dataset}:`), Buffer.from([0xff, 0x01])]), {
        'u:h': base64('v'),
      })
      expect(await listed(store)).toEqual(['mine'])
      expect(await listed(store, 2)).toEqual(['mine'])
      const [foreign, other] = await store.read([{ key: 'foreign' }, { key: 'other' }], callOptions())
      expect(foreign).toMatchObject({ code: 'CORRUPT' })
      expect(other).toBeUndefined()
      const change = {
        type: 'set',
        key: 'foreign',
        value: bytes('v'),
        version: newVersion(),
        ifVersion: null,
      } as const
      expect(await store.write([change], callOptions())).toMatchObject([{ code: 'CORRUPT' }])
      await keyValue(store).clear({ all: true })
      for (const one of neighbours) expect(await listed(one)).toEqual(['mine'])
    })

    test('that fill a page with keys that are no text end the listing instead of cutting it short', async () => {
      const dataset = freshDataset()
      const store = fresh({ url, dataset })
      for (const n of [1, 2, 3])
        await putRow(store.native, Buffer.concat([bytes(`${dataset}:`), Buffer.from([0xff, n])]), {
          'u:h': 'AA==',
        })
      await expect(listed(store, 2)).rejects.toMatchObject({ code: 'CORRUPT' })
    })
  })

  describe('what deletions and expired records leave', () => {
    const old = Date.now() - 3_600_000

    test('is removed when a read or a listing meets it an hour later', async () => {
      const dataset = freshDataset()
      const store = fresh({ url, dataset })
      const kv = keyValue(store)
      await kv.set('live', bytes('v'))
      await kv.set('deleted', bytes('v'))
      await kv.delete('deleted')
      await putRow(store.native, `${dataset}:old`, { 'u:h': '', 'u:b': '' }, old)
      await putRow(store.native, `${dataset}:read`, { 'u:h': '', 'u:b': '' }, old)
      expect(await rowsOf(store.native, dataset)).toEqual(['deleted', 'live', 'old', 'read'])
      expect(await kv.get('read')).toBeUndefined()
      await vi.waitFor(async () =>
        expect(await rowsOf(store.native, dataset)).toEqual(['deleted', 'live', 'old']),
      )
      expect(await listed(store)).toEqual(['live'])
      await vi.waitFor(async () => expect(await rowsOf(store.native, dataset)).toEqual(['deleted', 'live']))
      await kv.set('old', bytes('again'))
      expect(await kv.get('old')).toEqual(bytes('again'))
    })

    test('is left alone if it was written again meanwhile', async () => {
      const dataset = freshDataset()
      const store = fresh({ url, dataset })
      const kv = keyValue(store)
      for (let round = 0; round < 10; round++) {
        await putRow(store.native, `${dataset}:k${round}`, { 'u:h': '', 'u:b': '' }, old)
        await Promise.all([kv.get(`k${round}`), kv.set(`k${round}`, bytes('new'))])
        await kv.set(`k${round}`, bytes('newer'), {
          ifVersion: (await kv.getEntry(`k${round}`))?.version ?? null,
        })
      }
      await store.close()
      const again = keyValue(fresh({ url, dataset }))
      for (let round = 0; round < 10; round++) expect(await again.get(`k${round}`)).toEqual(bytes('newer'))
    })
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
      { url, connectionLimit: 1.5 },
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
