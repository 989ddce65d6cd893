import { createHash } from 'node:crypto'
import {
  type Bytes,
  type CallOptions,
  compose,
  isEntry,
  isStoreError,
  type Mutation,
  newVersion,
  type Store,
  StoreError,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import {
  attempt,
  callOptions,
  endOf,
  holdStore,
  invalidConfig,
  keyBytes,
  leftMs,
  namespacePrefix,
  releaseStore,
  writeResults,
} from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import type { Counters } from './events.ts'
import type { KeyState } from './key-state.ts'
import type { MirrorSettings } from './mirror-options.ts'

/** Most marks that are remembered because they could not be removed, and that are tried again at once. */
const maxLeft = 10_000
const maxMore = 100

/** A mark that lies in the journal. */
export interface Mark {
  /** The key that may differ. */
  readonly key: string
  /** Where the mark lies. */
  readonly markKey: string
  readonly version: string
}

/**
 * The keys that may differ, in a store. A mark is a record whose key is the process and a hash, and whose value is the
 * canonical key: no values of the mirrored stores. It is removed on condition of its version, so that a late removal, or
 * that of another process, never takes a newer mark along.
 */
export class MarkJournal {
  readonly #store: Store<Bytes>
  /** Another mirror may have been given the same one. */
  readonly #given: Store<Bytes>
  readonly #prefix: string
  readonly #own: string
  readonly #counters: Counters
  readonly #onEvent: MirrorSettings['onEvent']
  readonly #timeoutMs: number
  /** Marks that are not needed any more and could not be removed. Others are repaired once more by the next process. */
  readonly #left = new Map<string, string>()

  constructor(store: Store<Bytes>, settings: MirrorSettings, counters: Counters) {
    const { conditionalWrite, scan, documents, maxKeyBytes } = store.capabilities
    if (!conditionalWrite || scan === false || documents)
      throw invalidConfig(`${store.name} cannot be the journal, which needs bytes, conditions and listing.`)
    this.#store = compose<Store<Bytes>, []>(store, [])
    this.#prefix = namespacePrefix([settings.namespace])
    this.#own = `${this.#prefix}${newVersion()}.`
    if (keyBytes(this.#own) + 43 > maxKeyBytes)
      throw invalidConfig('namespace is too long for the keys of the journal.')
    this.#counters = counters
    this.#given = store
    holdStore(store)
    this.#onEvent = settings.onEvent
    this.#timeoutMs = settings.timeoutMs
  }

  /**
   * Note these keys; for each the error if that failed. `ended` is called when the journal has answered, which may be after
   * the call has ended.
   */
  async note(
    states: readonly KeyState[],
    call: CallOptions,
    ended: () => void,
  ): Promise<readonly WriteResult[]> {
    await this.#others(states, call)
    return attempt(call, false, () => this.#note(states, call.deadlineAt, ended).finally(ended))
  }

  /** Remove marks, as far as they are what they were, and some that could not be removed before. Never rejects. */
  async remove(marks: ReadonlyMap<string, string>): Promise<void> {
    for (const key of marks.keys()) this.#left.delete(key)
    const all = [...marks, ...Array.from(this.#left).slice(0, maxMore)]
    for (const [key] of all) this.#left.delete(key)
    const mutations = all.map(
      ([key, ifVersion]): Mutation<Bytes> => ({ type: 'delete', key, version: newVersion(), ifVersion }),
    )
    const deadlineAt = performance.now() + this.#timeoutMs
    const call = callOptions({ deadlineAt })
    const answer = attempt(call, true, () => this.#write(mutations, call))
    const results = await answer.catch((error: unknown) => mutations.map(() => this.failed(error)))
    for (const [i, [key, version]] of all.entries())
      if (isStoreError(results[i]) && this.#left.size < maxLeft) this.#left.set(key, version)
  }

  /** All marks, of this process and others. */
  async *marks(): AsyncGenerator<Mark> {
    const range = { prefix: this.#prefix, pageSize: 1_000, values: true }
    for await (const { entries } of this.#store.scan(range, callOptions()))
      for (const { key, entry } of entries) {
        if (!isEntry(entry) || entry.version === undefined) continue
        yield { key: Buffer.from(entry.value).toString('utf8'), markKey: key, version: entry.version }
      }
  }

  /** Count a failure and tell of it. */
  failed(error: unknown): StoreError {
    const failure = toStoreError(error, { store: this.#store.name })
    this.#counters.journalErrors++
    this.#onEvent({ type: 'journal failed', code: failure.code })
    return failure
  }

  close(): Promise<void> {
    return releaseStore(this.#given)
  }

  /** Wait for marks that others are putting. One that takes half of the time of this call may be lost. */
  async #others(states: readonly KeyState[], call: CallOptions): Promise<void> {
    const deadlineAt = performance.now() + leftMs(call) / 2
    const half = callOptions({ deadlineAt, signal: call.signal })
    const isMarking = (): boolean => states.some(({ marking }) => marking !== undefined)
    const marked = (): Promise<unknown> => Promise.all(states.flatMap(({ marking }) => marking ?? []))
    while (isMarking() && endOf(half, false) === undefined) await attempt(half, false, marked).catch(() => {})
  }

  async #note(
    states: readonly KeyState[],
    deadlineAt: number,
    ended: () => void,
  ): Promise<readonly WriteResult[]> {
    const mutations = states.map(({ key }): Mutation<Bytes> & { type: 'set' } => {
      const markKey = this.#own + createHash('sha256').update(key).digest('base64url')
      return { type: 'set', key: markKey, value: Buffer.from(key), version: newVersion() }
    })
    const call = callOptions({ deadlineAt })
    let isLate = false
    const answer = this.#write(mutations, call)
    const work = attempt(call, false, () => answer).catch((error: unknown) => {
      isLate = true
      const failure = this.failed(error)
      return mutations.map(() => failure)
    })
    for (const state of states) state.marking = work
    const results = await work
    for (const [i, state] of states.entries()) {
      const isLast = state.marking === work
      if (isLast) state.marking = undefined
      this.#marked(state, mutations[i] as Mutation<Bytes>, results[i], isLast)
    }
    if (isLate)
      void answer.then((late) => {
        for (const [i, state] of states.entries())
          this.#marked(state, mutations[i] as Mutation<Bytes>, late[i], false)
        ended()
      })
    return results
  }

  /** If two marks of a key are put at once, the one that was asked for last counts. */
  #marked(
    { marks }: KeyState,
    { key, version }: Mutation<Bytes>,
    result: WriteResult | undefined,
    isLast: boolean,
  ): void {
    if (result !== undefined && !isStoreError(result) && (isLast || !marks.has(key))) marks.set(key, version)
  }

  async #write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    let results: readonly WriteResult[]
    try {
      results = writeResults(await this.#store.write(mutations, call), mutations.length, this.#store.name)
    } catch (error) {
      const failure = this.failed(error)
      return mutations.map(() => failure)
    }
    for (const result of results) if (isStoreError(result)) this.failed(result)
    return results
  }
}

/** Why a write is refused whose key could not be noted: nothing of it was sent. */
export function notNoted(cause: StoreError, journal: string): StoreError {
  const { code } = cause
  const told = code === 'OUTCOME_UNKNOWN' || code === 'CLOSED' ? 'UNAVAILABLE' : code
  const message = `Not written: the journal (${journal}) could not note the key. Check its store; see the cause.`
  return new StoreError(told, message, { cause })
}
