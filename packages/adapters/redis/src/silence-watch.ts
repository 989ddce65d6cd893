import { clearInterval, setInterval } from '@unikv/core/platform'
import type { RedisConnection } from './redis-client.ts'

/** A silent server is noticed after the patience, and at most a quarter of it later. */
const ticks = 4

/**
 * Gives up connections on which answers are due but nothing comes: a peer that vanished without closing would
 * keep all later calls waiting too.
 *
 * One unref'ed timer for all, which runs while anything is under way: the `socketTimeout` of ioredis makes a timer
 * for each command (2 % of a call), and takes the silence of an event loop that was blocked for that of a server.
 */
export class SilenceWatch {
  readonly #connections: () => readonly RedisConnection[]
  readonly #patienceMs: number
  readonly #silent = new WeakMap<RedisConnection, Silence>()
  #timer: NodeJS.Timeout | undefined

  constructor(connections: () => readonly RedisConnection[], patienceMs: number) {
    this.#connections = connections
    this.#patienceMs = patienceMs
  }

  /** Something is about to be sent. */
  awake(): void {
    this.#timer ??= setInterval(() => this.#tick(), Math.ceil(this.#patienceMs / ticks)).unref()
  }

  /** End the watch. */
  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tick(): void {
    const busy = this.#connections().filter(isBusy)
    for (const connection of busy) this.#look(connection)
    if (busy.length === 0) this.stop()
  }

  #look(connection: RedisConnection): void {
    const { stream } = connection
    if (stream === undefined || !isWaiting(connection)) return
    const { bytesRead } = stream
    const before = this.#silent.get(connection)
    const count = before?.stream === stream && before.bytesRead === bytesRead ? before.count + 1 : 0
    this.#silent.set(connection, { stream, bytesRead, count })
    if (count >= ticks) stream.destroy(new Error(`Redis did not answer for ${this.#patienceMs} ms.`))
  }
}

interface Silence {
  readonly stream: object
  readonly bytesRead: number
  /** How many ticks it has lasted. */
  readonly count: number
}

function isWaiting({ commandQueue }: RedisConnection): boolean {
  return commandQueue !== undefined && commandQueue.length > 0
}

function isBusy(connection: RedisConnection): boolean {
  return isWaiting(connection) || connection.status === 'connecting' || connection.status === 'connect'
}
