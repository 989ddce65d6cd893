import {
  type Bytes,
  type CallOptions,
  type Entry,
  isEntry,
  isLive,
  isStoreError,
  newVersion,
  type Store,
} from '@unikv/core'
import { derive } from '@unikv/core/adapter'
import { monotonicClock, wallClock } from '@unikv/core/platform'
import type { Log } from '../log/log.ts'
import type { Fate } from '../log/record.ts'
import { type Frame, isPrepared, type Part, readFrame, stored, unescaped } from './frame.ts'

/** How many transactions of others are remembered, to know how long they have been undecided. */
const mostObserved = 10_000
/** A reader leaves a record to its transaction for so long after the decision. */
const patienceMs = 50

/** A prepared record, as it lies in the store. */
export interface FramedEntry {
  readonly key: string
  readonly frame: Frame
  readonly entry: Entry<Bytes>
}

/** How `seen` looks at a record. */
export interface SeenSettings {
  /** As it was found. @default it is read */
  readonly known?: Entry<Bytes> | undefined
  /** Wait for the decision; else what is not decided is as it was before. @default true */
  readonly waits?: boolean | undefined
}

/** The end of prepared records, for one layer. */
export class Settling {
  readonly #inner: Store<Bytes>
  readonly #log: Log
  readonly #leaseMs: number
  /** When this process first met a transaction that was not decided, by its id. */
  readonly #observed = new Map<string, number>()

  constructor(inner: Store<Bytes>, log: Log, leaseMs: number) {
    this.#inner = inner
    this.#log = log
    this.#leaseMs = leaseMs
  }

  /** The record of a key as it lies in the store now. */
  async look(key: string, call: CallOptions): Promise<Entry<Bytes> | undefined> {
    const [found] = await this.#inner.read([{ key }], strongly(this.#inner, call))
    if (isStoreError(found)) throw found
    return isEntry(found) ? found : undefined
  }

  /**
   * The record of a key once no transaction is undecided about it. A transaction that is not decided within the lease is aborted, by
   * who waited for it; its clock alone counts.
   */
  async seen(
    key: string,
    call: CallOptions,
    { known, waits = true }: SeenSettings = {},
  ): Promise<Part | undefined> {
    let entry = known ?? (await this.look(key, call))
    for (let count = 0; entry !== undefined && isPrepared(entry.value); count++) {
      const frame = readFrame(entry.value)
      const fate = await this.#fateOf(frame.by, call)
      if (fate !== undefined) {
        if (this.#ageOf(frame.by) > patienceMs) void this.settle({ key, frame, entry }, fate === 'committed')
        return fate === 'committed' ? frame.next : frame.present
      }
      if (!waits) return frame.present
      await this.#log.wait(frame.by, Math.min(50, 2 ** count), call)
      entry = await this.look(key, call)
    }
    return entry && partOf(entry)
  }

  /** Wait until the record of a key is not prepared any more, and settle it where its transaction does not. */
  async free(key: string, call: CallOptions): Promise<Entry<Bytes> | undefined> {
    for (let count = 0; ; count++) {
      const entry = await this.look(key, call)
      if (entry === undefined || !isPrepared(entry.value)) return entry
      const frame = readFrame(entry.value)
      const fate = await this.#fateOf(frame.by, call)
      const isSettled = fate !== undefined && (await this.settle({ key, frame, entry }, fate === 'committed'))
      if (!isSettled) await this.#log.wait(frame.by, Math.min(50, 2 ** count), call)
    }
  }

  /** Write the record that the decision leaves, if it is still as it was prepared. Resolves to whether that is done; it never fails. */
  async settle({ key, frame, entry }: FramedEntry, isCommitted: boolean): Promise<boolean> {
    const part = live(isCommitted ? frame.next : frame.present)
    const ifVersion = entry.version
    const call = derive({ deadlineAt: monotonicClock() + this.#leaseMs }, { sent: 'own' })
    try {
      const [result] = await this.#inner.write(
        [
          part === undefined
            ? { type: 'delete', key, version: newVersion(), ifVersion }
            : { ...part, type: 'set', key, value: stored(part.value), ifVersion },
        ],
        call,
      )
      return !isStoreError(result)
    } catch {
      return false // The next reader of the record settles it.
    }
  }

  async #fateOf(id: string, call: CallOptions): Promise<Fate | undefined> {
    const fate = await this.#log.fate(id, call)
    if (fate !== undefined || this.#ageOf(id) < this.#leaseMs) return fate
    return this.#log.abort(id, call)
  }

  /** How long ago this process first met it. */
  #ageOf(id: string): number {
    const now = monotonicClock()
    const since = this.#observed.get(id)
    if (since !== undefined) return now - since
    if (this.#observed.size >= mostObserved)
      this.#observed.delete(this.#observed.keys().next().value as string)
    this.#observed.set(id, now)
    return 0
  }
}

/** A record that has not expired. */
export function live(part: Part | undefined): Part | undefined {
  return part !== undefined && isLive(part.expiresAt, wallClock()) ? part : undefined
}

/** A record that no transaction has prepared. */
export function partOf({ value, version, expiresAt }: Entry<Bytes>): Part {
  return { value: unescaped(value), version: version as string, expiresAt }
}

/** The call, at the level that sees every acknowledged write. */
export function strongly(store: Store<Bytes>, call: CallOptions): CallOptions {
  return store.capabilities.consistency.includes('strong') ? derive(call, { consistency: 'strong' }) : call
}
