import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keyValue } from '@unikv/core'
import { codeOf } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterEach, expect, test } from 'vitest'
import type { SwiftV1Auth } from '../src/index.ts'
import { authOf, swiftBench } from './swift-bench.ts'

const value = Buffer.from('value')

describeWith('swift', (url) => {
  const bench = swiftBench(url)
  /** Methods that are not passed on, each so many times; answered by 404, HEAD by `headLie`. */
  const lies = new Map<string, number>()
  let headLie = 503
  /** Whether they are told in the name of Swift, or by someone in between. */
  let isOwn = true
  const ends: (() => void)[] = []
  afterEach(() => {
    for (const end of ends.splice(0)) end()
    lies.clear()
    headLie = 503
    isOwn = true
  })

  /** A store whose requests pass through a server that says of an object, at times, that it is not there. */
  async function doubtful() {
    const { storageUrl } = await signedIn()
    const server = createServer((incoming, answer) => {
      const { method = '', url: path, headers } = incoming
      const left = lies.get(method) ?? 0
      lies.set(method, left - 1)
      if (left > 0) {
        incoming.resume()
        answer.writeHead(method === 'HEAD' ? headLie : 404, isOwn ? { 'x-trans-id': 'tx0' } : {}).end('[]')
        return
      }
      const passed = request(storageUrl, { method, path, headers }, (answered) => {
        answer.writeHead(answered.statusCode ?? 0, answered.headers)
        if (method === 'HEAD') answer.end()
        else answered.pipe(answer)
      })
      // What Swift sends after the head of a container is no answer.
      passed.on('error', () => answer.end())
      incoming.pipe(passed)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    ends.push(() => server.close())
    const through = new URL(storageUrl)
    through.port = String((server.address() as AddressInfo).port)
    return keyValue(bench.store({ storageUrl: through }))
  }

  async function signedIn() {
    const { v1 } = authOf(url) as { v1: SwiftV1Auth }
    const asked = await fetch(v1.url, { headers: { 'x-auth-user': v1.user, 'x-auth-key': v1.key } })
    return { storageUrl: asked.headers.get('x-storage-url') as string }
  }

  test('one 404 for a record that is there is no miss', async () => {
    const kv = await doubtful()
    const { version } = await kv.set('key', value)
    lies.set('GET', 1)
    expect(await kv.get('key')).toEqual(value)
    lies.set('GET', 1)
    expect(await kv.has('key')).toBe(true)
    lies.set('GET', 1)
    expect(await kv.revalidate('key', version as string)).toMatchObject({ notModified: true })
    lies.set('GET', 2)
    expect(await kv.get('key')).toBeUndefined()
  })

  test('a delete that found nothing, of a record that is there, may have removed another one', async () => {
    const kv = await doubtful()
    await kv.set('key', value)
    lies.set('DELETE', 1)
    expect(await codeOf(kv.delete('key'))).toBe('OUTCOME_UNKNOWN')
    expect(await kv.get('key')).toEqual(value)
    await kv.delete('key')
    expect(await kv.get('key')).toBeUndefined()
  })

  test('a delete that found nothing, and then no answer, is of unknown outcome', async () => {
    const kv = await doubtful()
    await kv.set('key', value)
    lies.set('DELETE', 1)
    lies.set('HEAD', 1)
    expect(await codeOf(kv.delete('key'))).toBe('OUTCOME_UNKNOWN')
    expect(await kv.get('key')).toEqual(value)
  })

  test('a touch or set that found nothing has changed nothing', async () => {
    const kv = await doubtful()
    await kv.set('key', value)
    lies.set('POST', 1)
    expect(await codeOf(kv.touch('key', { ttlMs: 60_000 }))).toBe('UNAVAILABLE')
    lies.set('PUT', 1)
    expect(await codeOf(kv.set('key', Buffer.from('other')))).toBe('UNAVAILABLE')
    expect(await kv.getEntry('key')).toMatchObject({ value, expiresAt: undefined })
  })

  test('a 404 of someone in between is neither a miss nor an empty listing', async () => {
    const kv = await doubtful()
    await kv.set('key', value)
    isOwn = false
    lies.set('GET', 99)
    for (const read of [
      () => kv.get('key'),
      () => kv.has('key'),
      () => kv.getMany(['key', 'other']),
      () => kv.count(),
      () => kv.set('key', value, { ttlMs: 'keep' }),
    ])
      expect(await codeOf(read())).toMatch(/^(UNAVAILABLE|PARTIAL)$/)
    lies.clear()
    expect(await kv.get('key')).toEqual(value)
  })

  test('a 404 of someone in between to a write leaves its outcome unknown', async () => {
    const kv = await doubtful()
    await kv.set('key', value)
    isOwn = false
    for (const [method, write] of [
      ['PUT', () => kv.set('key', Buffer.from('other'))],
      ['DELETE', () => kv.delete('absent')],
      ['POST', () => kv.touch('key', { ttlMs: 60_000 })],
    ] as const) {
      lies.set(method, 1)
      expect(await codeOf(write())).toBe('OUTCOME_UNKNOWN')
    }
  })

  test('a 404 of someone in between to the first look is no missing container', async () => {
    isOwn = false
    headLie = 404
    lies.set('HEAD', 1)
    expect(await codeOf((await doubtful()).set('key', value))).toBe('UNAVAILABLE')
  })

  test('a container that is found again, as its server comes back, is no missing one', async () => {
    const kv = await doubtful()
    await kv.set('key', value)
    headLie = 404
    lies.set('PUT', 1)
    lies.set('HEAD', 1)
    expect(await codeOf(kv.set('key', Buffer.from('other')))).toBe('UNAVAILABLE')
    expect(await kv.get('key')).toEqual(value)
    lies.set('PUT', 1)
    lies.set('HEAD', 3)
    expect(await codeOf(kv.set('key', Buffer.from('other')))).toBe('NOT_PREPARED')
  })
})
