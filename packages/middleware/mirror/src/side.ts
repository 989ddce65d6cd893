import {
  type Awaitable,
  type Bytes,
  type CallOptions,
  type ErrorCode,
  isPromise,
  isStoreError,
  type Mutation,
  type Read,
  type ReadResult,
  type Store,
  StoreError,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import { writeResults } from '@unikv/core/adapter'
import { performance, Silence } from '@unikv/core/platform'
import type { Pause } from './pause.ts'

/** The settings of a side. */
export interface SideOptions {
  /** Longest wait for one answer, in milliseconds. */
  readonly timeoutMs: number
  readonly pause: Pause
  /** Told of keys whose write is over only now, although no caller waits for it any more. */
  readonly onLate: (keys: readonly string[]) => void
}

/** Failures of the store as a whole, not of one key. */
const ofTheStore: ReadonlySet<ErrorCode> = new Set([
  'UNAVAILABLE',
  'OVERLOADED',
  'TIMEOUT',
  'OUTCOME_UNKNOWN',
])

/** One of the two stores, as repairs and mirrored writes see it: every question ends within `timeoutMs`. */
export class Side {
  readonly store: Store<Bytes>
  readonly pause: Pause
  readonly #options: SideOptions
  readonly #level: string | undefined

  constructor(store: Store<Bytes>, options: SideOptions) {
    this.store = store
    this.pause = options.pause
    this.#options = options
    this.#level = store.capabilities.consistency.includes('strong') ? 'strong' : undefined
  }

  /** Read; an item that could not be read is its error. */
  async read(
    reads: readonly Read[],
    timeoutMs: number = this.#options.timeoutMs,
  ): Promise<readonly ReadResult<Bytes>[]> {
    try {
      return this.#noted(await this.#bounded((call) => this.store.read(reads, call), timeoutMs))
    } catch (error) {
      const failure = toStoreError(error, { store: this.store.name })
      return this.#noted(reads.map(() => failure))
    }
  }

  /** Read one key. @throws {StoreError} if it cannot be read */
  async readOne(read: Read): Promise<Exclude<ReadResult<Bytes>, StoreError>> {
    const [result] = await this.read([read])
    if (isStoreError(result)) throw result
    return result
  }

  /** Write; never rejects: a failure as a whole is that of each item. */
  async write(mutations: readonly Mutation<Bytes>[]): Promise<readonly WriteResult[]> {
    const keys = mutations.map(({ key }) => key)
    let sent: CallOptions | undefined
    try {
      const answer = await this.#bounded(
        (call) => {
          sent = call
          return this.store.write(mutations, call)
        },
        this.#options.timeoutMs,
        () => this.#options.onLate(keys),
      )
      return this.#noted(writeResults(answer, mutations.length, this.store.name))
    } catch (error) {
      const code = sent?.sent === true ? 'OUTCOME_UNKNOWN' : 'UNAVAILABLE'
      const failure = toStoreError(error, { code, store: this.store.name })
      return this.#noted(mutations.map(() => failure))
    }
  }

  #noted<T>(results: readonly T[]): readonly T[] {
    if (results.some((one) => isStoreError(one) && ofTheStore.has(one.code))) this.pause.fail()
    else this.pause.well()
    return results
  }

  /** Wait for at most `timeoutMs`. A call that has not started by then never starts. */
  async #bounded<T>(
    run: (call: CallOptions) => Awaitable<T>,
    timeoutMs: number,
    onLate?: () => void,
  ): Promise<T> {
    const call: CallOptions = {
      deadlineAt: performance.now() + timeoutMs,
      // An old answer must not decide about equality.
      consistency: onLate === undefined ? this.#level : undefined,
      sent: false,
      settled: false,
    }
    const answer = run(call)
    if (!isPromise(answer)) return answer
    let silence: Silence | undefined
    const late = new Promise<never>((_resolve, reject) => {
      // As with all deadlines: what is waited for holds the process, or nothing does.
      silence = new Silence(timeoutMs, () => {
        call.settled = true
        if (onLate !== undefined && call.sent === true) void answer.then(onLate, onLate)
        reject(noAnswer(call, onLate !== undefined))
      }).unref()
    })
    try {
      return await Promise.race([answer, late])
    } finally {
      silence?.end()
    }
  }
}

function noAnswer({ sent }: CallOptions, isWrite: boolean): StoreError {
  const unknown = isWrite && sent === true
  return unknown
    ? new StoreError('OUTCOME_UNKNOWN', 'No answer in time; the write may or may not have taken effect.')
    : new StoreError('TIMEOUT', 'No answer in time; nothing was changed.')
}
