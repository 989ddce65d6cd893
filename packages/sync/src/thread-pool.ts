import { type CallOptions, StoreError } from '@unikv/core'
import { callOptions, endOf, fromPlain, leftMs, messageOf } from '@unikv/core/adapter'
import { Tinypool } from 'tinypool'
import { ThreadQueue } from './thread-queue.ts'
import type { ThreadAnswer, ThreadCall, ThreadCallOptions } from './thread-worker.ts'

/** Settings of a pool. */
export interface ThreadPoolOptions {
  readonly threads: number
  readonly maxQueue: number
  readonly execArgv: readonly string[]
  /** The plain data that each thread starts with. */
  readonly workerData: unknown
}

/** Worker threads that end every call: with its answer, or with what became of its thread. */
export class ThreadPool {
  readonly #pool: Tinypool
  /** Calls wait here, not in the pool, which would run them after their callers have given up. */
  readonly #turns: ThreadQueue
  readonly #watched = new WeakSet<object>()
  /** Calls under way, by how they fail. */
  readonly #waiting = new Set<(cause: unknown) => void>()
  #closing: Promise<void> | undefined

  constructor({ threads, maxQueue, execArgv, workerData }: ThreadPoolOptions) {
    this.#turns = new ThreadQueue(threads, maxQueue)
    try {
      this.#pool = new Tinypool({
        runtime: 'worker_threads',
        filename: new URL('./thread-worker.js', import.meta.url).href,
        minThreads: threads,
        maxThreads: threads,
        execArgv: [...execArgv],
        workerData,
      })
    } catch (cause) {
      throw new StoreError('INVALID_CONFIG', `The worker threads cannot start: ${messageOf(cause)}`, {
        cause,
      })
    }
    // A thread that ends without a call is reported here; without a listener the event would end this process.
    this.#pool.on('error', (cause) => this.#lost(cause))
    this.#watch()
  }

  /** The answer to a call. */
  async ask(call: ThreadCall, options: CallOptions = callOptions()): Promise<unknown> {
    if (this.#closing !== undefined) throw new StoreError('CLOSED', 'The threads are closed. Open new ones.')
    if (this.#turns.isFull) throw overloaded()
    const isWrite = call.verb === 'write'
    // Not before a thread has it.
    if (isWrite) options.sent = false
    await this.#turns.take(options, isWrite)
    try {
      if (this.#closing !== undefined) throw closedBefore()
      const end = endOf(options, isWrite)
      if (end !== undefined) throw end
      if (isWrite) options.sent = true
      const { consistency } = options
      return await this.#run(call, { consistency, leftMs: leftMs(options) })
    } finally {
      this.#turns.give()
    }
  }

  /** End the threads. */
  close(): Promise<void> {
    this.#turns.end(closedBefore)
    // A thread that fails to start while it is ended is at its end all the same.
    this.#closing ??= this.#pool.destroy().catch(() => {})
    return this.#closing
  }

  async #run(call: ThreadCall, options: ThreadCallOptions): Promise<unknown> {
    const running = this.#pool.run([call, options], { name: 'work' }) as Promise<ThreadAnswer>
    this.#watch()
    const answer = await this.#unlessLost(running, call)
    if ('error' in answer) throw fromPlain(answer.error)
    return answer.value
  }

  #unlessLost(running: Promise<ThreadAnswer>, call: ThreadCall): Promise<ThreadAnswer> {
    return new Promise((resolve, reject) => {
      const fail = (cause: unknown): void => {
        this.#waiting.delete(fail)
        reject(this.#closing === undefined ? poolError(cause, call) : poolClosed(call, cause))
      }
      this.#waiting.add(fail)
      running.then((answer) => {
        this.#waiting.delete(fail)
        resolve(answer)
      }, fail)
    })
  }

  /** The pool notices errors of its threads only. One that exits would keep its call, and the end of the pool, waiting. */
  #watch(): void {
    for (const thread of this.#pool.threads) {
      if (this.#watched.has(thread)) continue
      this.#watched.add(thread)
      thread.on('exit', (code) => this.#exited(thread, code))
      // The pool waits for its threads by `events.once`, which calls this when one of them fails.
      Object.assign(thread, { removeListener: () => thread })
    }
  }

  #exited(thread: Tinypool['threads'][number], code: unknown): void {
    if (this.#closing !== undefined || !this.#pool.threads.includes(thread)) return
    thread.emit('error', new Error(`The worker thread exited with code ${String(code)}.`))
    this.#watch()
  }

  /** Without a thread the calls in the queue would wait forever. */
  #lost(cause: unknown): void {
    if (this.#pool.threads.length > 0) return
    for (const fail of this.#waiting) fail(cause)
  }
}

function poolError(cause: unknown, call: ThreadCall): StoreError {
  const message = messageOf(cause)
  if (call.verb === 'write')
    return new StoreError(
      'OUTCOME_UNKNOWN',
      `The worker thread ended during the write; it may or may not have taken effect. ${message}`,
      { cause },
    )
  return new StoreError('UNAVAILABLE', `The worker thread ended before it answered. ${message}`, { cause })
}

function overloaded(): StoreError {
  return new StoreError('OVERLOADED', 'All threads are busy and the queue is full; nothing was changed.')
}

/** A call that had a thread when the pool was closed. */
function poolClosed(call: ThreadCall, cause: unknown): StoreError {
  return call.verb === 'write' ? poolError(cause, call) : closedBefore(cause)
}

function closedBefore(cause?: unknown): StoreError {
  return new StoreError('CLOSED', 'The threads were closed before they answered.', { cause })
}
