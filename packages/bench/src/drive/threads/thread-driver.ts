import { unwatch, watch } from '@unikv/core/platform'
import { ownCallers } from '../clients.ts'
import type { DriveProgram, ElsewhereOptions } from '../crew.ts'
import type {
  DriveHooks,
  DriveRequest,
  Driver,
  DriveSample,
  LoadHooks,
  LoadPart,
  LoadSample,
} from '../driver.ts'
import type { DriverOptions } from '../local-driver.ts'
import { IntervalMerger, mergedSample } from '../merged.ts'
import { signShared } from '../opened.ts'
import { type ObjectBytes, WorkerThread } from './worker-thread.ts'

/** Where threads drive a store, and with what. */
export interface ThreadDriverOptions extends ElsewhereOptions {
  readonly threads: number
}

/**
 * A driver of several threads. Each opens the store itself and does its part of every load and run; they begin together.
 *
 * @throws {StoreError} `UNSUPPORTED` if threads cannot share the store; otherwise what `open` rejected with in a thread
 */
export async function threadDriver(options: ThreadDriverOptions): Promise<Driver> {
  await signShared(options.keys)
  const driver = new ThreadDriver(options)
  try {
    await driver.opened()
    return driver
  } catch (error) {
    await driver.close()
    throw error
  }
}

class ThreadDriver implements Driver {
  readonly #threads: readonly WorkerThread[]
  readonly #program: DriveProgram | undefined

  constructor(options: ThreadDriverOptions) {
    const { threads, opener, namespace, timeoutMs, records, seed, data, plan = ownCallers, program } = options
    const objects = objectBytes(data)
    this.#program = program
    const given = program && { module: program.module, options: program.options }
    this.#threads = Array.from({ length: threads }, (_, index) => {
      const share = { index, of: threads }
      const own = { opener, namespace, timeoutMs, records, seed, share, plan, program: given }
      return new WorkerThread(own, objects)
    })
  }

  async opened(): Promise<void> {
    await this.#together(undefined, (thread) => thread.opened())
  }

  async load(part: LoadPart, { signal, onProgress }: LoadHooks): Promise<LoadSample> {
    const done = this.#threads.map(() => 0)
    const samples = await this.#together(signal, (thread, index) =>
      thread.ask(
        { type: 'load', part },
        {
          progress: (records) => {
            done[index] = records
            onProgress?.(done.reduce((sum, count) => sum + count, 0))
          },
        },
      ),
    )
    return {
      records: samples.reduce((sum, { records }) => sum + records, 0),
      elapsedMs: Math.max(...samples.map(({ elapsedMs }) => elapsedMs)),
    }
  }

  async connect(callers: number): Promise<void> {
    await this.#together(undefined, (thread) => thread.ask({ type: 'connect', callers }))
  }

  async drive(request: DriveRequest, { signal, onInterval, start }: DriveHooks): Promise<DriveSample> {
    const merger = new IntervalMerger(this.#threads.length, onInterval)
    const allReady = this.#whenAll(() => void this.#start(start))
    const samples = await this.#together(signal, (thread, index) =>
      thread.ask(
        { type: 'drive', request },
        { ready: allReady, interval: (interval) => merger.add(index, interval) },
      ),
    )
    return mergedSample(
      samples.map((sample, index) => ({ name: (this.#threads[index] as WorkerThread).name, sample })),
      this.#program,
    )
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }

  /** Calls `act` when it was called once for every thread. */
  #whenAll(act: () => void): () => void {
    let missing = this.#threads.length
    return () => {
      missing -= 1
      if (missing === 0) act()
    }
  }

  async #start(start: DriveHooks['start']): Promise<void> {
    await start?.()
    this.#tellAll('start')
  }

  #tellAll(type: 'start' | 'abort'): void {
    for (const thread of this.#threads) thread.tell({ type })
  }

  /**
   * The answers of all threads. When one fails, or the signal says so, the others end early.
   *
   * @throws the first error, when no thread is at work any more
   */
  async #together<T>(
    signal: AbortSignal | undefined,
    work: (thread: WorkerThread, index: number) => Promise<T>,
  ): Promise<readonly T[]> {
    const failures: unknown[] = []
    const watcher = { handleEvent: () => this.#tellAll('abort') }
    watch(signal, watcher)
    const answers = this.#threads.map((thread, index) =>
      work(thread, index).catch((error: unknown) => {
        if (failures.push(error) === 1) this.#tellAll('abort')
        return undefined as T
      }),
    )
    if (signal?.aborted === true) this.#tellAll('abort')
    const found = await Promise.all(answers).finally(() => unwatch(signal, watcher))
    if (failures.length > 0) throw signal?.aborted === true ? signal.reason : failures[0]
    return found
  }
}

/** The objects of the data in one piece, made once for all threads. */
function objectBytes(data: DriverOptions['data']): ObjectBytes {
  const made = new Map<string, Promise<Uint8Array>>()
  return (size, count) => {
    const key = `${size} ${count}`
    const found = made.get(key) ?? data.objects(size, count).then((objects) => Buffer.concat([...objects]))
    made.set(key, found)
    return found
  }
}
