import {
  type Bytes,
  type CallOptions,
  isConditionFailed,
  isStoreError,
  type Mutation,
  type Store,
  StoreError,
  type WriteResult,
  type Written,
  writePrepared,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { performance, Silence } from '@unikv/core/platform'
import { Adoption } from './adoption.ts'
import { Copies, type Copy, copyOf } from './copies.ts'
import { type Counters, newCounters } from './events.ts'
import type { KeyState } from './key-state.ts'
import { KeyStates } from './key-states.ts'
import { MarkJournal, notNoted } from './mark-journal.ts'
import type { MirrorSettings } from './mirror-options.ts'
import { Pause } from './pause.ts'
import type { Pair } from './repair.ts'
import { Repairs } from './repairs.ts'
import { Side } from './side.ts'

/** Writes that go to both: the primary decides, and the secondary gets what it acknowledged. */
export class Mirroring {
  readonly pair: Pair
  readonly repairs: Repairs
  readonly adoption: Adoption | undefined
  readonly states: KeyStates = new KeyStates()
  readonly counters: Counters = newCounters()
  readonly #settings: MirrorSettings
  readonly #journal: MarkJournal | undefined
  readonly #copies: Copies
  readonly #working = new Set<Promise<unknown>>()

  constructor(primary: Store<Bytes>, secondary: Store<Bytes>, settings: MirrorSettings) {
    this.#settings = settings
    this.#journal =
      settings.journal === undefined ? undefined : new MarkJournal(settings.journal, settings, this.counters)
    this.pair = {
      primary: this.#side(primary),
      secondary: this.#side(secondary),
      precisionMs: Math.max(precisionOf(primary), precisionOf(secondary)),
    }
    this.repairs = new Repairs({
      states: this.states,
      pair: this.pair,
      settings,
      counters: this.counters,
      journal: this.#journal,
      keep: (work) => this.#keep(work),
      onRoom: () => this.adoption?.start(),
    })
    this.adoption = this.#journal && this.#adoptionFrom(this.#journal)
    this.#copies = new Copies({
      pair: this.pair,
      repairs: this.repairs,
      settings,
      counters: this.counters,
      later: (work) => this.#later(work),
    })
  }

  async write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    this.adoption?.start()
    // Until the primary's own dispatch says otherwise.
    call.sent = false
    const states = mutations.map(({ key }) => this.states.enter(key))
    let results: readonly WriteResult[]
    try {
      const noted = this.#journal === undefined ? mutations : await this.#noted(mutations, states, call)
      results = await writePrepared(this.pair.primary.store, noted, call)
    } catch (error) {
      // An error of a store that is not a `StoreError` says nothing.
      const outcome = isStoreError(error) ? error : new StoreError('OUTCOME_UNKNOWN', 'The primary failed.')
      const outcomes = mutations.map(() => outcome)
      await this.#answerable(this.#follow(mutations, states, outcomes), call)
      throw error
    }
    await this.#answerable(this.#follow(mutations, states, results), call)
    return results
  }

  /** Wait for what is under way, and try what is owed once more. */
  async drain(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working)
    await this.repairs.tryAll()
  }

  async close(): Promise<void> {
    await Promise.all([
      this.pair.primary.store.close(),
      this.pair.secondary.store.close(),
      this.#journal?.close(),
    ])
  }

  #adoptionFrom(journal: MarkJournal): Adoption {
    const { states, repairs } = this
    const keep = (work: Promise<unknown>): void => this.#keep(work)
    return new Adoption({ journal, states, repairs, settings: this.#settings, keep })
  }

  #side(store: Store<Bytes>): Side {
    const { timeoutMs } = this.#settings
    return new Side(store, {
      timeoutMs,
      pause: new Pause(this.#settings),
      onLate: (keys) => {
        for (const key of keys) this.#oweLate(this.states.of(key))
      },
    })
  }

  /** A write that was given up is over only now: what it did is not known, and it may have undone a repair. */
  #oweLate(state: KeyState): void {
    if (this.#journal !== undefined && state.marks.size === 0) {
      const call = callOptions({ deadlineAt: performance.now() + this.#settings.timeoutMs })
      const ended = (): void => void (this.states.owns(state) && this.repairs.settle(state))
      this.#keep(this.#journal.note([state], call, ended).catch(() => {}))
    }
    this.repairs.owe(state, { code: 'TIMEOUT', doubt: true })
  }

  /** Note the keys in the durable journal; mutations whose key could not be noted are refused. */
  async #noted(
    mutations: readonly Mutation<Bytes>[],
    states: readonly KeyState[],
    call: CallOptions,
  ): Promise<readonly (Mutation<Bytes> | StoreError)[]> {
    const ended = (): void => {
      for (const state of states) if (this.states.owns(state)) void this.#settle(state)
    }
    const noted = await (this.#journal as MarkJournal).note(states, call, ended)
    return mutations.map((mutation, i) => {
      const result = noted[i]
      return isStoreError(result) ? notNoted(result, this.#settings.journal?.name ?? '') : mutation
    })
  }

  /** Update the secondary, now that the primary has answered. The returned promise never rejects. */
  #follow(
    mutations: readonly Mutation<Bytes>[],
    states: readonly KeyState[],
    outcomes: readonly WriteResult[],
  ): readonly (Promise<unknown> | undefined)[] {
    const copies: Copy[] = []
    const work: (Promise<unknown> | undefined)[] = []
    for (const [i, state] of states.entries()) {
      const outcome = outcomes[i] as WriteResult
      const wasAlone = this.states.leave(state)
      const changed = whatChanged(outcome)
      if (changed === 'nothing') work.push(this.#settle(state))
      else if (changed === 'unknown') {
        this.counters.unknownOutcomes++
        this.repairs.owe(state, { code: 'OUTCOME_UNKNOWN', doubt: true })
      } else {
        this.counters.writes++
        const copy = copyOf(state, mutations[i] as Mutation<Bytes>, outcome as Written)
        if (copy !== undefined && wasAlone && this.#copies.mayCopy(state)) copies.push(copy)
        else work.push(this.#owe(state))
      }
    }
    for (const { state } of copies) state.busy = true
    if (copies.length > 0) {
      const sending = this.#copies.send(copies)
      this.#keep(sending)
      work.push(sending)
    }
    return work
  }

  /**
   * A write that changed nothing leaves nothing to do; but while marks of this process wait in the journal, the key may have
   * been owed there before.
   */
  #settle(state: KeyState): Promise<void> | undefined {
    if (this.adoption?.mayWait === true && state.isIdle && state.marks.size > 0) this.repairs.owe(state, {})
    return this.repairs.settle(state)
  }

  /** The promise is of the next repair, if one may be expected soon. */
  #owe(state: KeyState): Promise<void> | undefined {
    const isSoon = !this.repairs.isFailing
    const tried = isSoon ? state.tried() : undefined
    this.repairs.owe(state, {})
    return tried
  }

  /** Wait for the secondary, as long as that was asked for and the call allows it. */
  async #answerable(work: readonly (Promise<unknown> | undefined)[], call: CallOptions): Promise<void> {
    const parts = work.filter((one) => one !== undefined)
    if (parts.length === 0) return
    const all = Promise.all(parts)
    const { acknowledge, background, timeoutMs } = this.#settings
    if (acknowledge === 'both' || background === undefined) {
      // The answer has to be there before the caller is told that there is none.
      const left = call.settled === true ? 0 : (call.deadlineAt - performance.now()) / 2
      if (await isOver(all, Math.min(timeoutMs, left))) return
    }
    background?.(all)
  }

  /** Work that the answer need not wait for, if somebody takes it. */
  async #later(work: readonly (Promise<unknown> | undefined)[]): Promise<void> {
    const parts = work.filter((one) => one !== undefined)
    if (parts.length === 0) return
    const all = Promise.all(parts)
    this.#keep(all)
    const { background } = this.#settings
    if (background === undefined) await all
    else background(all)
  }

  #keep(work: Promise<unknown>): void {
    this.#working.add(work)
    void work.finally(() => this.#working.delete(work))
  }
}

function precisionOf({ capabilities: { ttl } }: Store<Bytes>): number {
  return ttl === false ? 1 : ttl.precisionMs
}

function whatChanged(outcome: WriteResult): 'nothing' | 'unknown' | 'something' {
  if (isStoreError(outcome)) return outcome.code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'nothing'
  return isConditionFailed(outcome) ? 'nothing' : 'something'
}

/** Whether work ends within so many milliseconds. */
async function isOver(work: Promise<unknown>, ms: number): Promise<boolean> {
  if (!(ms > 0)) return false
  let silence: Silence | undefined
  const late = new Promise<false>((resolve) => {
    silence = new Silence(ms, () => resolve(false))
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    silence?.end()
  }
}
