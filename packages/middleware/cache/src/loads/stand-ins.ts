import { type Awaitable, andThen, type CallOptions, isPromise, type Read, type ReadResult } from '@unikv/core'
import type { ObjectCacheSettings } from '../object-cache-options.ts'
import type { Found } from './answer.ts'
import { lastMomentMs, tooLate } from './last-moment.ts'
import { within } from './soft-timeout.ts'
import { isTransient, type StaleEntries } from './stale-entries.ts'

type Settings = Pick<ObjectCacheSettings, 'staleIfErrorMs' | 'softTimeoutMs' | 'staleOn' | 'background'>

/** Stale entries in the place of what below did not tell, or not in time. */
export class StandIns {
  readonly #settings: Settings
  readonly #stale: StaleEntries

  constructor(settings: Settings, stale: StaleEntries) {
    this.#settings = settings
    this.#stale = stale
  }

  /** The fetched answers, with stale entries in place of transient failures and of answers that take too long. */
  instead(
    reads: readonly Read[],
    call: CallOptions,
    fetched: Awaitable<readonly Found[]>,
  ): Awaitable<readonly Found[]> {
    const { staleIfErrorMs, softTimeoutMs: ms, background } = this.#settings
    if (staleIfErrorMs === 0) return fetched
    const last = (found: readonly Found[]): readonly Found[] => this.#repaired(found, reads, call)
    if (!isPromise(fetched)) return andThen(fetched, last)
    const soon =
      ms === Number.POSITIVE_INFINITY
        ? fetched.then(last)
        : within(fetched, { ms, instead: () => this.#ofAll(reads, call), last, background })
    const lastMs = lastMomentMs(call)
    if (lastMs === Number.POSITIVE_INFINITY || !reads.some(({ key }) => this.#stale.standIn(key, call)))
      return soon
    return within(soon, { ms: lastMs, instead: () => this.#inTheEnd(reads, call), background })
  }

  #repaired(found: readonly Found[], reads: readonly Read[], call: CallOptions): readonly Found[] {
    const { staleOn } = this.#settings
    return found.map((one, i) =>
      isTransient(one, staleOn) ? (this.#find(reads[i] as Read, call) ?? one) : one,
    )
  }

  #find(read: Read, call: CallOptions): ReadResult<unknown> {
    const kept = this.#stale.standIn(read.key, call)
    return kept === undefined ? undefined : this.#stale.answer(kept, read)
  }

  /** Stale entries, if there is one for each read. */
  #ofAll(reads: readonly Read[], call: CallOptions): readonly Found[] | undefined {
    const kept = reads.map(({ key }) => this.#stale.standIn(key, call))
    if (!kept.every((one) => one !== undefined)) return undefined
    const answers = kept.map((one, i) => this.#stale.answer(one, reads[i] as Read))
    if (answers.includes(undefined)) return undefined
    for (const one of kept) this.#stale.pause(one)
    return answers
  }

  /** Before the call ends: stale entries, where there are some. */
  #inTheEnd(reads: readonly Read[], call: CallOptions): readonly Found[] | undefined {
    const kept = reads.map(({ key }) => this.#stale.standIn(key, call))
    const answers = kept.map((one, i) => one && this.#stale.answer(one, reads[i] as Read))
    if (answers.every((one) => one === undefined)) return undefined
    for (const [i, one] of kept.entries())
      if (one !== undefined && answers[i] !== undefined) this.#stale.pause(one)
    return answers.map((one) => one ?? tooLate())
  }
}
