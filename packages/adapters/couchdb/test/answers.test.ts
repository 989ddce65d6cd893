import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { keyValue, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { codeOf } from '@unikv/test-kit'
import { afterEach, describe, expect, test } from 'vitest'
import { type CouchdbDurability, couchdb } from '../src/index.ts'

const value = Buffer.from('value')

interface Sent {
  readonly _id: string
  readonly expires_at?: number
}

/** A status and what is answered as JSON. */
type Answer = readonly [number, unknown?]

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** The requests of CouchDB that are needed here, with one document and answers that no server at hand gives. */
async function playedCouchdb() {
  const played = {
    url: '',
    /** Whether a write takes until what it writes has expired. */
    isLate: false,
    /** Whether fewer copies than the quorum take a write. */
    accepted: false,
    /** Whether requests with several documents are too large. */
    refusesBatches: false,
    sent: [] as Sent[],
  }
  let writes = 0
  const written = async (request: IncomingMessage): Promise<Answer> => {
    const { docs } = JSON.parse(await text(request)) as { readonly docs: readonly Sent[] }
    const lastsUntil = Math.max(...docs.map((doc) => doc.expires_at ?? 0))
    if (played.isLate) await pause(Math.max(0, lastsUntil + 20 - Date.now()))
    if (docs.length > 1 && played.refusesBatches) return [413, { error: 'too_large' }]
    played.sent.push(...docs)
    const accepted = played.accepted ? { accepted: true } : {}
    const outcomes = docs.map(({ _id: id }) => ({ ok: true, id, rev: `${++writes}-a`, ...accepted }))
    return [played.accepted ? 202 : 201, outcomes]
  }
  const answerOf = async (request: IncomingMessage): Promise<Answer> => {
    if (request.url === '/db/_bulk_docs') return written(request)
    if (request.url === '/db') return [200, { doc_count: 1 }]
    if (request.url === '/db/_design/unikv') return [200, { unikv: '1 bytes' }]
    return request.headers['if-none-match'] === `"${writes}-a"` ? [304] : [404, { reason: 'missing' }]
  }
  const server = createServer((request, response) => {
    void answerOf(request).then(([status, said]) => response.writeHead(status).end(JSON.stringify(said)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  played.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/db`
  ends.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return played
}

describe('an expiry that is kept and passes while the write is under way', () => {
  test('is what is known of the record afterwards', async () => {
    const played = await playedCouchdb()
    const kv = keyValue(couchdb({ url: played.url }))
    await kv.set('key', value, { ttlMs: 2_000 })
    played.isLate = true
    const { version } = await kv.set('key', value, { ttlMs: 'keep' })
    expect(played.sent[1]?.expires_at).toBe(played.sent[0]?.expires_at)
    expect(await kv.has('key')).toBe(false)
    expect(await kv.revalidate('key', version as string)).toBeUndefined()
    await kv.close()
  })

  test('is sent again, by itself, though its condition would no longer hold', async () => {
    const played = await playedCouchdb()
    const store = couchdb({ url: played.url })
    const { version: ifVersion } = await keyValue(store).set('key', value, { ttlMs: 2_000 })
    played.isLate = true
    played.refusesBatches = true
    const set = { type: 'set', value } as const
    const kept = { ...set, key: 'key', version: newVersion(), ifVersion, expiresAt: 'keep' } as const
    await store.write([kept, { ...set, key: 'other', version: newVersion() }], callOptions())
    expect(played.sent).toHaveLength(3)
    expect(played.sent[1]?.expires_at).toBe(played.sent[0]?.expires_at)
    await store.close()
  })
})

describe('a write that fewer copies than the quorum took', () => {
  test.each<[CouchdbDurability, string | undefined]>([
    ['replicated', 'OUTCOME_UNKNOWN'],
    ['flushed', undefined],
    ['memory', undefined],
  ])('with durability %s ends with %s', async (durability, code) => {
    const played = await playedCouchdb()
    const kv = keyValue(couchdb({ url: played.url, durability }))
    await kv.set('key', value)
    played.accepted = true
    expect(await codeOf(kv.set('key', value))).toBe(code)
    expect(await codeOf(kv.set('new', value, { ifVersion: null }))).toBe('OUTCOME_UNKNOWN')
    await kv.close()
  })
})
