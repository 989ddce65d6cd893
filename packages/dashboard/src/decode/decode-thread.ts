import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { gunzipSync } from 'node:zlib'
import { clearTimeout, setTimeout } from '@unikv/core/platform'
import { Refused } from '@unikv/http/parts'
import type { Decoded, Task } from './task.ts'

/** Longest time of one task, in milliseconds. */
const taskMs = 2_000

/** Time without a task after which the thread ends, in milliseconds. */
const idleMs = 10_000

/** Memory of the thread for values, in megabytes. */
const mostMegabytes = 256

/** Tasks that may wait. */
const mostWaiting = 32

/**
 * Decodes in a thread of its own, one task after another: bytes of strangers may make a decoder take long, or all memory. Then the thread is ended,
 * and the application is not. It starts with the first task.
 */
export class DecodeThread {
  #worker: Promise<Worker> | undefined
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #idle: NodeJS.Timeout | undefined

  /** Bytes as they are shown. @throws {Error} why not, in words */
  decode(task: Extract<Task, { readonly type: 'decode' }>): Promise<Decoded> {
    return this.#inTurn(task) as Promise<Decoded>
  }

  /** The bytes of a value. @throws {Error} why not, in words */
  encode(task: Extract<Task, { readonly type: 'encode' }>): Promise<Uint8Array> {
    return this.#inTurn(task) as Promise<Uint8Array>
  }

  /** End the thread. */
  close(): void {
    clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = undefined
    void worker?.then((one) => one.terminate())
  }

  #inTurn(task: Task): Promise<unknown> {
    if (this.#waiting >= mostWaiting)
      throw new Refused(503, 'TOO_MANY_REQUESTS', `At most ${mostWaiting} values wait to be decoded.`)
    this.#waiting += 1
    const done = this.#last.then(() => this.#run(task))
    this.#last = done.then(
      () => this.#rest(),
      () => this.#rest(),
    )
    return done
  }

  #rest(): void {
    this.#waiting -= 1
    clearTimeout(this.#idle)
    if (this.#waiting > 0) return
    this.#idle = setTimeout(() => this.close(), idleMs)
    this.#idle.unref()
  }

  async #run(task: Task): Promise<unknown> {
    const own = this.#worker ?? started()
    this.#worker = own
    const left = (): void => {
      if (this.#worker === own) this.#worker = undefined
    }
    const worker = await own.catch((error: unknown) => {
      left()
      throw error
    })
    // A module of the application may end it between two tasks.
    if (worker.listenerCount('exit') === 0) worker.once('exit', left)
    worker.ref()
    try {
      return await answered(worker, task)
    } catch (error) {
      if (error instanceof DecodeFailure) throw error
      this.close()
      throw new DecodeFailure((error as Error).message)
    } finally {
      worker.unref()
    }
  }
}

/** A decoder that failed, in words for people. */
export class DecodeFailure extends Error {}

async function started(): Promise<Worker> {
  const { gzip } = await import('#decode')
  const code = gunzipSync(Buffer.from(gzip, 'base64')).toString()
  const worker = new Worker(code, {
    eval: true,
    execArgv: [],
    env: {},
    name: 'unikv decode',
    resourceLimits: { maxOldGenerationSizeMb: mostMegabytes, maxYoungGenerationSizeMb: 32 },
  })
  // Without a listener the failure would end the process.
  worker.on('error', () => {})
  // The time of a task begins when the thread can work.
  await once(worker, 'message')
  return worker
}

interface Answer {
  readonly result?: unknown
  readonly failure?: string
}

/** The answer of the thread; a thread that takes too long, or ends, fails. */
function answered(worker: Worker, task: Task): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(new Error(`Decoding took longer than ${taskMs / 1_000} s.`)), taskMs)
    const heard = ({ result, failure }: Answer): void =>
      end(failure === undefined ? undefined : new DecodeFailure(failure), result)
    const failed = (error: Error): void =>
      end(isOutOfMemory(error) ? new Error(`Decoding needs more than ${mostMegabytes} MB of memory.`) : error)
    const gone = (): void => end(new Error('The thread that decodes has ended.'))
    const end = (error: Error | undefined, result?: unknown): void => {
      clearTimeout(timer)
      worker.off('message', heard).off('error', failed).off('exit', gone)
      if (error === undefined) resolve(result)
      else reject(error)
    }
    worker.on('message', heard).on('error', failed).on('exit', gone)
    worker.postMessage(task.type === 'decode' ? { ...task, bytes: new Uint8Array(task.bytes) } : task)
  })
}

function isOutOfMemory(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
}
