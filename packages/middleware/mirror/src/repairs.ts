import { type ErrorCode, toStoreError } from '@unikv/core'
import { clearTimeout, setTimeout } from '@unikv/core/platform'
import type { Counters } from './events.ts'
import type { KeyState } from './key-state.ts'
import type { KeyStates } from './key-states.ts'
import type { MarkJournal } from './mark-journal.ts'
import type { MirrorSettings } from './mirror-options.ts'
import { waitMs } from './pause.ts'
import { type Pair, repair } from './repair.ts'

/** Most repairs at once. */
const width = 16
/** Longest delay of a timer. */
const maxTimerMs = 2 ** 31 - 1

/** Why a key is owed, and how urgent that is. */
export interface Debt {
  /** The failure behind it, if there was one. */
  readonly code?: ErrorCode | undefined
  /** A write may still take effect. */
  readonly doubt?: boolean
  /** Not before so many milliseconds have passed. */
  readonly inMs?: number
  /** Even if the journal is full. */
  readonly force?: boolean
}

/** The parts of repairs. */
export interface RepairParts {
  readonly states: KeyStates
  readonly pair: Pair
  readonly settings: MirrorSettings
  readonly counters: Counters
  readonly journal: MarkJournal | undefined
  /** Told of work that `close` has to wait for. It never rejects. */
  readonly keep: (work: Promise<unknown>) => void
  /** There is room again for marks that wait in the journal. */
  readonly onRoom: () => void
}

/** The keys that are owed to the secondary, and their repairs: a few at a time, one while a side fails. */
export class Repairs {
  readonly dirty: Set<KeyState> = new Set()
  /** Whether keys found no room. */
  mustResync = false
  /** How often that happened: a resync that it happened to does not count. */
  overflows = 0
  /** Until when a write to one of these keys may still take effect. */
  lostDoubtUntil = 0
  /** Whether marks of the durable journal wait for room in memory. */
  spilled = false
  readonly #parts: RepairParts
  readonly #pair: Pair
  readonly #settings: MirrorSettings
  #running = 0
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(parts: RepairParts) {
    this.#parts = parts
    this.#pair = parts.pair
    this.#settings = parts.settings
  }

  /** Whether a side failed when it was last asked: then one repair at a time tries, after a pause. */
  get isFailing(): boolean {
    return this.#pair.primary.pause.isFailing || this.#pair.secondary.pause.isFailing
  }

  /** Whether one more key would find no room. */
  get isFull(): boolean {
    return this.dirty.size >= this.#settings.maxDirty
  }

  /** Note that a key may differ, and repair it as soon as may be. */
  owe(state: KeyState, { code, doubt = false, inMs = 0, force = false }: Debt): void {
    const { now, doubtMs, onEvent } = this.#settings
    const dueAt = now() + inMs
    if (doubt) state.doubtUntil = now() + doubtMs
    state.dueAt = state.owed ? Math.min(state.dueAt, dueAt) : dueAt
    state.owed = true
    if (!this.dirty.has(state)) {
      if (this.isFull && !force) return this.#overflow(state)
      this.dirty.add(state)
      onEvent({ type: 'owed', dirty: this.dirty.size, code })
    }
    this.wake()
  }

