import {
  type Awaitable,
  areAtHand,
  type Bytes,
  type CallOptions,
  type ErrorCode,
  isEntry,
  isNotModified,
  isStoreError,
  type Read,
  type ReadMeta,
  type ReadResult,
  type Store,
  StoreError,
  toStoreError,
} from '@unikv/core'
import { awaitedUntil, derive, forPlainReads, keyBytes, noteAbsent } from '@unikv/core/adapter'
import { performance, Silence } from '@unikv/core/platform'
import { understood } from '../understood.ts'
import type { FallbackSettings } from './fallback-options.ts'

/** The counters of a fallback. */
export interface FallbackCounters {
  /** Keys that were read, from either store. */
  readonly reads: number
  /** Keys of these that the secondary answered, marked stale. */
  readonly staleAnswers: number
  /** Answered *absent* by the secondary (`absent: 'answer'`), which cannot be marked. */
  readonly absentAnswers: number
  /** Keys that the primary failed to read. */
  readonly primaryFailures: number
  /** Keys for which the primary was silent for so long that the secondary was asked too. */
  readonly waits: number
  /** Keys that the secondary failed to read. */
  readonly secondaryFailures: number
  /** Listings that came from the secondary. */
  readonly staleScans: number
}

/** A read for which both may be asked. */
interface Race {
  /** Whether it has its answer. */
  isOver: boolean
  /** The answer of the secondary, once it was asked. */
  late: Promise<Results> | undefined
  /** Ends the wait of a batch of which the secondary has a part. */
  part: Silence | undefined
}

type Results = readonly ReadResult<Bytes>[]

/** Failures of the primary in whose place the secondary may answer. */
const transient: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'OVERLOADED', 'TIMEOUT'])

/** Whether the store could not be asked, or gave no answer: another may have one. */
export function isTransient(error: unknown): boolean {
  return isStoreError(error) && transient.has(error.code)
}

/** Whether a level was asked for, which is the primary's to keep; a cache asks for one on behalf of plain reads. */
function isForPrimary({ consistency, facts }: CallOptions): boolean {
  return consistency !== undefined && forPlainReads.of(facts) === undefined
}

/** Reads from the primary, and where it fails or hangs, from the secondary. */
export class FallbackReads {
  readonly primary: Store<Bytes>
  readonly secondary: Store<Bytes>
  readonly meta: ReadMeta
  readonly counters: { -readonly [K in keyof FallbackCounters]: number }
  readonly #settings: FallbackSettings

  constructor(primary: Store<Bytes>, secondary: Store<Bytes>, settings: FallbackSettings) {
    this.primary = primary
    this.secondary = secondary
    this.#settings = settings
    this.meta = Object.freeze({ tier: settings.tier, stale: true })
    this.counters = {
      reads: 0,
      staleAnswers: 0,
      absentAnswers: 0,
      primaryFailures: 0,
      waits: 0,
      secondaryFailures: 0,
      staleScans: 0,
    }
  }

  read(reads: readonly Read[], call: CallOptions): Awaitable<Results> {
    this.counters.reads += reads.length
    const asked = this.#ask(reads, call)
    if (isForPrimary(call)) return asked
    if (areAtHand(asked)) return this.#mended(reads, asked, call)
    return this.#first(reads, asked, call)
  }

