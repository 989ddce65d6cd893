import type { CallOptions, StoreError } from '@unikv/core'
import { type Deadlines, endOf, type Waiting } from '@unikv/core/adapter'
import type { Reply } from './reply-parser.ts'

/** Something sent that waits for what comes back, in the order of sending. */
export interface Awaited {
  /** Take a reply; whether it was the last one. @throws Error if the connection is of no more use */
  take(reply: Reply): boolean
  /** There will be no reply. */
  fail(errorOf: (isWrite: boolean) => StoreError): void
}

/** One command of a call. At the call's deadline it ends; the reply that comes later is taken, for nobody. */
export class Request implements Awaited, Waiting {
  expiresAt = 0
  place = -1
  /** The reply of the server, whatever it says. */
  readonly reply: Promise<Reply>
  readonly #opaque: string
  readonly #call: CallOptions
  readonly #isWrite: boolean
  readonly #deadlines: Deadlines<Request>
  #resolve!: (reply: Reply) => void
  #reject!: (error: StoreError) => void
  #isOver = false

  /** `opaque` is the flag that the reply must bring back. */
  constructor(opaque: string, call: CallOptions, isWrite: boolean, deadlines: Deadlines<Request>) {
    this.#opaque = opaque
    this.#call = call
    this.#isWrite = isWrite
    this.#deadlines = deadlines
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    const { deadlineAt, signal } = call
    if (deadlineAt !== Number.POSITIVE_INFINITY) deadlines.add(deadlineAt - performance.now(), this)
    signal?.addEventListener('abort', this)
  }

  take(reply: Reply): boolean {
    if (!this.#isMine(reply.line)) throw new Error('The server sent the reply to another request.')
    if (this.#end()) this.#resolve(reply)
    // After such an error nobody knows what the server takes for the next command.
    if (isErrorLine(reply.line) && !reply.line.startsWith('SERVER_ERROR'))
      throw new Error('The server refused a command.')
    return true
  }

  fail(errorOf: (isWrite: boolean) => StoreError): void {
    if (this.#end()) this.#reject(errorOf(this.#isWrite))
  }

  expire(): void {
    // The deadline has come, or the signal: there is an error for it.
    this.fail((isWrite) => endOf(this.#call, isWrite) as StoreError)
  }

  /** The signal of the call was aborted. */
  handleEvent(): void {
    this.expire()
  }

  /** Errors come without the opaque, and so do misses of older servers. */
  #isMine(line: string): boolean {
    return line.endsWith(this.#opaque) || line === 'EN' || isErrorLine(line)
  }

  /** `false`: it had ended before. */
  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#deadlines.remove(this)
    this.#call.signal?.removeEventListener('abort', this)
    return true
  }
}

/** Whether a reply tells of an error. */
export function isErrorLine(line: string): boolean {
  return line.startsWith('SERVER_ERROR') || line.startsWith('CLIENT_ERROR') || /^ERROR\b/.test(line)
}

/** Lines up to the one that ends them, for commands that carry no opaque. */
export class Lines implements Awaited {
  readonly lines: Promise<readonly string[]>
  readonly #isLast: (line: string) => boolean
  readonly #got: string[] = []
  #resolve!: (lines: readonly string[]) => void
  #reject!: (error: StoreError) => void

  constructor(isLast: (line: string) => boolean) {
    this.#isLast = isLast
    this.lines = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  take({ line }: Reply): boolean {
    this.#got.push(line)
    const isOver = this.#isLast(line) || isErrorLine(line)
    if (isOver) this.#resolve(this.#got)
    return isOver
  }

  fail(errorOf: (isWrite: boolean) => StoreError): void {
    this.#reject(errorOf(false))
  }
}
