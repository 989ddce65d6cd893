import { EventEmitter } from 'node:events'
import type { MongoClient } from 'mongodb'
import { expect, test } from 'vitest'
import { trusting } from '../src/client/trusting.ts'

const untrusted = Object.assign(new Error('as Node says it'), { code: 'CERT_HAS_EXPIRED' })
const refused = Object.assign(new Error('as Node says it'), { code: 'ECONNREFUSED' })

/** What `trusting` looks at of a client: its events, and what it knows of its servers. */
function clientOf(errors: Readonly<Record<string, Error | null>>) {
  const servers = new Map(Object.entries(errors).map(([address, error]) => [address, { address, error }]))
  const client = Object.assign(new EventEmitter(), {
    options: { credentials: undefined },
    topology: { description: { servers } },
  })
  const fail = (connectionId: string, failure: Error) =>
    client.emit('serverHeartbeatFailed', { connectionId, failure })
  return { client, fail }
}

/** What becomes of work that ends with its signal, or else when it is told to. */
async function outcome(
  { client }: ReturnType<typeof clientOf>,
  happen: () => unknown,
): Promise<{ readonly code?: string; readonly message?: string } | string> {
  const done = trusting(client as unknown as MongoClient, new AbortController().signal, (signal) => {
    const work = new Promise<string>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('ended')))
      setImmediate(() => resolve('found'))
    })
    happen()
    return work
  }).catch((error: { code: string; message: string }) => error)
  const result = await done
  expect(client.listenerCount('serverHeartbeatFailed')).toBe(0)
  return result
}

test('one server that is not trusted ends it, and is named', async () => {
  const only = clientOf({ 'a:1': null })
  expect(await outcome(only, () => only.fail('a:1', untrusted))).toMatchObject({
    code: 'UNAVAILABLE',
    retryable: false,
    message: expect.stringContaining('MongoDB at a:1 (CERT_HAS_EXPIRED)') as string,
  })
})

test('all of several end it, the first of them does not', async () => {
  const both = clientOf({ 'a:1': untrusted, 'b:1': null })
  expect(await outcome(both, () => both.fail('b:1', untrusted))).toMatchObject({ code: 'UNAVAILABLE' })
  const first = clientOf({ 'a:1': null, 'b:1': null })
  expect(await outcome(first, () => first.fail('a:1', untrusted))).toBe('found')
})

test('a member beside a server that answers does not, nor what may pass', async () => {
  const discovered = clientOf({ 'seed:1': null, 'member:1': null })
  expect(await outcome(discovered, () => discovered.fail('member:1', untrusted))).toBe('found')
  const down = clientOf({ 'a:1': null })
  expect(await outcome(down, () => down.fail('a:1', refused))).toBe('found')
})
