import type { Socket } from 'node:net'
import { type CallOptions, StoreError } from '@unikv/core'
import { answersSoon, endOf, idleLimitMs, unanswered } from '@unikv/core/adapter'
import { clearInterval, monotonicClock, setInterval } from '@unikv/core/platform'
import { errorOfLine } from '../errors.ts'
import { type Command, frameOf, joined } from './frames.ts'
import { type Reply, ReplyParser } from './reply-parser.ts'
import { type Answer, type Awaited, Lines, Request } from './request.ts'

const noOperation = 'mn\r\n'

/** Opaques start anew after this: far more than can be under way. */
const opaques = 1_000_000
/** Most bytes that wait here for a server that does not read. */
const maxQueuedBytes = 67_108_864
/** A microtask away, and cheaper than `queueMicrotask`. */
const soon: Promise<void> = Promise.resolve()
/** A silent server is noticed after the patience, and at most a quarter of it later. */
const ticks = 4

/**
 * One connection: commands go out in the order of the calls, what comes in one tick in one piece, and replies are
 * taken in that order, each by the command whose opaque it brings back.
 */
export class Connection {
  /** Resolves when nothing of the connection is left. */
  readonly closed: Promise<void>
  readonly #socket: Socket
  readonly #name: string
  readonly #waiting: Awaited[] = []
  readonly #watch: SilentSocket
  #usedAt = monotonicClock()
  #asking: Promise<void> | undefined
  #frames: (string | Uint8Array)[] = []
  #opaque = 0
  #reason: unknown

  /** `socket` is connected; `name` is the server's, for errors. */
  constructor(socket: Socket, name: string, patienceMs: number) {
    this.#socket = socket
    this.#name = name
    this.#watch = new SilentSocket(socket, patienceMs, () => this.load > 0)
    const parser = new ReplyParser((reply) => this.#take(reply))
    socket.on('data', (chunk: Buffer) => {
      try {
        parser.push(chunk)
      } catch (error) {
        socket.destroy(error as Error)
      }
    })
    socket.on('error', (error) => {
      this.#reason = error
    })
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#fail()
        resolve()
      })
    })
  }

  /** Whether a command would go out. */
  get isOpen(): boolean {
    return this.#socket.writable
  }

  /** Commands whose reply is due. */
  get load(): number {
    return this.#waiting.length
  }

  /** Whether it may have died unseen: it was idle, and its server has not answered since. */
  get isIdle(): boolean {
    return this.#asking !== undefined || monotonicClock() - this.#usedAt > idleLimitMs
  }

  /** End it unless the server answers soon. */
  giveUpUnlessAnswering(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #ask(): Promise<void> {
    const lives = await answersSoon((answered) => {
      const reply = new Lines((line) => line === 'MN')
      this.send(reply, noOperation)
      reply.lines.then(
        () => answered(),
        () => answered(false),
      )
    })
    if (!lives) this.#socket.destroy(new Error('The server did not answer after a time without calls.'))
  }

  /** Send the commands of a call: a reply or an error for each. Never rejects. */
  exchange(commands: readonly Command[], call: CallOptions, isWrite: boolean): Promise<readonly Answer[]> {
    const refusal = endOf(call, false) ?? this.#refusal()
    if (refusal !== undefined) return Promise.resolve(commands.map(() => refusal))
    if (this.#opaque > opaques) this.#opaque = 0
    const errorOf = isWrite ? this.#writeError : this.#readError
    const request = new Request(commands, this.#opaque, { call, isWrite, errorOf })
    if (isWrite) call.sent = true
    this.send(request, frameOf(commands, this.#opaque))
    this.#opaque += commands.length
    return request.answers
  }

  /** Send something that takes its own replies. */
  send(awaited: Awaited, frame: string | Uint8Array): void {
    if (this.#frames.length === 0) void soon.then(this.#flush)
    this.#frames.push(frame)
    this.#usedAt = monotonicClock()
    this.#waiting.push(awaited)
    this.#watch.awake()
  }

  #refusal(): StoreError | undefined {
    if (!this.isOpen)
      return new StoreError('UNAVAILABLE', `${this.#name} closed the connection; nothing was sent.`)
    if (this.#socket.writableLength < maxQueuedBytes) return undefined
    return new StoreError(
      'OVERLOADED',
      `${this.#name} has stopped reading from the connection; nothing was sent.`,
    )
  }

  readonly #flush = (): void => {
    const whole = joined(this.#frames)
    this.#frames = []
    this.#socket.write(whole, 'latin1')
  }

  #take(reply: Reply): void {
    const [first] = this.#waiting
    if (first === undefined) throw new Error(`The server sent a reply without a request: ${statusOf(reply)}`)
    if (first.take(reply)) this.#waiting.shift()
  }

  #fail(): void {
    this.#watch.stop()
    const reason = this.#reason
    for (const awaited of this.#waiting.splice(0))
      awaited.fail((isWrite) => unanswered(this.#name, isWrite, reason))
  }

  readonly #readError = (line: string): StoreError => errorOfLine(line, this.#name, false)
  readonly #writeError = (line: string): StoreError => errorOfLine(line, this.#name, true)
}

/**
 * Gives up a connection on which replies are due but nothing comes: a peer that vanished without closing would keep
 * all later calls waiting too. It counts ticks, so that the silence of a blocked event loop is not the server's; its
 * timer goes on until nothing is due, as one for each command would cost more than the command.
 */
class SilentSocket {
  readonly #socket: Socket
  readonly #patienceMs: number
  readonly #isDue: () => boolean
  #timer: NodeJS.Timeout | undefined
  #bytesRead = 0
  #silentTicks = 0

  constructor(socket: Socket, patienceMs: number, isDue: () => boolean) {
    this.#socket = socket
    this.#patienceMs = patienceMs
    this.#isDue = isDue
  }

  /** A reply is due. */
  awake(): void {
    if (this.#timer !== undefined) return
    this.#silentTicks = 0
    this.#timer = setInterval(() => this.#tick(), Math.ceil(this.#patienceMs / ticks)).unref()
  }

  /** End the watch. */
  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tick(): void {
    if (!this.#isDue()) return this.stop()
    const { bytesRead } = this.#socket
    this.#silentTicks = bytesRead === this.#bytesRead ? this.#silentTicks + 1 : 0
    this.#bytesRead = bytesRead
    if (this.#silentTicks > ticks)
      this.#socket.destroy(new Error(`The server did not answer for ${this.#patienceMs} ms.`))
  }
}

/** The first word of a reply. */
function statusOf({ line }: Reply): string {
  return line.split(' ', 1)[0] as string
}
