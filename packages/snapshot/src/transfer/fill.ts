import { StoreError, toStoreError } from '@unikv/core'
import { monotonicClock } from '@unikv/core/platform'
import type { FillOptions, FillReport, Verification } from '../options.ts'
import { bytesOf, type Stored } from '../places/pages.ts'
import type { Place } from '../places/place.ts'
import { refuseAborted, type Ways } from '../ways.ts'
import { ahead } from './ahead.ts'
import { begin } from './begin.ts'
import type { Mark } from './mark.ts'
import { noticed } from './notice.ts'
import type { OwnMark } from './own-mark.ts'
import type { Source } from './source.ts'
import { Comparison } from './verify.ts'
import { Writer } from './writer.ts'

/** How often the target is told how far it is. A process that goes on after a kill repeats the work since then. */
const markEveryMs = 500

/** Records on their way from a source into a place. */
export interface Task {
  readonly source: Source
  readonly target: Place
  readonly options: FillOptions
  readonly ways: Ways
  /** How many records there will be, if that is known. */
  readonly total: number | undefined
}

/** Fill a place with the records of a source, or go on with it. */
export async function fill(task: Task): Promise<FillReport> {
  const { source, target, options, ways } = task
  const { overwrite = false, resume = false, dropExpiry = false } = options
  const startedAt = monotonicClock()
  const { mark, isResumed } = await begin(source, target, { overwrite, resume, dropExpiry }, ways)
  const stores = source.store === undefined ? [target.store] : [source.store, target.store]
  return noticed(stores, () => new Filling(task, mark).run(isResumed, startedAt))
}

class Filling {
  readonly #task: Task
  readonly #keepsExpiry: boolean
  readonly #own: OwnMark
  #mark: Mark
  #markedAt: number = monotonicClock()

  constructor(task: Task, own: OwnMark) {
    this.#task = task
    this.#own = own
    this.#mark = own.value
    this.#keepsExpiry = task.target.store.capabilities.ttl !== false && own.value.dropExpiry !== true
  }

  async run(isResumed: boolean, startedAt: number): Promise<FillReport> {
    try {
      if (this.#mark.phase === 'copy') await this.#copy()
      const verification = this.#task.options.verify === false ? undefined : await this.#verify()
      await this.#own.remove()
      const { records, bytes, expired } = this.#mark
      const elapsedMs = monotonicClock() - startedAt
      return { records, bytes, expired, isResumed, elapsedMs, verification }
    } catch (error) {
      throw await this.#ended(error)
    }
  }

  async #copy(): Promise<void> {
    const { source, target, ways } = this.#task
    const writer = new Writer(target, ways, {
      keepsExpiry: this.#keepsExpiry,
      again: () => this.#own.check(),
    })
    for await (const { items, after } of ahead(source.pages(this.#mark.after))) {
      await ways.pace?.take(items.length, ways.signal)
      refuseAborted(ways.signal)
      // A process that was stopped for long may have been replaced.
      if (this.#isDue) await this.#keep(this.#mark)
      const expired = await writer.write(items)
      await this.#went(items, expired, after)
    }
    await this.#keep({ ...this.#mark, phase: 'verify' })
  }

  async #went(items: readonly Stored[], expired: number, after: unknown): Promise<void> {
    const bytes = items.reduce((sum, { key, entry }) => sum + key.length + bytesOf(entry.value), 0)
    const { records } = this.#mark
    this.#mark = {
      ...this.#mark,
      after,
      records: records + items.length - expired,
      bytes: this.#mark.bytes + bytes,
      expired: this.#mark.expired + expired,
    }
    this.#task.ways.told({
      phase: 'copy',
      records: this.#mark.records,
      bytes: this.#mark.bytes,
      total: this.#task.total,
    })
    if (after !== undefined && this.#isDue) await this.#keep(this.#mark)
  }

  get #isDue(): boolean {
    return monotonicClock() - this.#markedAt >= markEveryMs
  }

  async #keep(mark: Mark): Promise<void> {
    this.#mark = mark
    await this.#own.keep(mark)
    this.#markedAt = monotonicClock()
  }

  #verify(): Promise<Verification> {
    const { overwrite } = this.#mark
    const tolerance = {
      keepsExpiry: this.#keepsExpiry,
      overwrite,
      total: this.#task.total ?? this.#mark.records,
    }
    const { source, target, ways } = this.#task
    return new Comparison(source, target, ways, tolerance).run()
  }

  async #kept(): Promise<boolean> {
    try {
      await this.#own.keep(this.#mark, { ...this.#task.ways, signal: undefined })
      return true
    } catch {
      return false
    }
  }

  /** The error of a copy that ends early. The target is told how far it is. */
  async #ended(error: unknown): Promise<StoreError> {
    const cause = toStoreError(error, { operation: 'copy', store: this.#task.target.store.name })
    const isKept = await this.#kept()
    const { code, key, store, operation } = cause
    // Another process works on it: there is nothing to resume here.
    const done = code === 'CONDITION_FAILED' ? undefined : this.#mark.records
    const hint = isKept && done !== undefined ? ` ${done} records are there: it can be resumed.` : ''
    return new StoreError(code, `${ofBatch(cause.message, done)}${hint}`, {
      cause,
      key,
      store,
      operation,
      done,
    })
  }
}

/** Sentences that are true of the batch that failed, but not of the whole copy. */
function ofBatch(message: string, done = 0): string {
  return done === 0
    ? message
    : message.replace(/nothing was (changed|written)/i, 'nothing of the last batch was $1')
}
