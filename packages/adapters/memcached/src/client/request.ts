import type { CallOptions, StoreError } from '@unikv/core'
import { Bounded, endOf } from '@unikv/core/adapter'
import type { Command } from './frames.ts'
import type { Reply } from './reply-parser.ts'

/** Something sent that waits for what comes back, in the order of sending. */
export interface Awaited {
  /** Take a reply; whether it was the last one. @throws Error if the connection is of no more use */
  take(reply: Reply): boolean
  /** There will be no more replies. */
  fail(errorOf: (isWrite: boolean) => StoreError): void
}

/** The outcome of one command: a reply, or an error of the server, the connection or the call. */
export type Answer = Reply | StoreError

/** The call that a request is part of. */
export interface RequestOf {
  readonly call: CallOptions
  readonly isWrite: boolean
  /** Meaning of an error line of the server. */
  readonly errorOf: (line: string) => StoreError
}

/**
 * The commands of a call that go to one connection. At the call's deadline they end; replies that come later are read and
 * dropped.
 */
export class Request extends Bounded implements Awaited {
  /** An answer for each command. Never rejects. */
  readonly answers: Promise<readonly Answer[]>
  readonly #of: RequestOf
  readonly #got: Answer[] = []
  readonly #commands: readonly Command[]
  readonly #count: number
  #place = 0
  #opaque: number
  #due: number
  #resolve!: (answers: readonly Answer[]) => void

  /** Each reply must bring back its opaque: `opaque`, and one more for each further command. */
  constructor(commands: readonly Command[], opaque: number, of: RequestOf) {
    super(of.call)
    this.#commands = commands
    this.#count = commands.length
    this.#due = commands.length
    this.#opaque = opaque
    this.#of = of
    this.answers = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  take(reply: Reply): boolean {
    const isError = isErrorLine(reply.line)
    // Errors come without the opaque, and so do misses of older servers.
    if (!isError && reply.line !== 'EN' && !reply.line.endsWith(` O${this.#opaque}`))
      throw new Error('The server sent the reply to another command.')
    const command = this.#commands[this.#place] as Command
    if (!isError && !understands(command, reply))
      throw new Error('The server sent a reply that does not fit the command.')
    this.#place += 1
    this.#opaque += 1
    this.#due -= 1
    if (this.#got.length < this.#count) {
      this.#got.push(isError ? this.#of.errorOf(reply.line) : reply)
      if (this.#due === 0) this.#end()
    }
    // After such an error it is unknown what the server takes for the next command.
    if (isError && !reply.line.startsWith('SERVER_ERROR')) throw new Error('The server refused a command.')
    return this.#due === 0
  }

  fail(errorOf: (isWrite: boolean) => StoreError): void {
    if (this.#got.length === this.#count) return
    const error = errorOf(this.#of.isWrite)
    while (this.#got.length < this.#count) this.#got.push(error)
    this.#end()
  }

  protected cut(): void {
    this.fail((isWrite) => endOf(this.call, isWrite) as StoreError)
  }

  #end(): void {
    this.forget()
    this.#resolve(this.#got)
  }
}

/** Whether a reply is one that the command can have. */
function understands({ replies }: Command, { line }: Reply): boolean {
  const end = line.indexOf(' ')
  const status = end === -1 ? line : line.slice(0, end)
  return status.length === 2 && replies.includes(status)
}

/** Whether a reply tells of an error: `ERROR`, `CLIENT_ERROR …`, `SERVER_ERROR …`. */
export function isErrorLine(line: string): boolean {
  return line.startsWith('SE') || line.startsWith('CL') || line.startsWith('ER')
}

/** More lines are not the statistics of a server. */
const mostLines = 100_000

/** Lines up to the one that ends them, for commands that carry no opaque. */
export class Lines implements Awaited {
  readonly lines: Promise<readonly string[]>
  readonly #isLast: (line: string) => boolean
  readonly #isLine: (line: string) => boolean
  readonly #got: string[] = []
  #resolve!: (lines: readonly string[]) => void
  #reject!: (error: StoreError) => void

  /** `isLine` knows the lines that may come before the last one; without it there are none. */
  constructor(isLast: (line: string) => boolean, isLine: (line: string) => boolean = () => false) {
    this.#isLast = isLast
    this.#isLine = isLine
    this.lines = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  take({ line }: Reply): boolean {
    const isOver = this.#isLast(line) || isErrorLine(line)
    if (!isOver && (!this.#isLine(line) || this.#got.length === mostLines))
      throw new Error('The server sent a reply that does not fit the command.')
    this.#got.push(line)
    if (isOver) this.#resolve(this.#got)
    return isOver
  }

  fail(errorOf: (isWrite: boolean) => StoreError): void {
    this.#reject(errorOf(false))
  }
}
