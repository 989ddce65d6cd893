import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keyValue } from '@unikv/core'
import { codeOf } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterEach, expect, test } from 'vitest'
import { freshPrefix, swiftBench } from './swift-bench.ts'

describeWith('swift', (url) => {
  const bench = swiftBench(url)
  const ends: (() => void)[] = []
  afterEach(() => {
    for (const end of ends.splice(0)) end()
  })

  /** The address of an account behind a proxy, which counts listings and may take `reverse` out of them. */
  async function behindProxy(account: string, ignoresReverse: boolean) {
    const { origin, pathname } = new URL(account)
    const seen = { storageUrl: '', listings: 0 }
    const server = createServer(async (incoming, answer) => {
      const { method = '', url: path = '' } = incoming
      const asked = new URL(path, origin)
      if (asked.searchParams.has('limit')) seen.listings++
      if (ignoresReverse) asked.searchParams.delete('reverse')
      const headers = { 'x-auth-token': String(incoming.headers['x-auth-token']) }
      const answered = await fetch(asked, { method, headers })
      const body = Buffer.from(await answered.arrayBuffer())
      answer.writeHead(answered.status, { 'x-trans-id': answered.headers.get('x-trans-id') ?? '' }).end(body)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    ends.push(() => {
      server.close()
      server.closeAllConnections()
    })
    seen.storageUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`
    return seen
  }

  async function filled(ignoresReverse: boolean) {
    const prefix = freshPrefix()
    const store = bench.store({ prefix })
    await keyValue(store).setMany(['a', 'b', 'c', 'd'].map((key) => [key, Buffer.from(key)] as const))
    const account = (await store.native.fetch('')).url
    const seen = await behindProxy(account, ignoresReverse)
    return { seen, kv: keyValue(bench.store({ prefix, storageUrl: seen.storageUrl })) }
  }

  async function collect(listing: AsyncIterable<string>): Promise<string[]> {
    const keys: string[] = []
    for await (const key of listing) keys.push(key)
    return keys
  }

  test('a listing in reverse is one request a page, and two where the range is empty', async () => {
    const { seen, kv } = await filled(false)
    expect(await collect(kv.keys({ reverse: true, limit: 2 }))).toEqual(['d', 'c'])
    expect(seen.listings).toBe(1)
    expect(await collect(kv.keys({ reverse: true, prefix: 'e' }))).toEqual([])
    expect(seen.listings).toBe(3)
  })

  test.each([{}, { limit: 1 }, { lt: 'c' }, { gte: 'b', lt: 'd' }, { prefix: 'a' }])(
    'a service that ignores reverse, as Ceph does, is refused: neither empty nor in the wrong order: %j',
    async (range) => {
      const { kv } = await filled(true)
      expect(await codeOf(collect(kv.keys({ ...range, reverse: true })))).toBe('UNSUPPORTED')
      expect(await collect(kv.keys({ reverse: true, prefix: 'e' }))).toEqual([])
    },
  )
})
