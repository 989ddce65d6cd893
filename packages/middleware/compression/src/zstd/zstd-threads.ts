import { Worker } from 'node:worker_threads'
import { type Bytes, StoreError } from '@unikv/core'
import { clearTimeout, setTimeout } from '@unikv/core/platform'

/** A job of a thread. `length` of the value, for decompressing. */
export type ThreadJob =
  | {
      readonly verb: 'compress'
      readonly bytes: Bytes
      readonly dictionary: Bytes | undefined
      readonly level: number
    }
  | {
      readonly verb: 'decompress'
      readonly bytes: Bytes
      readonly dictionary: Bytes | undefined
      readonly length: number
    }

interface Waiting {
  readonly job: ThreadJob
  readonly resolve: (value: Bytes) => void
  readonly reject: (error: unknown) => void
}

/** The answer of a thread. */
type Answer = { readonly value: Bytes } | { readonly error: string }

/** As many as Node's own pool has for `node:zlib`. */
const maxThreads = 4

/** The memory of WebAssembly never shrinks: a thread that has nothing to do goes, and its memory with it. */
const idleMs = 5000

const idle: Thread[] = []
const queue: Waiting[] = []
let threads = 0

/**
 * Run a job of the package at this path on a thread of its own. Idle threads keep no process running.
 *
 * Rejects with the package's error, or with `UNAVAILABLE` if the thread ends.
 */
export function runOnThread(path: string, job: ThreadJob): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    queue.push({ job, resolve, reject })
    if (idle.length === 0 && threads < maxThreads) idle.push(new Thread(path))
    next()
  })
}

function next(): void {
  const waiting = queue[0]
  const thread = waiting && idle.pop()
  if (waiting === undefined || thread === undefined) return
  queue.shift()
  thread.run(waiting)
}

class Thread {
  readonly #path: string
  readonly #worker: Worker
  #waiting: Waiting | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(path: string) {
    threads++
    this.#path = path
    this.#worker = new Worker(threadSource, { eval: true, workerData: path, execArgv: [] })
    this.#worker.unref()
    this.#worker.on('message', (answer: Answer) => this.#answered(answer))
    this.#worker.on('error', () => {})
    this.#worker.on('exit', () => this.#ended())
  }

  run(waiting: Waiting): void {
    clearTimeout(this.#idle)
    this.#waiting = waiting
    this.#worker.ref()
    this.#worker.postMessage(waiting.job)
  }

  #answered(answer: Answer): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    this.#worker.unref()
    this.#idle = setTimeout(() => this.#leave(), idleMs).unref()
    idle.push(this)
    if ('value' in answer) waiting?.resolve(answer.value)
    else waiting?.reject(new Error(answer.error))
    next()
  }

  #leave(): void {
    const place = idle.indexOf(this)
    if (place >= 0) idle.splice(place, 1)
    void this.#worker.terminate()
  }

  /** A thread that ends by itself (its memory could not grow) takes its job with it; the others go on. */
  #ended(): void {
    threads--
    clearTimeout(this.#idle)
    const place = idle.indexOf(this)
    if (place >= 0) idle.splice(place, 1)
    this.#waiting?.reject(new StoreError('UNAVAILABLE', 'A zstd thread ended. Try again.'))
    if (queue.length === 0 || threads >= maxThreads) return
    idle.push(new Thread(this.#path))
    next()
  }
}

/**
 * Plain JavaScript, as a thread cannot be started from TypeScript. One job at a time. A thread whose memory is damaged
 * (what it compressed is not what it was given, when it is decompressed) ends without an answer.
 */
const threadSource = `
const { dirname, join } = require('node:path')
const { parentPort, workerData } = require('node:worker_threads')
const zstd = require(workerData)
const { Module } = require(join(dirname(workerData), 'module.js'))
const ready = zstd.init().then(refuseNoRoom)
let compressing, decompressing

function refuseNoRoom() {
  Module._free(Module._malloc(1))
  const allocate = Module._malloc
  Module._malloc = (bytes) => {
    const address = allocate(bytes)
    if (address === 0) throw new RangeError('no room for ' + bytes + ' bytes')
    return address
  }
}

parentPort.on('message', async (job) => {
  await ready
  try {
    const value = run(job)
    if (job.verb === 'compress' && !holds(value, job)) process.exit(1)
    parentPort.postMessage({ value }, [value.buffer])
  } catch (error) {
    parentPort.postMessage({ error: String(error && error.message) })
  }
})

function holds(frame, { bytes, dictionary }) {
  try {
    const back = run({ verb: 'decompress', bytes: frame, dictionary, length: bytes.length })
    return Buffer.compare(back, bytes) === 0
  } catch {
    return false
  }
}

function run({ verb, bytes, dictionary, level, length }) {
  const room = { defaultHeapSize: length }
  if (dictionary === undefined) return verb === 'compress' ? zstd.compress(bytes, level) : zstd.decompress(bytes, room)
  if (verb === 'compress') return zstd.compressUsingDict(compressing ??= zstd.createCCtx(), bytes, dictionary, level)
  return zstd.decompressUsingDict(decompressing ??= zstd.createDCtx(), bytes, dictionary, room)
}
`
