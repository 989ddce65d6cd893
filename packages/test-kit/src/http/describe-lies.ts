import type { IncomingMessage } from 'node:http'
import { type Bytes, type Capabilities, isStoreError, type KeyValue, keyValue, type Store } from '@unikv/core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { apart } from '../calls.ts'
import type { HttpLie } from './lie.ts'
import { halfAnswers, otherAnswers, otherBodies } from './lies.ts'
import { type LyingProxy, lyingProxy } from './lying-proxy.ts'

/** A store that speaks HTTP, to be lied to. */
export interface LiedTo {
  /** The server. */
  readonly url: string
  /** A store over a dataset of its own at this URL, which leads through the proxy. */
  readonly open: (url: string) => Store<Bytes> | Promise<Store<Bytes>>
  /** Whether a request changes something. */
  readonly isWrite: (request: IncomingMessage) => boolean
  /** Lies to writes that are what the server itself would have said, such as `no content to delete`. */
  readonly believes?: readonly string[]
}

/** The capabilities that all these stores have. */
interface Able extends Capabilities {
  readonly scan: { readonly order: 'none'; readonly delivery: 'at-least-once'; readonly prefix: 'filtered' }
  readonly conditionalRead: true
  readonly ttl: { readonly kind: 'lazy'; readonly precisionMs: 1 }
}

type Kv = KeyValue<string, Bytes, Able>
/** How a read may end that was lied to; `has` of what is there may be told by what is known. */
const failed = /: (UNAVAILABLE|CORRUPT|TIMEOUT)$/

type Calls = Readonly<Record<string, (kv: Kv) => Promise<unknown>>>

const value = Buffer.from('the value of a record')
const wrongVersion = '0'.repeat(24)

const reads: Calls = {
  get: (kv) => kv.get('k'),
  has: (kv) => kv.has('k'),
  getEntry: (kv) => kv.getEntry('k'),
  revalidate: (kv) => kv.revalidate('k', wrongVersion),
  getMany: (kv) => kv.getMany(['k', 'l']),
  count: (kv) => kv.count(),
  entries: (kv) => listed(kv),
  clear: (kv) => kv.clear({ prefix: 'k' }),
}

const writes: Calls = {
  set: (kv) => kv.set('set', value),
  'set for a time': (kv) => kv.set('set for a time', value, { ttlMs: 3_600_000 }),
  setMany: (kv) => kv.setMany(['set 1', 'set 2'].map((key) => [key, value] as const)),
  delete: (kv) => kv.delete('d'),
  deleteMany: (kv) => kv.deleteMany(['d 1', 'd 2']),
}

/** Each call ends in time all the same; those that are met by silence use it up. */
const timeoutMs = 1_000

/** Registers tests: what a store is told instead of the truth is an error, and what it is told next is right. */
export function describeLies({ url, open, isWrite, believes = [] }: LiedTo): void {
  let proxy: LyingProxy
  let store: Store<Bytes>
  let kv: Kv
  beforeAll(async () => {
    proxy = await lyingProxy(new URL(url))
    const through = new URL(url)
    through.hostname = '127.0.0.1'
    through.port = String(proxy.port)
    store = await open(through.href)
    kv = opened(60_000)
    for (const key of ['k', 'l']) await kv.set(key, value)
  })
  afterEach(() => proxy.tell(undefined))
  afterAll(async () => {
    await store.close()
    proxy.close()
  })

  /** The outcome of each call while this is told to the requests that it concerns. */
  async function toldOf(lie: HttpLie, concerns: (request: IncomingMessage) => boolean, calls: Calls) {
    proxy.tell(lie, concerns)
    const told = await Promise.all(
      Object.entries(calls).map(async ([name, call]) => {
        const codes = await codesIn(call(opened(timeoutMs)))
        return codes.map((code) => `${name}: ${code}`)
      }),
    )
    proxy.tell(undefined)
    expect(await kv.get('k')).toEqual(value)
    // A connection that may be out of step is not used again.
    await vi.waitFor(() => expect(proxy.halfAnswered).toBe(0), 10_000)
    return told.flat()
  }

  const opened = (ms: number) => keyValue(store, [], { ...apart, timeoutMs: ms }) as unknown as Kv

  describe.each([...halfAnswers, ...otherAnswers, ...otherBodies])('$title', (lie) => {
    test('to a read is an error, never a miss, an empty listing or a default', async () => {
      const told = await toldOf(lie, (request) => !isWrite(request), reads)
      expect(told.filter((one) => !one.endsWith(': took true') && !failed.test(one))).toEqual([])
    })
  })

  describe.each([...halfAnswers, ...otherAnswers])('$title', (lie) => {
    test('to a write leaves its outcome unknown', async () => {
      for (const key of ['d', 'd 1', 'd 2']) await kv.set(key, value)
      const told = await toldOf(lie, isWrite, writes)
      const wrong = told.filter((one) => !one.endsWith(': OUTCOME_UNKNOWN'))
      expect(wrong.filter((one) => !believes.includes(`${lie.title} to ${one.split(':')[0]}`))).toEqual([])
    })
  })
}

async function listed(kv: Kv): Promise<number> {
  let count = 0
  for await (const _ of kv.entries()) count++
  return count
}

/** The code of each result of a call, thrown or not. */
async function codesIn(work: Promise<unknown>): Promise<readonly string[]> {
  const told = await work.catch((error: unknown) => (error as { results?: unknown }).results ?? error)
  return [told].flat().map((one) => (isStoreError(one) ? one.code : `took ${String(JSON.stringify(one))}`))
}
