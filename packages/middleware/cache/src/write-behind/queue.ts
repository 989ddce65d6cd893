import type { Bytes, DeleteMutation, SetMutation, StoreError } from '@unikv/core'
import { keyBytes } from '@unikv/core/adapter'
import type { Room } from './room.ts'
import type { Counters } from './stats.ts'

/** A write that waits: its value is ours, and its expiry is absolute. */
export type Change =
  | (Omit<SetMutation<Bytes>, 'expiresAt' | 'ifVersion'> & { readonly expiresAt: number | undefined })
  | Omit<DeleteMutation, 'ifVersion'>

/** Told what became of a write, or of the one that replaced it: an error, or nothing. */
export type Told = (error: StoreError | undefined) => void

/** A change on its way to the store. */
export interface Queued {
  readonly change: Change
  readonly bytes: number
  /** Its writer was told that it is done. */
  readonly isAcknowledged: boolean
  /** It goes to the store without others, as one of them may be why it was refused. */
  isAlone: boolean
  told: Told[]
}

/** What an entry of the queue takes besides its key and value, roughly. */
const overheadBytes = 256

/** Bytes that a change takes in the queue. */
export function bytesOf(change: Change): number {
  return overheadBytes + keyBytes(change.key) + (change.type === 'set' ? change.value.length : 0)
}

/**
 * What was written and is not yet in the store: of each key the newest change, and the one that is on its way there. The
 * room that a change takes was taken by whoever puts it in.
 */
export class Queue {
  readonly #waiting = new Map<string, Queued>()
  readonly #underWay = new Map<string, Queued>()
  readonly #room: Room
  readonly #counters: Counters

  constructor(room: Room, counters: Counters) {
    this.#room = room
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
    const queued = {
      change,
      bytes: bytesOf(change),
      isAcknowledged,
      isAlone: false,
      told: before?.told ?? [],
    }
    // A key that waits already keeps its turn.
    this.#waiting.set(change.key, queued)
    if (before !== undefined) this.#supersede(before)
    return queued
  }

  /** What goes to the store next, at least one: oldest first. */
  take(maxItems: number, maxBytes: number): readonly Queued[] {
    const taken: Queued[] = []
    let bytes = 0
    for (const queued of this.#waiting.values()) {
      if (queued.isAlone && taken.length > 0) continue
      bytes += queued.bytes
      if (taken.length > 0 && bytes > maxBytes) break
      taken.push(queued)
      if (queued.isAlone || taken.length >= maxItems) break
    }
    for (const queued of taken) {
      this.#waiting.delete(queued.change.key)
      this.#underWay.set(queued.change.key, queued)
    }
    return taken
  }

  /** It is in the store, or with an error: it will not be. */
  end(queued: Queued, error?: StoreError): void {
    this.#underWay.delete(queued.change.key)
    this.#room.give(queued.bytes)
    for (const tell of queued.told) tell(error)
  }

  /** It is to be written once more, unless a newer change waits; whether it is. */
  again(queued: Queued): boolean {
    const { key } = queued.change
    this.#underWay.delete(key)
    const newer = this.#waiting.get(key)
    if (newer === undefined) {
      this.#waiting.set(key, queued)
      return true
    }
    newer.told.push(...queued.told)
    this.#supersede(queued)
    return false
  }

  #supersede(queued: Queued): void {
    this.#counters.coalesced++
    this.#room.give(queued.bytes)
  }
}
