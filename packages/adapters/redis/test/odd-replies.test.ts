import { isStoreError, type KeyValue, keyValue } from '@unikv/core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type RedisCapabilities, redis } from '../src/index.ts'
import { bytes, track } from './fresh.ts'
import { type LyingServer, lyingServer } from './lying-server.ts'

type Kv = KeyValue<string, Uint8Array, RedisCapabilities<'bytes', 'memory', false>>

const version = '0123456789abcdef01234567'
const strange = Buffer.from('fedcba9876543210fedcba98', 'hex').toString('latin1')
const value = bytes('v')
const hour = { ttlMs: 3_600_000 }
const pairs = ['a', 'b'].map((key) => [key, value] as const)

const replies: Readonly<Record<string, string>> = {
  ok: '+OK\r\n',
  'another word': '+QUEUED\r\n',
  nil: '$-1\r\n',
  'nil of RESP3': '_\r\n',
  'no string': '$0\r\n\r\n',
  'a string': '$5\r\nhello\r\n',
  'a version': `$12\r\n${strange}\r\n`,
  zero: ':0\r\n',
  one: ':1\r\n',
  two: ':2\r\n',
  'a negative number': ':-1\r\n',
  'a large number': ':9007199254740993\r\n',
  'a double': ',1.5\r\n',
  true: '#t\r\n',
  'no array': '*0\r\n',
  'nil array': '*-1\r\n',
  'one nil': '*1\r\n$-1\r\n',
  'three nils': '*3\r\n$-1\r\n$-1\r\n$-1\r\n',
  'an array of OK': '*1\r\n$2\r\nOK\r\n',
  'an array of a version': `*1\r\n$12\r\n${strange}\r\n`,
  'a pair of a version': `*2\r\n$12\r\n${strange}\r\n$1\r\n7\r\n`,
  'an array of numbers': '*2\r\n:1\r\n:2\r\n',
  'nested arrays': '*2\r\n*0\r\n*0\r\n',
  'a page that leads to itself': '*2\r\n$1\r\n5\r\n*0\r\n',
  map: '%1\r\n$1\r\na\r\n$1\r\nb\r\n',
  set: '~1\r\n$1\r\na\r\n',
}

/** Operations, and the replies that are right for them. */
const operations: readonly (readonly [
  name: string,
  run: (kv: Kv) => Promise<unknown>,
  right: readonly string[],
])[] = [
  ['get', (kv) => kv.get('a'), ['nil', 'nil of RESP3', 'nil array']],
  ['getMany', (kv) => kv.getMany(['a', 'b']), []],
  ['has', (kv) => kv.has('a'), ['one nil']],
  ['revalidate', (kv) => kv.revalidate('a', version), ['one nil']],
  ['set', (kv) => kv.set('a', value), ['ok']],
  ['set for a time', (kv) => kv.set('a', value, hour), ['ok']],
  ['set if absent', (kv) => kv.set('a', value, { ifVersion: null }), []],
  ['set of a version', (kv) => kv.set('a', value, { ifVersion: version }), []],
  ['set that keeps the expiry', (kv) => kv.set('a', value, { ttlMs: 'keep' }), []],
  ['setMany', (kv) => kv.setMany(pairs), ['ok']],
  ['setMany for a time', (kv) => kv.setMany(pairs, hour), []],
  ['delete', (kv) => kv.delete('a'), ['zero', 'one', 'true']],
  ['delete of a version', (kv) => kv.delete('a', { ifVersion: version }), []],
  ['deleteMany', (kv) => kv.deleteMany(['a', 'b']), []],
  ['touch', (kv) => kv.touch('a', hour), ['no string']],
  ['increment', (kv) => kv.increment('a'), []],
  [
    'keys',
    async (kv) => {
      for await (const _ of kv.keys());
    },
    [],
  ],
  ['count', (kv) => kv.count(), []],
  ['clear', (kv) => kv.clear({ all: true }), []],
]
const writing = /set|delete|touch|increment/

describe.each(['ioredis', 'node-redis'] as const)('odd replies by %s', (driver) => {
  let server: LyingServer
  beforeAll(async () => {
    server = await lyingServer()
  })
  afterEach(() => {
    server.reply = '$-1\r\n'
  })
  afterAll(() => server.close())
  const open = (settings: object = {}): Kv =>
    keyValue(track(redis({ url: server.url, driver })), [], settings)

  test.each(operations)('%s takes no other reply than its own', async (name, run, right) => {
    for (const [reply, text] of Object.entries(replies)) {
      if (right.includes(reply)) continue
      const kv = open()
      server.reply = text
      const answer = await run(kv).catch((error: unknown) => error)
      const errors = isStoreError(answer) && answer.code === 'PARTIAL' ? answer.results : [answer].flat()
      for (const error of errors ?? [])
        expect(isStoreError(error) ? error.code : error, `${name}: ${reply}`).toMatch(codesOf(name))
      await kv.close()
    }
  })

  test('a connection with a reply that does not fit is not used again', async () => {
    const kv = open()
    expect(await kv.get('a')).toBeUndefined()
    const before = server.connections
    server.reply = ':1\r\n'
    await expect(kv.get('a')).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true })
    server.reply = '$-1\r\n'
    expect(await kv.get('a')).toBeUndefined()
    expect(server.connections).toBe(before + 1)
  })

  test('a connection on which a call timed out in silence, after half a reply, is not used again', async () => {
    const kv = open({ timeoutMs: 2_000 })
    expect(await kv.get('a')).toBeUndefined()
    server.reply = '$100\r\nhalf'
    await expect(kv.get('a')).rejects.toMatchObject({ code: expect.stringMatching(/TIMEOUT|UNAVAILABLE/) })
    server.reply = '$-1\r\n'
    expect(await kv.get('a')).toBeUndefined()
  })
})

/** A condition that failed is told with the version that was found, so that it can be read again. */
function codesOf(name: string): RegExp {
  if (name === 'clear') return /^(UNAVAILABLE|CORRUPT)$/
  if (name.includes(' of a version') || name === 'set if absent')
    return /^(OUTCOME_UNKNOWN|CONDITION_FAILED)$/
  return writing.test(name) ? /^OUTCOME_UNKNOWN$/ : /^(UNAVAILABLE|CORRUPT)$/
}
