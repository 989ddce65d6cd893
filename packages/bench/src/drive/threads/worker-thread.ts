import { Worker } from 'node:worker_threads'
import { StoreError } from '@unikv/core'
import { pause } from '@unikv/core/platform'
import type { IntervalSample } from '../../loop/interval-sample.ts'
import {
  type Answers,
  errorOf,
  type Order,
  type Report,
  type ThreadData,
  threadFile,
  toldError,
} from './messages.ts'

/** Listens to a thread while it does an order. */
export interface Listener {
  readonly progress?: (records: number) => void
  readonly interval?: (interval: IntervalSample) => void
  readonly ready?: () => void
}

/** Makes the objects that a thread asks for, one after the other. */
export type ObjectBytes = (size: number, count: number) => Promise<Uint8Array>

interface Waiting extends Listener {
  resolve(answer: unknown): void
  reject(error: Error): void
}

/** A thread that drives a store, as the thread that started it sees it. */
export class WorkerThread {
  /** Such as `thread 2`. */
  readonly name: string
  readonly #title: string
  readonly #worker: Worker
  readonly #objects: ObjectBytes
  readonly #timeoutMs: number
  #waiting: Waiting | undefined
  /** Why it lives no more. */
  #end: StoreError | undefined
  #uncaught: unknown

  constructor(data: ThreadData, objects: ObjectBytes) {
    const { index, of } = data.share
    this.name = `thread ${index + 1}`
    this.#title = `Thread ${index + 1} of ${of}`
    this.#objects = objects
    this.#timeoutMs = data.timeoutMs
    // The options of this process, such as loaders and inspectors, are not for it.
    this.#worker = new Worker(threadFile(), { workerData: data, execArgv: [], name: `unikv ${this.name}` })
    this.#worker.on('message', (report: Report) => this.#hear(report))
    this.#worker.on('error', (error) => {
      this.#uncaught = error
    })
    this.#worker.on('exit', (code) => this.#ended(code))
  }

  /**
   * Wait until its store is open.
   *
   * @throws what `open` rejected with
   */
  async opened(): Promise<void> {
    await this.#answer({})
  }

  /** @throws the error of the order, or one that says how the thread died */
  async ask<K extends 'load' | 'connect' | 'drive' | 'close'>(
    order: Extract<Order, { readonly type: K }>,
    listener: Listener = {},
  ): Promise<Answers[K]> {
    const answer = this.#answer(listener)
    this.tell(order)
    return (await answer) as Answers[K]
  }

  /** Tell it something that it does not answer. */
  tell(order: Order): void {
    this.#worker.postMessage(order)
  }

  /** Close its store, and end it. A thread that does not answer is ended anyway. */
  async close(): Promise<void> {
    if (this.#end === undefined)
      await Promise.race([
        this.ask({ type: 'close' }).catch(() => {}),
        pause(this.#timeoutMs, { ref: false }),
      ])
    await this.#worker.terminate()
  }

  #answer(listener: Listener): Promise<unknown> {
    const end = this.#end
    if (end !== undefined) return Promise.reject(end)
    return new Promise((resolve, reject) => {
      this.#waiting = { ...listener, resolve, reject }
    })
  }

  #hear(report: Report): void {
    const waiting = this.#waiting
    switch (report.type) {
      case 'progress':
        return waiting?.progress?.(report.records)
      case 'interval':
        return waiting?.interval?.(report.interval)
      case 'ready':
        return waiting?.ready?.()
      case 'objects':
        return void this.#give(report.size, report.count)
      case 'done':
        return waiting?.resolve(report.answer)
      case 'failed':
        return waiting?.reject(errorOf(report.error))
    }
  }

  async #give(size: number, count: number): Promise<void> {
    try {
      this.tell({ type: 'objects', bytes: await this.#objects(size, count) })
    } catch (error) {
      this.tell({ type: 'no-objects', error: toldError(error) })
    }
  }

  #ended(code: number): void {
    const why =
      this.#uncaught === undefined ? `exit code ${code}` : `uncaught: ${toldError(this.#uncaught).message}`
    this.#end = new StoreError('UNAVAILABLE', `${this.#title} died (${why}), so its part of the run is lost.`)
    this.#waiting?.reject(this.#end)
  }
}
