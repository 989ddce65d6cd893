import type { StoreError } from '@unikv/core'
import { bytesOf, type Change, chainOf, type Queued } from './queued.ts'
import { Replaced } from './replaced.ts'
import type { Room } from './room.ts'
import type { Counters } from './stats.ts'

/** Every so many batches one that is slow goes first, so that others do not keep it back for ever. */
const turnsOfOthers = 8

/**
 * Writes that are not yet in the store: of each key the newest change, and the one that is on its way there. The
 * caller takes room for a change before it puts it in.
 */
export class Queue {
  readonly #waiting = new Map<string, Queued>()
  readonly #underWay = new Map<string, Queued>()
  readonly #room: Room
  readonly #replaced: Replaced
  readonly #counters: Counters
  #turn = 0

  constructor(room: Room, counters: Counters, maxBytes: number) {
    this.#room = room
    this.#replaced = new Replaced(maxBytes)
    this.#counters = counters
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#underWay.size === 0
  }

  /** Keys that wait for their way to the store. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** The newest change of a key. */
  find(key: string): Queued | undefined {
    return this.#waiting.get(key) ?? this.#underWay.get(key)
  }

  /** The newest changes. */
  all(): readonly Queued[] {
    const superseded = (key: string): boolean => this.#waiting.has(key)
    const underWay = Array.from(this.#underWay.values()).filter(({ change }) => !superseded(change.key))
    return [...underWay, ...this.#waiting.values()]
  }

  /** Put a change in, in the place of an older one that still waits. */
  put(change: Change, isAcknowledged: boolean): Queued {
    const before = this.#waiting.get(change.key)
    const queued: Queued = {
      change,
      bytes: bytesOf(change),
      isAcknowledged,
      isAlone: false,
      isSlow: false,
      failedAt: undefined,
      before: undefined,
      told: new Set(),
      follower: undefined,
    }
    // A key that waits already keeps its turn.
    this.#waiting.set(change.key, queued)
    if (before !== undefined) this.#supersede(queued, before)
    return queued
  }

  /** The changes that go to the store next, at least one: oldest first. */
  take(maxItems: number, maxBytes: number): readonly Queued[] {
    this.#turn++
    const taken = this.#next(maxItems, maxBytes)
    for (const queued of taken) {
      this.#waiting.delete(queued.change.key)
      this.#underWay.set(queued.change.key, queued)
    }
    return taken
  }

  /** It is in the store, or with an error: it will not be. Then what it replaced goes there in its place, and is returned. */
  end(queued: Queued, error?: StoreError): Queued | undefined {
    this.#underWay.delete(queued.change.key)
    this.#room.give(queued.bytes)
    const { before } = queued
    this.#replaced.release(queued)
    for (const one of error === undefined ? [queued, ...chainOf(before)] : [queued])
      for (const tell of one.told) tell(error)
    return error === undefined || before === undefined ? undefined : this.#restore(before)
  }

  /** Write it once more, unless a newer change waits; whether it will be. */
  again(queued: Queued): boolean {
    const { key } = queued.change
    this.#underWay.delete(key)
    const newer = this.#waiting.get(key)
    if (newer === undefined) {
      this.#waiting.set(key, queued)
      return true
    }
    this.#supersede(newer, queued)
    return false
  }

  #next(maxItems: number, maxBytes: number): readonly Queued[] {
    const taken: Queued[] = []
    let bytes = 0
    let slow: Queued | undefined
    for (const queued of this.#waiting.values()) {
      if (queued.isSlow) {
        slow ??= queued
        if (taken.length === 0 && this.#turn % turnsOfOthers === 0) return [queued]
        continue
      }
      if (queued.isAlone && taken.length > 0) continue
      bytes += queued.bytes
      if (taken.length > 0 && bytes > maxBytes) break
      taken.push(queued)
      if (queued.isAlone || taken.length >= maxItems) break
    }
    return taken.length === 0 && slow !== undefined ? [slow] : taken
  }

  #restore(before: Queued): Queued | undefined {
    const newer = this.#waiting.get(before.change.key)
    if (newer !== undefined) {
      this.#replaced.keep(newer, before)
      return undefined
    }
    this.#counters.coalesced--
    this.#room.take(before.bytes)
    this.#replaced.hold(before)
    before.isAlone = true
    this.#waiting.set(before.change.key, before)
    return before
  }

  #supersede(newer: Queued, older: Queued): void {
    this.#counters.coalesced++
    this.#room.give(older.bytes)
    this.#replaced.release(older)
    this.#replaced.keep(newer, older)
  }
}
