import type { CallOptions } from '@unikv/core'
import { answersSoon, idleLimitMs } from '@unikv/core/adapter'
import { agingClock, clearInterval, monotonicClock, nextTurn, setInterval } from '@unikv/core/platform'
import { callBuffer, type RedisConnection } from '../client/redis-client.ts'
import { isReady } from '../client/redis-connection.ts'

/** A silent server is noticed after the patience, and at most a quarter of it later. */
const ticks = 4
/** Looks are at most so far apart, so that a call that timed out in silence is noticed soon. */
const mostTickMs = 500
/** Looks in silence after which a connection is given up once a call on it has timed out. */
const silentTicks = 2

/**
 * Gives up connections on which answers are due but nothing comes: a peer that vanished without closing would
 * keep all later calls waiting too. It is patient, until a call that waited in this silence has timed out.
 * Connections that were idle, or that lived through a pause of this process, are asked whether they live before they
 * are used again.
 *
 * One unref'ed timer for all, which runs while anything is under way: the `socketTimeout` of ioredis makes a timer
 * for each command (2 % of a call), and takes the silence of an event loop that was blocked for that of a server.
 */
export class SilenceWatch {
  readonly #connections: () => readonly RedisConnection[]
  readonly #patienceMs: number
  readonly #tickMs: number
  readonly #silent = new WeakMap<RedisConnection, Silence>()
  #timer: NodeJS.Timeout | undefined
  #usedAt = agingClock()
  #lookedAt = 0
  /** Deadline of the last call: answers come in order, so if any call waits, this one does. */
  #latestDueAt = Number.POSITIVE_INFINITY
  /** Deadline of a call that waits, if any does, since the last sign of life. */
  #dueAt = Number.POSITIVE_INFINITY
  #asking: Promise<void> | undefined

  constructor(connections: () => readonly RedisConnection[], patienceMs: number) {
    this.#connections = connections
    this.#patienceMs = patienceMs
    this.#tickMs = Math.ceil(Math.min(patienceMs / ticks, mostTickMs))
  }

  /** Something is about to be sent. `false`: `settled` has to be awaited before. */
  awake(call: CallOptions): boolean {
    const now = monotonicClock()
    const usedAt = agingClock()
    const isIdle = usedAt - this.#usedAt > idleLimitMs
    this.#usedAt = usedAt
    if (now >= this.#dueAt) this.#giveUpSilent()
    this.#latestDueAt = call.deadlineAt
    if (this.#dueAt === Number.POSITIVE_INFINITY) this.#dueAt = this.#latestDueAt
    if (isIdle) this.#ask()
    this.#timer ??= setInterval(() => this.#tick(), this.#tickMs).unref()
    return this.#asking === undefined
  }

  /** Resolves when connections that were idle have answered, or are given up. */
  async settled(): Promise<void> {
    await this.#asking
  }

  /** End the watch. */
  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#dueAt = Number.POSITIVE_INFINITY
  }

  /** Where answers are due the server may be busy, unless this process stood still: then all are asked. */
  #ask(): void {
    const stoodStill = this.#timer === undefined || this.#usedAt - this.#lookedAt > idleLimitMs
    const asked = this.#connections().filter(
      (connection) => isReady(connection) && (stoodStill || !isWaiting(connection)),
    )
    if (asked.length === 0) return
    this.#asking ??= Promise.all(asked.map(giveUpUnlessAnswering)).then(() => {
      this.#asking = undefined
    })
  }

  /** A call has timed out: give up the connections that were silent meanwhile. */
  #giveUpSilent(): void {
    this.#dueAt = Number.POSITIVE_INFINITY
    for (const connection of this.#connections()) {
      const { stream } = connection
      const silence = this.#silent.get(connection)
      if (stream === undefined || silence?.stream !== stream || !isWaiting(connection)) continue
      if (silence.count >= silentTicks && silence.bytesRead === stream.bytesRead)
        stream.destroy(new Error('Redis did not answer a call in time.'))
    }
  }

  #tick(): void {
    this.#lookedAt = agingClock()
    const busy = this.#connections().filter(isBusy)
    let isHeard = busy.length === 0
    for (const connection of busy) isHeard = this.#look(connection) || isHeard
    if (isHeard) this.#dueAt = this.#latestDueAt
    else if (monotonicClock() >= this.#dueAt) this.#giveUpSilent()
    if (busy.length === 0) this.stop()
  }

  /** Whether a busy connection has given a sign of life since the last look. */
  #look(connection: RedisConnection): boolean {
    const { stream } = connection
    if (stream === undefined || !isWaiting(connection)) return true
    const { bytesRead } = stream
    const before = this.#silent.get(connection)
    const count = before?.stream === stream && before.bytesRead === bytesRead ? before.count + 1 : 0
    this.#silent.set(connection, { stream, bytesRead, count })
    if (count * this.#tickMs >= this.#patienceMs)
      stream.destroy(new Error(`Redis did not answer for ${this.#patienceMs} ms.`))
    return count === 0
  }
}

interface Silence {
  readonly stream: object
  readonly bytesRead: number
  /** How many ticks it has lasted. */
  readonly count: number
}

async function giveUpUnlessAnswering(connection: RedisConnection): Promise<void> {
  const { stream } = connection
  const lives = await answersSoon((answered) => {
    const any = (): void => answered()
    callBuffer(connection, 'ping', []).then(any, any)
  })
  if (lives) return
  stream?.destroy(new Error('Redis did not answer on an idle connection.'))
  // Its client hears of that with the next turn, and the client of a cluster with the one after.
  for (let turn = 0; turn < 3; turn++) await nextTurn()
}

function isWaiting({ commandQueue }: RedisConnection): boolean {
  return commandQueue !== undefined && commandQueue.length > 0
}

function isBusy(connection: RedisConnection): boolean {
  return isWaiting(connection) || connection.status === 'connecting' || connection.status === 'connect'
}
