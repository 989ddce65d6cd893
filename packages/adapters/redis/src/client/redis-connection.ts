import type { CallOptions } from '@unikv/core'
import { leftMs, StoreError } from '@unikv/core/adapter'
import { clearTimeout, isError, setImmediate, setTimeout, unwatch, watch } from '@unikv/core/platform'
import { isSelected, select } from '../database.ts'
import { endedAtOnce, unreachable } from '../errors.ts'
import { addressOf, addressText, type RedisConnection } from './redis-client.ts'

/** Whether a command would go out at once. A stream that is no longer writable has a `close` on its way. */
export function isReady(connection: RedisConnection): boolean {
  return isOpen(connection) && isSelected(connection)
}

function isOpen({ status, stream }: RedisConnection): boolean {
  return status === 'ready' && stream?.writable !== false
}

/** Opens connections when they are needed, one attempt at a time for each, and keeps calls waiting no longer than they may. */
export class Dialer {
  readonly #connectTimeoutMs: number | undefined
  readonly #attempts = new WeakMap<RedisConnection, Promise<void>>()
  /** The connections are ours to open again after they ended. */
  readonly #ours: boolean
  #stopped = false

  /** `connectTimeoutMs`: how long one of ours may take to open, the first words with its server included. */
  constructor(ours: boolean, connectTimeoutMs?: number) {
    this.#ours = ours
    this.#connectTimeoutMs = connectTimeoutMs
  }

  /**
   * Resolve when commands can be sent.
   *
   * @throws {StoreError} `UNAVAILABLE`, `ACCESS_DENIED`, `TIMEOUT` or `ABORTED`; nothing was sent
   */
  async ready(connection: RedisConnection, call: CallOptions): Promise<void> {
    // An attempt that began before this call may fail for a reason that is gone.
    const begun = this.#attempts.get(connection)?.catch(() => {})
    const awaited = awaitedOf(connection)
    if (begun !== undefined) await inTime(begun, call, awaited)
    if (!isReady(connection)) await inTime(this.#attempt(connection), call, awaited)
  }

  /** Open nothing any more. */
  stop(): void {
    this.#stopped = true
  }

  #attempt(connection: RedisConnection): Promise<void> {
    let attempt = this.#attempts.get(connection)
    if (attempt === undefined) {
      const mayConnect = () => !this.#stopped && (this.#ours || connection.status === 'wait')
      const timeoutMs = this.#ours ? this.#connectTimeoutMs : undefined
      attempt = dial(connection, mayConnect, timeoutMs).finally(() => this.#attempts.delete(connection))
      this.#attempts.set(connection, attempt)
    }
    return attempt
  }
}

/** Until the connection is ready or has failed once. It tells by events: the promise of `connect` hides the reason. */
function dial(
  connection: RedisConnection,
  mayConnect: () => boolean,
  timeoutMs: number | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // The drivers limit the time until there is a socket, not that of the first words with the server.
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => expire(), timeoutMs).unref()
    let reason: unknown = new Error(endedAtOnce)
    let tried = false
    const settle = (done: () => void) => {
      clearTimeout(timer)
      for (const [event, listener] of Object.entries(listeners)) connection.off(event, listener)
      done()
    }
    const fail = () => settle(() => reject(unreachable(addressText(connection), reason)))
    const expire = () => {
      reason = Object.assign(new Error('opening the connection took too long'), { code: 'ETIMEDOUT' })
      fail()
      connection.disconnect()
    }
    const begin = () => {
      if (tried || !mayConnect()) return fail()
      tried = true
      connection.connect().catch(() => {})
    }
    const choose = () =>
      void select(connection).then(
        () => settle(resolve),
        (error: unknown) => {
          // Any other end of the connection tells of itself.
          if (isReplyError(error)) settle(() => reject(unreachable(addressText(connection), error)))
        },
      )
    // An event may come late: what counts is the status now.
    const look = () => {
      const { status } = connection
      if (status === 'wait' || status === 'end') begin()
      else if (status === 'reconnecting') fail()
      else if (isReady(connection)) settle(resolve)
      else if (isOpen(connection)) choose()
      // On its way to `end`, unless it is a cluster client that lost its last node twice: that stays so.
      else if (status === 'close') setImmediate(() => connection.status === 'close' && begin())
    }
    const listeners = {
      error: (error?: unknown) => {
        reason = reasonOf(error)
      },
      ready: look,
      close: look,
      end: look,
    }
    for (const [event, listener] of Object.entries(listeners)) connection.on(event, listener)
    if (connection.status !== 'reconnecting') look()
  })
}

const mostHangUpMs = 1_000

/** Close a connection, and resolve when nothing of it is left (or when a name server does not let go of it). */
export async function hangUp(connection: RedisConnection): Promise<void> {
  if (isEnded(connection)) return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, mostHangUpMs)
    connection.on('end', () => {
      clearTimeout(timer)
      resolve()
    })
    connection.disconnect()
  })
}

/** Also a cluster client that stays at `close`. */
function isEnded({ status }: RedisConnection): boolean {
  return status === 'end' || status === 'close'
}

function isReplyError(error: unknown): boolean {
  return isError(error) && error.name === 'ReplyError'
}

/** A cluster client wraps what its last node said. */
function reasonOf(error: unknown): unknown {
  return (error as { readonly lastNodeError?: unknown } | undefined)?.lastNodeError ?? error
}

/** Node fires longer timers at once. */
const longestTimerMs = 2_147_483_647

/** The server that a call waits for before it can be sent, and a hint for the error if it does not come. */
interface Awaited {
  readonly server: string
  readonly hint?: string
}

function awaitedOf(connection: RedisConnection): Awaited {
  const server = `Redis at ${addressText(connection)}`
  const { tls = false } = addressOf(connection)
  return tls === false ? { server } : { server, hint: ' Check that this port speaks TLS.' }
}

/** Wait no longer than the caller does; what is waited for goes on for others. */
export function inTime<T>(
  work: Promise<T>,
  call: CallOptions,
  awaited: Awaited = { server: 'Redis' },
): Promise<T> {
  const { signal } = call
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer)
      unwatch(signal, told)
      settle()
    }
    const told = { handleEvent: () => end(() => reject(aborted(signal))) }
    // After a blocked event loop the timer may be early: time in which the process did not run does not count.
    const onTime = () => {
      if (leftMs(call) <= 0) end(() => reject(late(awaited)))
      else timer = startTimer()
    }
    const startTimer = () => setTimeout(onTime, Math.min(leftMs(call), longestTimerMs)).unref()
    let timer = Number.isFinite(call.deadlineAt) ? startTimer() : undefined
    watch(signal, told)
    if (signal?.aborted === true) told.handleEvent()
    work.then(
      (value) =>
        end(() =>
          isAnswered(call)
            ? reject(signal?.aborted === true ? aborted(signal) : late(awaited))
            : resolve(value),
        ),
      (error: Error) => end(() => reject(error)),
    )
  })
}

/** Whether the caller was answered meanwhile: then nothing may be sent any more. */
function isAnswered(call: CallOptions): boolean {
  return call.settled === true || call.signal?.aborted === true || leftMs(call) <= 0
}

function late({ server, hint = '' }: Awaited): StoreError {
  return new StoreError(
    'TIMEOUT',
    `The connection to ${server} was not ready before the deadline; nothing was sent.${hint}`,
  )
}

function aborted(signal: AbortSignal | undefined): StoreError {
  return new StoreError('ABORTED', 'Aborted by the signal of the call before anything was sent.', {
    cause: signal?.reason,
  })
}
