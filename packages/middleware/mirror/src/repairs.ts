import { type ErrorCode, toStoreError } from '@unikv/core'
import { clearTimeout, setTimeout } from '@unikv/core/platform'
import type { Counters } from './events.ts'
import type { Journal } from './journal.ts'
import type { Lane } from './lane.ts'
import type { Lanes } from './lanes.ts'
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
  readonly lanes: Lanes
  readonly pair: Pair
  readonly settings: MirrorSettings
  readonly counters: Counters
  readonly journal: Journal | undefined
  /** Told of work that `close` has to wait for. It never rejects. */
  readonly keep: (work: Promise<unknown>) => void
  /** There is room again for marks that wait in the journal. */
  readonly onRoom: () => void
}

/** The keys that are owed to the secondary, and their repairs: a few at a time, one while a side fails. */
export class Repairs {
  readonly dirty: Set<Lane> = new Set()
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
  owe(lane: Lane, { code, doubt = false, inMs = 0, force = false }: Debt): void {
    const { now, doubtMs, onEvent } = this.#settings
    const dueAt = now() + inMs
    if (doubt) lane.doubtUntil = now() + doubtMs
    lane.dueAt = lane.owed ? Math.min(lane.dueAt, dueAt) : dueAt
    lane.owed = true
    if (!this.dirty.has(lane)) {
      if (this.isFull && !force) return this.#overflow(lane)
      this.dirty.add(lane)
      onEvent({ type: 'owed', dirty: this.dirty.size, code })
    }
    this.wake()
  }

  /** End what is known of a key if nothing is left to do. The promise is of what is left in the journal. */
  settle(lane: Lane): Promise<void> | undefined {
    if (!lane.isIdle) return undefined
    this.dirty.delete(lane)
    lane.doubtUntil = 0
    lane.failures = 0
    this.#parts.lanes.drop(lane)
    lane.tell()
    if (this.spilled && this.dirty.size <= this.#settings.maxDirty / 2) this.#parts.onRoom()
    if (lane.marks.size === 0) return undefined
    const marks = new Map(lane.marks)
    lane.marks.clear()
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
    for (const lane of this.dirty) {
      if (this.#running >= most) return
      if (lane.busy || !lane.owed) continue
      if (lane.dueAt <= now) void this.#repair(lane)
      else nextAt = Math.min(nextAt, lane.dueAt)
    }
    if (nextAt !== Number.POSITIVE_INFINITY) this.#sleep(nextAt - now)
  }

  /** Try each of these keys once, now, if it is owed; until a side fails. */
  async tryAll(lanes: Iterable<Lane> = this.dirty): Promise<void> {
    const due = Array.from(lanes)
    const inTurn = async (): Promise<void> => {
      for (let lane = due.shift(); lane !== undefined; lane = due.shift()) {
        while (lane.busy) await lane.tried()
        if (lane.owed) await this.#repair(lane)
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

  async #repair(lane: Lane): Promise<void> {
    const { now, onEvent } = this.#settings
    const startedAt = now()
    const wasFailing = this.isFailing
    // Whatever ends from now on makes it owed again.
    lane.owed = false
    lane.busy = true
    this.#running++
    let code: ErrorCode | undefined
    try {
      await repair(lane.key, this.#pair)
    } catch (error) {
      code = toStoreError(error, {}).code
    }
    this.#running--
    lane.busy = false
    if (code === undefined) this.#held(lane, startedAt)
    else this.#failed(lane, code)
    if (wasFailing && !this.isFailing) this.#hurry()
    if (!lane.owed || code !== undefined || lane.dueAt > now()) lane.tell()
    onEvent({ type: 'repair', dirty: this.dirty.size, code })
    this.wake()
  }

  #held(lane: Lane, startedAt: number): void {
    this.#parts.counters.repairs++
    lane.failures = 0
    if (lane.doubtUntil > startedAt) {
      const inMs = Math.max(0, lane.doubtUntil - this.#settings.now())
      return this.owe(lane, { inMs, force: true })
    }
    const removal = this.settle(lane)
    if (removal !== undefined) this.#parts.keep(removal)
  }

  #failed(lane: Lane, code: ErrorCode): void {
    this.#parts.counters.failedRepairs++
    lane.failures++
    const inMs = waitMs(this.#settings, lane.failures)
    this.owe(lane, { code, doubt: code === 'OUTCOME_UNKNOWN', inMs, force: true })
  }

  /** Both sides work again: nobody waits for the end of a pause that was meant for a failing one. */
  #hurry(): void {
    const now = this.#settings.now()
    for (const lane of this.dirty) {
      if (lane.failures === 0) continue
      lane.failures = 0
      lane.dueAt = Math.min(lane.dueAt, now)
    }
  }

  /** No room: a mark that lies in the durable journal is read again when there is; anything else is lost, loudly. */
  #overflow(lane: Lane): void {
    lane.owed = false
    if (lane.marks.size > 0) {
      this.spilled = true
      this.#parts.counters.spilled++
    } else {
      this.overflows++
      this.lostDoubtUntil = Math.max(this.lostDoubtUntil, lane.doubtUntil)
      if (!this.mustResync) this.#settings.onEvent({ type: 'must resync' })
      this.mustResync = true
    }
    lane.marks.clear()
    lane.tell()
    this.#parts.lanes.drop(lane)
  }

  #sleep(ms: number): void {
    this.#timer = setTimeout(() => this.wake(), Math.min(Math.ceil(ms), maxTimerMs))
    this.#timer.unref()
  }
}
