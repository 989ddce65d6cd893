import { isStoreError, StoreError } from '@unikv/core'
import { isError, pause, performance } from '@unikv/core/platform'
import { Redis } from 'ioredis'

/** Where a queue is. */
export interface QueueAddress {
  /** For the client, with its password. */
  readonly url: string
  /** For messages, without user info. */
  readonly shown: string
}

/**
 * Read the URL of a queue: `redis://[user:password@]host[:port][/database]`, or the same with `rediss`, `valkey` or `valkeys`.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`, without the secrets of the URL
 */
export function queueAddress(text: string): QueueAddress {
  const found = URL.canParse(text) ? new URL(text) : undefined
  if (found === undefined || !/^(redis|valkey)s?:$/.test(found.protocol))
    throw wrong(`'${withoutSecrets(text)}' is not`)
  const shown = `${found.protocol}//${found.host}${found.pathname}`
  if (found.hostname === '' || found.search !== '' || found.hash !== '' || !/^\/?\d*$/.test(found.pathname))
    throw wrong(`'${shown}${found.search === '' ? '' : '?…'}${found.hash === '' ? '' : '#…'}' is not`)
  const user = found.username === '' && found.password === '' ? '' : `${found.username}:${found.password}@`
  const scheme = found.protocol.replace('valkey', 'redis')
  return { url: `${scheme}//${user}${found.host}${found.pathname}`, shown }
}

function wrong(what: string): StoreError {
  const message = `${what} the address of a queue. Write redis://HOST:PORT, or rediss:// for TLS; a user, a password and the number of a database may be in it.`
  return new StoreError('INVALID_ARGUMENT', message)
}

function withoutSecrets(text: string): string {
  return text.replace(/^([a-z][a-z\d+.-]*:(?:\/\/)?)?.*@/is, '$1').replace(/[?#].*$/s, '')
}

const connectMs = 10_000
/** Between two attempts to reach a server that was lost. */
const retryMs = 500
/** A command fails after so many of them. */
const mostRetries = 10

/** Commands wait for a lost server; those of a blocked connection for ever. */
export function connection({ url }: QueueAddress, isBlocking: boolean): Redis {
  const client = new Redis(url, {
    connectTimeout: connectMs,
    retryStrategy: () => retryMs,
    maxRetriesPerRequest: isBlocking ? null : mostRetries,
  })
  client.on('error', () => {}) // told by the commands, and by what BullMQ reports
  return client
}

/**
 * Whether a server of Redis answers there.
 *
 * @throws {StoreError} `UNAVAILABLE` or `ACCESS_DENIED` in one sentence
 */
export async function checkReachable({ url, shown }: QueueAddress): Promise<void> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: connectMs,
    commandTimeout: connectMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => undefined,
  })
  let cause: unknown
  client.on('error', (error) => {
    cause ??= error
  })
  try {
    await client.connect()
    await client.time()
  } catch (error) {
    throw unreachable(shown, cause ?? error)
  } finally {
    client.disconnect()
  }
}

function unreachable(shown: string, cause: unknown): StoreError {
  const said = saidBy(cause)
  if (/^(NOAUTH|WRONGPASS|NOPERM)|AUTH/.test(said))
    return new StoreError('ACCESS_DENIED', `The queue at ${shown} refused the credentials: ${said}.`, {
      cause,
    })
  if (/^(ERR|Protocol error|LOADING)/.test(said))
    return new StoreError('UNAVAILABLE', `The queue at ${shown} did not answer like Redis: ${said}.`, {
      cause,
    })
  const message = `The queue at ${shown} could not be reached: ${said}. Is Redis running there?`
  return new StoreError('UNAVAILABLE', message, { cause })
}

/** An error of a command to the queue. */
export function contactLost({ shown }: QueueAddress, cause: unknown): unknown {
  if (isStoreError(cause)) return cause
  return new StoreError('UNAVAILABLE', `The queue at ${shown} was lost: ${saidBy(cause)}.`, { cause })
}

/** The queue is in use. */
export function otherManager({ shown }: QueueAddress): StoreError {
  const message = `Another run uses the workers of ${shown}. Wait for its end, or use another database for this run and its workers, such as redis://HOST/1.`
  return new StoreError('UNAVAILABLE', message)
}

function saidBy(cause: unknown): string {
  return isError(cause) ? cause.message.replace(/[.\s]+$/, '') : String(cause)
}

/** Time of the server in milliseconds, the same on all machines that ask it. */
export async function timeOf(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time()
  return Number(seconds) * 1_000 + Number(micros) / 1_000
}

/** So many questions; the quickest answer tells the clock best. */
const probes = 8

/**
 * How far the clock of the server is ahead of `performance.now()`, in milliseconds. The error is at most half of the
 * quickest round trip.
 */
export async function clockOffset(redis: Redis): Promise<number> {
  let best = { tripMs: Infinity, offset: 0 }
  for (let turn = 0; turn < probes; turn++) {
    const sentAt = performance.now()
    const time = await timeOf(redis)
    const tripMs = performance.now() - sentAt
    if (tripMs < best.tripMs) best = { tripMs, offset: time - sentAt - tripMs / 2 }
  }
  return best.offset
}

/** Whether the server cannot be reached now. */
function isLost(redis: Redis): boolean {
  return redis.status !== 'ready'
}

/** Wait for work that needs the server, until it has settled or the server is lost: BullMQ would wait for ever. */
export async function settledOrLost(redis: Redis, work: Promise<unknown>): Promise<void> {
  let isSettled = false
  const settled = work
    .catch(() => {})
    .then(() => {
      isSettled = true
    })
  for (let turns = 0; !isSettled && turns < mostRetries; turns = isLost(redis) ? turns + 1 : 0)
    await Promise.race([settled, pause(retryMs, { ref: false })])
}