  /** End what is known of a key if nothing is left to do. The promise is of what is left in the journal. */
  settle(state: KeyState): Promise<void> | undefined {
    if (!state.isIdle) return undefined
    this.dirty.delete(state)
    state.doubtUntil = 0
    state.failures = 0
    this.#parts.states.drop(state)
    state.tell()
    if (this.spilled && this.dirty.size <= this.#settings.maxDirty / 2) this.#parts.onRoom()
    if (state.marks.size === 0) return undefined
    const marks = new Map(state.marks)
    state.marks.clear()
    return this.#parts.journal?.remove(marks)
  }

  /** Begin the repairs that are due, and see to it that the others are begun later. */
  wake(): void {
    if (this.#isStopped) return
    clearTimeout(this.#timer)
    const now = this.#settings.now()
    const { primary, secondary } = this.#pair
    const pausedUntil = Math.max(primary.pause.until, secondary.pause.until)
    if (pausedUntil > now) return this.#sleep(pausedUntil - now)
    const most = this.isFailing ? 1 : width
    let nextAt = Number.POSITIVE_INFINITY
    for (const state of this.dirty) {
      if (this.#running >= most) return
      if (state.busy || !state.owed) continue
      if (state.dueAt <= now) void this.#repair(state)
      else nextAt = Math.min(nextAt, state.dueAt)
    }
    if (nextAt !== Number.POSITIVE_INFINITY) this.#sleep(nextAt - now)
  }

  /** Try each of these keys once, now, if it is owed; until a side fails. */
  async tryAll(states: Iterable<KeyState> = this.dirty): Promise<void> {
    const due = Array.from(states)
    const inTurn = async (): Promise<void> => {
      for (let state = due.shift(); state !== undefined; state = due.shift()) {
        while (state.busy) await state.tried()
        if (state.owed) await this.#repair(state)
        if (this.isFailing) return
      }
    }
    await Promise.all(Array.from({ length: Math.min(width, due.length) }, inTurn))
  }

  /** Begin nothing any more. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  async #repair(state: KeyState): Promise<void> {
    const { now, onEvent } = this.#settings
    const startedAt = now()
    const wasFailing = this.isFailing
    // A write that ends from now on makes it owed again.
    state.owed = false
    state.busy = true
    this.#running++
    let code: ErrorCode | undefined
    try {
      await repair(state.key, this.#pair)
    } catch (error) {
      code = toStoreError(error, {}).code
    }
    this.#running--
    state.busy = false
    if (code === undefined) this.#held(state, startedAt)
    else this.#failed(state, code)
    if (wasFailing && !this.isFailing) this.#hurry()
    if (!state.owed || code !== undefined || state.dueAt > now()) state.tell()
    onEvent({ type: 'repair', dirty: this.dirty.size, code })
    this.wake()
  }

  #held(state: KeyState, startedAt: number): void {
    this.#parts.counters.repairs++
    state.failures = 0
    if (state.doubtUntil > startedAt) {
      const inMs = Math.max(0, state.doubtUntil - this.#settings.now())
      return this.owe(state, { inMs, force: true })
    }
    const removal = this.settle(state)
    if (removal !== undefined) this.#parts.keep(removal)
  }

  #failed(state: KeyState, code: ErrorCode): void {
    this.#parts.counters.failedRepairs++
    state.failures++
    const inMs = waitMs(this.#settings, state.failures)
    this.owe(state, { code, doubt: code === 'OUTCOME_UNKNOWN', inMs, force: true })
  }

  /** Both sides work again: end the pauses that were meant for a failing one. */
  #hurry(): void {
    const now = this.#settings.now()
    for (const state of this.dirty) {
      if (state.failures === 0) continue
      state.failures = 0
      state.dueAt = Math.min(state.dueAt, now)
    }
  }

  /** No room: a mark that lies in the durable journal is read again when there is; anything else is lost, loudly. */
  #overflow(state: KeyState): void {
    state.owed = false
    if (state.marks.size > 0) {
      this.spilled = true
      this.#parts.counters.spilled++
    } else {
      this.overflows++
      this.lostDoubtUntil = Math.max(this.lostDoubtUntil, state.doubtUntil)
      if (!this.mustResync) this.#settings.onEvent({ type: 'must resync' })
      this.mustResync = true
    }
    state.marks.clear()
    state.tell()
    this.#parts.states.drop(state)
  }

  #sleep(ms: number): void {
    this.#timer = setTimeout(() => this.wake(), Math.min(Math.ceil(ms), maxTimerMs))
    this.#timer.unref()
  }
}
