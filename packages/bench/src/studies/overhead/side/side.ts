import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type ErrorCode, StoreError } from '@unikv/core'
import { isError } from '@unikv/core/platform'
import type { Answer, Operation, Order, SideSample, SideStart } from './messages.ts'

/** A side in its process. */
export class Side {
  readonly #child: ChildProcess
  readonly #start: SideStart
  /** How the process ended, if it did before it was asked to. */
  #ended: Error | undefined
  #settle: ((answer: Answer | Error) => void) | undefined

  private constructor(child: ChildProcess, start: SideStart) {
    this.#child = child
    this.#start = start
    child.on('message', (answer: Answer) => this.#settle?.(answer))
    child.once('exit', (code, signal) => {
      this.#ended = new Error(`The process of the ${start.side} side ended with ${code ?? signal}.`)
      this.#settle?.(this.#ended)
    })
  }

  /** @throws what the store rejected with, or an error of the native client */
  static async start(start: SideStart): Promise<Side> {
    const side = new Side(fork(processFile(), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }), start)
    try {
      await side.#ask({ type: 'start', start })
      return side
    } catch (error) {
      side.#child.kill()
      throw error
    }
  }

  async load(from: number, to: number): Promise<void> {
    await this.#ask({ type: 'load', from, to })
  }

  async run(operation: Operation, durationMs: number): Promise<SideSample> {
    return (await this.#ask({ type: 'run', operation, durationMs })) as SideSample
  }

  /** Remove what it wrote, and end the process. If that ended by itself, another one removes it. */
  async end(): Promise<void> {
    try {
      if (this.#ended === undefined) await this.#ask({ type: 'end' })
      else await (await Side.start(this.#start)).end()
    } finally {
      this.#child.kill()
    }
  }

  async #ask(order: Order): Promise<SideSample | undefined> {
    const answer = await new Promise<Answer | Error>((resolve) => {
      this.#settle = resolve
      if (this.#ended === undefined) this.#child.send(order)
      else resolve(this.#ended)
    })
    if (isError(answer)) throw answer
    if (!('error' in answer)) return answer.sample
    const { code, message } = answer.error
    throw code === undefined
      ? new Error(`The ${this.#start.side} side failed: ${message}`)
      : new StoreError(code as ErrorCode, message)
  }
}

/** The program of a side: beside this file, or in the build if this is the source. */
function processFile(): URL {
  const here = import.meta.url
  const file = new URL(
    here.endsWith('.ts') ? '../../../../dist/studies/overhead/side/process.js' : './process.js',
    here,
  )
  if (existsSync(file)) return file
  throw new StoreError(
    'UNSUPPORTED',
    'bench overhead needs the files of @unikv/bench, and this program is a bundle without them.',
  )
}
