import {
  type Bytes,
  type ErrorCode,
  isStoreError,
  isWritten,
  type Mutation,
  type Store,
  StoreError,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import { bounded, callOptions, deedOf, mayRetry, writeResults } from '@unikv/core/adapter'
import { AbortController, clearTimeout, performance, setTimeout } from '@unikv/core/platform'
import type { WriteBehindSettings } from './options.ts'
import type { Queue } from './queue.ts'
import type { Change, Queued } from './queued.ts'
import type { Room } from './room.ts'
import type { Counters } from './stats.ts'

/** Codes that say that this very write will never be taken. Any other failure may pass, or be mended, and is waited for. */
const refusals: ReadonlySet<ErrorCode> = new Set([
  'INVALID_ARGUMENT',
  'INVALID_KEY',
  'INVALID_VALUE',
  'KEY_TOO_LONG',
  'VALUE_TOO_LARGE',
  'UNSUPPORTED',
  'CONDITION_FAILED',
])

/** Parts that a flusher works with. */
export interface FlusherParts {
  readonly store: Pick<Store<Bytes>, 'write' | 'capabilities' | 'name'>
  readonly queue: Queue
  readonly room: Room
  readonly settings: WriteBehindSettings
  readonly counters: Counters
  /** Told of changes that are in the store, or never will be. Must not reject. */
  readonly settled: (keys: readonly string[]) => Promise<void>
  /** Told of a change that goes to the store after all, as it refused the one that had replaced it. Must not reject. */
  readonly restored: (change: Change) => unknown
}

/** Brings the queue to the store, one batch after the other, until it is empty or `stop`. */
export class Flusher {
  readonly #parts: FlusherParts
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined
  /** How many want the queue to be empty soon. */
  #hurries = 0
  #failures = 0
  /** Most items of a batch: fewer after failures, so that one which the store never takes keeps no others back. */
  #limit = Number.POSITIVE_INFINITY
  #wake: () => void = () => {}
  /** Ends a pause between two attempts. */
  #wakeEarly: () => void = () => {}
  #isLast = false
  /** Why the store did not take what it was given last, if so. */
  lastError: StoreError | undefined

  constructor(parts: FlusherParts) {
    this.#parts = parts
  }

  /** There is something in the queue, or somebody waits: go on, at once if need be. */
  kick(): void {
    if (this.#running !== undefined) {
      if (this.#isUrgent) this.#wake()
      return
    }
    if (this.#parts.queue.isEmpty || this.#stop.signal.aborted) return
    const work = this.#run()
    this.#running = work
    try {
      this.#parts.settings.background?.(work)
    } catch {
      // The work goes on without it.
    }
  }

  /** Run `wait` while nothing waits for company. */
  async hurry<T>(wait: () => Promise<T>): Promise<T> {
    this.#hurries++
    this.kick()
    try {
      return await wait()
    } finally {
      this.#hurries--
    }
  }

  /** Bring what is there to the store, for so long at most; then end what is under way. */
  async finish(graceMs: number): Promise<void> {
    this.#isLast = true
    this.kick()
    this.#wakeEarly()
    let timer: NodeJS.Timeout | undefined
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs)
    })
    await Promise.race([this.#running, grace])
    clearTimeout(timer)
    this.#stop.abort()
    this.#wakeEarly()
    await this.#running
  }

  get #isUrgent(): boolean {
    const { queue, room, settings } = this.#parts
    return this.#isLast || this.#hurries > 0 || room.isWanted || queue.waiting >= settings.maxBatch
  }

  async #run(): Promise<void> {
    const { queue, settings } = this.#parts
    const removals = new Set<Promise<void>>()
    while (!queue.isEmpty && !this.#stop.signal.aborted) {
      await this.#pause(settings.delayMs * (1 - settings.random() / 2))
      const keys = await this.#batch()
      const removal = this.#parts.settled(keys).then(() => void removals.delete(removal))
      removals.add(removal)
    }
    this.#running = undefined
    await Promise.all(removals)
  }

  /** Wait for company, or after failures of the store for it. */
  async #pause(delayMs: number): Promise<void> {
    if (this.#failures > 0) await this.#backoff()
    else if (!this.#isUrgent) await this.#sleep(delayMs, true)
  }

  async #backoff(): Promise<void> {
    const { retryMs, retryCapMs, random } = this.#parts.settings
    const longest = Math.min(retryCapMs, retryMs * 2 ** Math.min(30, this.#failures - 1))
    await this.#sleep(longest * (1 - random() / 2), false)
  }

  #sleep(ms: number, isInterruptible: boolean): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        this.#wake = () => {}
        this.#wakeEarly = () => {}
        resolve()
      }
      // It holds the process: what was acknowledged is not in the store yet.
      const timer = setTimeout(end, ms)
      this.#wakeEarly = end
      if (isInterruptible) this.#wake = end
    })
  }

  /** Keys that need no journal any more. */
  async #batch(): Promise<readonly string[]> {
    const { queue, store, settings, counters } = this.#parts
    if (this.#stop.signal.aborted) return []
    const { maxItems, maxBytes } = store.capabilities.batch
    const items = queue.take(Math.min(settings.maxBatch, maxItems, this.#limit), maxBytes)
    counters.batches++
    const results = await this.#write(items.map(({ change }) => change))
    const isOne = items.length === 1
    let isSplit = false
    const settled = items.flatMap((item, i) => {
      const error = errorOf(results[i] as WriteResult)
      if (error !== undefined) this.lastError = error
      if (error === undefined || (isOne && refusals.has(error.code))) {
        this.#end(item, error)
        return item.change.key
      }
      isSplit = this.#again(item, error, isOne) || isSplit
      return []
    })
    this.#failures = isSplit || settled.length > 0 ? 0 : this.#failures + 1
    this.#adapt(items, settled.length > 0)
    return settled
  }

  #end(item: Queued, error: StoreError | undefined): void {
    const { queue, counters } = this.#parts
    if (error === undefined) counters.written++
    else if (item.isAcknowledged) lose(item.change, error, this.#parts)
    const restored = queue.end(item, error)
    if (restored !== undefined) this.#parts.restored(restored.change)
  }

  /** Halve batches that fail again, and let what fails alone while others are written stay alone. */
  #adapt(items: readonly Queued[], isProgress: boolean): void {
    if (isProgress) {
      this.#limit *= 2
      return
    }
    const { written } = this.#parts.counters
    const [first] = items
    if (items.length > 1 && this.#failures > 1) this.#limit = Math.ceil(items.length / 2)
    if (first === undefined || items.length > 1) return
    if (first.failedAt !== undefined && first.failedAt < written) first.isSlow = true
    first.failedAt = written
  }

  /** Put it back; whether it will go alone from now on. */
  #again(item: Queued, error: StoreError, wasOne: boolean): boolean {
    const { queue, store, counters } = this.#parts
    const isWhole = store.capabilities.batch.atomicity !== 'none'
    const isTransient = error.retryable || mayRetry(deedOf(item.change), error, true)
    const goesAlone = !wasOne && (refusals.has(error.code) || (isWhole && !isTransient))
    if (goesAlone) item.isAlone = true
    if (queue.again(item)) counters.retries++
    return goesAlone
  }

  async #write(mutations: readonly Mutation<Bytes>[]): Promise<readonly WriteResult[]> {
    const { store, settings } = this.#parts
    const deadlineAt = performance.now() + settings.timeoutMs
    const call = callOptions({ deadlineAt, signal: this.#stop.signal })
    try {
      return await bounded(
        call,
        true,
        async () => writeResults(await store.write(mutations, call), mutations.length, store.name),
        () => {
          call.settled = true
        },
      )
    } catch (error) {
      const code = call.sent === true ? 'OUTCOME_UNKNOWN' : 'UNAVAILABLE'
      const failure = toStoreError(error, { code, store: store.name })
      return mutations.map(() => failure)
    }
  }
}

/** Count and tell an acknowledged write that will not be in the store. */
export function lose(
  change: Change,
  error: StoreError,
  { counters, settings }: Pick<FlusherParts, 'counters' | 'settings'>,
): void {
  counters.lost++
  try {
    settings.onLost(change, error)
  } catch {
    // An error of one listener does not stop the others.
  }
}

function errorOf(result: WriteResult): StoreError | undefined {
  if (isWritten(result)) return undefined
  if (isStoreError(result)) return result
  return new StoreError('CONDITION_FAILED', 'The store rejected a write that had no condition.')
}
