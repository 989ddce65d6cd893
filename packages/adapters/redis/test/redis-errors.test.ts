import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { inspect } from 'node:util'
import { StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { expect, test } from 'vitest'
import { translate, unreachable } from '../src/errors.ts'
import { redis } from '../src/index.ts'

/** An error as ioredis gives it: with all arguments of the command. */
function reply(message: string, name = 'ReplyError'): Error {
  return Object.assign(new Error(message), { name, command: { name: 'auth', args: ['planted-secret'] } })
}

test('what the server says decides the code, for reads and writes alike', () => {
  const codes: Readonly<Record<string, string>> = {
    "OOM command not allowed when used memory > 'maxmemory'.": 'STORE_FULL',
    'NOAUTH Authentication required.': 'ACCESS_DENIED',
    'WRONGPASS invalid username-password pair or user is disabled.': 'ACCESS_DENIED',
    "NOPERM this user has no permissions to run the 'set' command": 'ACCESS_DENIED',
    'DENIED Redis is running in protected mode': 'ACCESS_DENIED',
    'ERR invalid password': 'ACCESS_DENIED',
    "READONLY You can't write against a read only replica.": 'UNAVAILABLE',
    'LOADING Redis is loading the dataset in memory': 'UNAVAILABLE',
    'CLUSTERDOWN Hash slot not served': 'UNAVAILABLE',
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.": 'UNAVAILABLE',
    'MOVED 1 127.0.0.1:7000': 'UNAVAILABLE',
    'TRYAGAIN Multiple keys request during rehashing of slot': 'UNAVAILABLE',
    'BUSY Redis is busy running a script.': 'UNAVAILABLE',
    'MISCONF Redis is configured to save RDB snapshots': 'UNAVAILABLE',
    'NOREPLICAS Not enough good replicas to write.': 'UNAVAILABLE',
    'constructor is no word of Redis': 'UNAVAILABLE',
    'ERR something new': 'UNAVAILABLE',
    'WRONGTYPE Operation against a key holding the wrong kind of value': 'CORRUPT',
    'ERR max number of clients reached': 'OVERLOADED',
    'ERR Protocol error: invalid bulk length': 'VALUE_TOO_LARGE',
    'ERR string exceeds maximum allowed size (proto-max-bulk-len)': 'VALUE_TOO_LARGE',
    'ERR syntax error': 'UNSUPPORTED',
  }
  for (const [message, code] of Object.entries(codes)) {
    expect(translate(reply(message), true), message).toMatchObject({ code })
    expect(translate(reply(message), false), message).toMatchObject({ code })
  }
})

test('an answer that never came is unknown for a write, unless it was certainly not sent', () => {
  const sent = [
    'Connection is closed.',
    'Command timed out',
    'Command aborted due to connection close',
    'read ECONNRESET',
    'anything else',
    'Too many Cluster redirections. Last error: Error: Connection is closed.',
  ]
  for (const message of sent) {
    expect(translate(reply(message, 'Error'), true), message).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      retryable: false,
    })
    expect(translate(reply(message, 'Error'), false), message).toMatchObject({
      code: 'UNAVAILABLE',
      retryable: true,
    })
  }
  const unsent = [
    "Stream isn't writeable and enableOfflineQueue options is false",
    "Cluster isn't ready and enableOfflineQueue options is false",
    'Connection in subscriber mode, only subscriber commands may be used',
    "Connection is in monitoring mode, can't process commands.",
    'Too many Cluster redirections. Last error: ReplyError: MOVED 1 127.0.0.1:1',
  ]
  for (const message of unsent)
    expect(translate(reply(message, 'Error'), true), message).toMatchObject({ code: 'UNAVAILABLE' })
})

test.each(['ioredis', 'node-redis'] as const)(
  'by %s, a server of HTTP is told not to be Redis',
  async (driver) => {
    const web = createServer((socket) => {
      socket.on('error', () => {})
      socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n')
    })
    web.listen(0, '127.0.0.1')
    await once(web, 'listening')
    const address = `127.0.0.1:${(web.address() as AddressInfo).port}`
    const store = redis({ url: `redis://u:planted-secret@${address}`, driver })
    const failed = await Promise.resolve(store.read([{ key: 'k' }], callOptions())).then(
      ([result]) => result,
      (error: unknown) => error,
    )
    expect(failed).toMatchObject({
      code: 'UNAVAILABLE',
      message: `Redis at ${address} was reached, but what is there did not answer as Redis does. Check host and port, and whether it needs TLS (rediss://).`,
    })
    expect(inspect(failed)).not.toContain('planted-secret')
    await store.close?.()
    web.close()
  },
)

test('nothing that a command carried is in an error', () => {
  const unknown = reply(
    "ERR unknown command 'MSET', with args beginning with: 'planted-secret' 'planted-secret' ",
  )
  for (const error of [
    translate(unknown, true),
    translate(unknown, false),
    unreachable('h:1', unknown),
    translate('planted-secret', true),
    translate({ secret: 'planted-secret' }, true),
  ]) {
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('planted-secret')
    expect(error.message).not.toContain('planted-secret')
  }
  expect(translate(unknown, true)).toMatchObject({
    code: 'UNSUPPORTED',
    cause: expect.objectContaining({ message: "ERR unknown command 'MSET'" }),
  })
})

test('a StoreError stays what it is, and a nameless failure to connect tells its code', () => {
  const error = new StoreError('CLOSED', 'closed')
  expect(translate(error, true)).toBe(error)
  expect(unreachable('h:1', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })).message).toBe(
    'Redis at h:1 could not be reached: ECONNREFUSED.',
  )
  expect(unreachable('h:1', reply('WRONGPASS no')).code).toBe('ACCESS_DENIED')
})