  /** The primary's results; what it throws is the result of each. */
  #ask(reads: readonly Read[], call: CallOptions): Awaitable<Results> {
    const failed = (error: unknown): Results => {
      if (isForPrimary(call) || !isTransient(error)) throw error
      return reads.map(() => error as StoreError)
    }
    try {
      const answer = this.primary.read(reads, understood(call, this.primary.capabilities))
      return areAtHand(answer) ? answer : answer.catch(failed)
    } catch (error) {
      return failed(error)
    }
  }

  /** The secondary's answers in the place of failures. */
  #mended(reads: readonly Read[], results: Results, call: CallOptions): Awaitable<Results> {
    const failed = reads.filter((_read, i) => isTransient(results[i]))
    if (failed.length === 0) return results
    this.counters.primaryFailures += failed.length
    const asked = this.#askSecondary(failed, call)
    const mend = (answers: Results): Results => {
      let next = 0
      return results.map((result, i) => {
        if (!isTransient(result)) return result
        const answer = this.#count(answers[next++], reads[i] as Read, call)
        return isStoreError(answer) ? result : answer
      })
    }
    return areAtHand(asked) ? mend(asked) : asked.then(mend)
  }

  /** The primary's answer, or the secondary's if the primary fails or that one is there first. */
  #first(reads: readonly Read[], asked: Promise<Results>, call: CallOptions): Promise<Results> {
    const race: Race = { isOver: false, late: undefined, part: undefined }
    let silence: Silence | undefined
    const early = new Promise<Results>((resolve) => {
      const askToo = (): void => void this.#askToo(reads, call, race, resolve)
      silence = new Silence(this.#afterMs(call), askToo).unref()
    })
    const own = asked
      .finally(() => silence?.end())
      .then((results) => this.#finish(reads, results, call, race))
      .finally(() => {
        race.isOver = true
        race.part?.end()
      })
    return Promise.race([early, own])
  }

  /** The primary has been silent for long enough. */
  async #askToo(
    reads: readonly Read[],
    call: CallOptions,
    race: Race,
    resolve: (results: Results) => void,
  ): Promise<void> {
    if (call.settled === true || call.signal?.aborted === true) return
    this.counters.waits += reads.length
    race.late = Promise.resolve(this.#askSecondary(reads, call))
    const answers = await race.late
    if (race.isOver || answers.every(isStoreError)) return
    const end = (): void => {
      race.isOver = true
      resolve(answers.map((answer, i) => this.#count(answer, reads[i] as Read, call)))
    }
    if (!answers.some(isStoreError)) return end()
    // The primary may still have all of it; what there is must not be lost for what is not.
    race.part = new Silence(this.#leftMs(call) / 2, end).unref()
  }

  /** The primary has answered; the secondary may have been asked for all of it already. */
  async #finish(reads: readonly Read[], results: Results, call: CallOptions, race: Race): Promise<Results> {
    const failed = results.filter(isTransient).length
    if (!race.isOver && race.late === undefined) return this.#mended(reads, results, call)
    this.counters.primaryFailures += failed
    if (race.isOver || failed === 0) return results
    const answers = (await race.late) as Results
    if (race.isOver) return results
    return results.map((result, i) => {
      if (!isTransient(result)) return result
      const answer = this.#count(answers[i], reads[i] as Read, call)
      return isStoreError(answer) ? result : answer
    })
  }

  /** The secondary's answers, as they were asked for; never rejects, and *absent* is an error where it must not be an answer. */
  #askSecondary(reads: readonly Read[], call: CallOptions): Awaitable<Results> {
    const { capabilities, name } = this.secondary
    const known = reads.filter(({ key }) => keyBytes(key) <= capabilities.maxKeyBytes)
    const plain = capabilities.conditionalRead ? known : known.map(({ key, head }): Read => ({ key, head }))
    const aligned = (answers: Results): Results => {
      const found = new Map(known.map((read, i) => [read, this.#marked(answers[i])]))
      return reads.map((read) => (found.has(read) ? found.get(read) : absent(name)))
    }
    const failed = (error: unknown): Results => {
      const failure = toStoreError(error, { store: name })
      return aligned(known.map(() => failure))
    }
    if (known.length === 0) return aligned([])
    try {
      const answer = this.secondary.read(plain, derive(call, { consistency: null }))
      return areAtHand(answer) ? aligned(answer) : answer.then(aligned, failed)
    } catch (error) {
      return failed(error)
    }
  }

  #marked(answer: ReadResult<Bytes>): ReadResult<Bytes> {
    if (answer === undefined && this.#settings.absent === 'fail') return absent(this.secondary.name)
    if (isEntry(answer) || isNotModified(answer)) return { ...answer, meta: this.meta }
    return answer
  }

  #count(answer: ReadResult<Bytes>, { key }: Read, call: CallOptions): ReadResult<Bytes> {
    if (isStoreError(answer)) this.counters.secondaryFailures++
    else if (answer === undefined) {
      this.counters.absentAnswers++
      noteAbsent(call, key, this.meta)
    } else this.counters.staleAnswers++
    return answer
  }

  #afterMs(call: CallOptions): number {
    const { afterMs = this.#leftMs(call) / 2 } = this.#settings
    return Math.min(Math.max(0, afterMs), 2 ** 31 - 1)
  }

  #leftMs(call: CallOptions): number {
    const now = performance.now()
    return Math.max(0, awaitedUntil(call) - now)
  }
}

function absent(store: string): StoreError {
  return new StoreError(
    'UNAVAILABLE',
    `${store} does not have the key; it is only the fallback, so the key may exist.`,
    { store },
  )
}
