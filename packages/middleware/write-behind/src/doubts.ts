import { keyBytes } from '@unikv/core/adapter'
import { clearTimeout, performance, setTimeout } from '@unikv/core/platform'
import type { WriteBehindSettings } from './options.ts'

/** Longest delay of a timer. */
const longestMs = 2 ** 31 - 1

/** Rough size in memory of a doubt without its key, and of each call that may come late to it. */
const [doubtBytes, lateBytes] = [512, 128]

/** A record of a key, by the name that its key has and its generation. */
export interface Target {
  readonly key: string
  readonly name: string
  readonly generation: number
}

/** The records of one key while a write or a removal of one of them may still come late. */
export interface Doubt {
  /** Unknown as long as its record, which cannot be read, is all that is known. */
  key: string | undefined
  /** The lowest generation that may have a record. */
  oldest: number
  /** The generation of the next record: above all to which something may come late. */
  newest: number
  /** The generation of the newest record that was acknowledged. */
  held: number
  /** Whether that record is a guard. */
  isGuarded: boolean
  /** Generations to which something may come late. */
  readonly late: number[]
  /** Size in memory, without `late`. */
  readonly bytes: number
}

/** Something may come late until then. */
interface Ending {
  readonly doubt: Doubt
  readonly generation: number
  readonly at: number
}

/** How long something may come late, and how much memory that may take. */
export type DoubtLimits = Pick<WriteBehindSettings, 'doubtMs' | 'maxQueuedBytes'>

/**
 * The keys of which a call of the journal ended without an outcome. It may take effect later, so the next record of the key
 * has another name: that of the next generation. A key that is not here has its record in generation 0.
 */
export class Doubts {
  readonly #doubtMs: number
  readonly #maxBytes: number
  readonly #ended: (keys: readonly string[]) => unknown
  readonly #byName = new Map<string, Doubt>()
  /** Those that end, in this order. */
  readonly #endings: Ending[] = []
  #bytes = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param ended Told of keys to which less may come late than before. */
  constructor({ doubtMs, maxQueuedBytes }: DoubtLimits, ended: (keys: readonly string[]) => unknown) {
    this.#doubtMs = doubtMs
    this.#maxBytes = maxQueuedBytes
    this.#ended = ended
  }

  /** Keys that are in doubt. */
  get size(): number {
    return this.#byName.size
  }

  /** Whether these take as much memory as they may. None of them can be forgotten early. */
  get isFull(): boolean {
    return this.#bytes >= this.#maxBytes
  }

  of(name: string): Doubt | undefined {
    return this.#byName.get(name)
  }

  /** The generation of the next record. */
  generationOf(name: string): number {
    return this.#byName.get(name)?.newest ?? 0
  }

  /** A call had no outcome. It comes to an end with `work`, and may take effect for `doubtMs` after that. */
  begin({ key, name, generation }: Target, work: Promise<unknown>): void {
    const doubt = this.#byName.get(name) ?? this.#made(key, name, 0)
    doubt.newest = Math.max(doubt.newest, generation + 1)
    this.#addLate(doubt, generation)
    if (generation >= doubt.held) doubt.isGuarded = false
    const end = (): void => this.#end(doubt, generation)
    work.then(end, end)
  }

  /** An earlier process was in doubt, and something that it sent may come still. */
  adopt(key: string | undefined, name: string, generation: number, isGuarded: boolean): void {
    const doubt = this.#made(key, name, generation)
    doubt.isGuarded = isGuarded
    this.#addLate(doubt, 0)
    this.#end(doubt, 0)
  }

  /** A record was acknowledged. */
  hold({ key, name, generation }: Target, isGuarded: boolean): void {
    const doubt = this.#byName.get(name)
    if (doubt !== undefined) Object.assign(doubt, { key, held: generation, isGuarded })
  }

  /** No record of the key is left, and none comes. */
  forget(name: string): void {
    this.#bytes -= this.#byName.get(name)?.bytes ?? 0
    this.#byName.delete(name)
  }

  /** Nothing is told any more. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  /** Keys to which less may come late than before. */
  over(): readonly string[] {
    const now = performance.now()
    const later = this.#endings.findIndex(({ at }) => at > now)
    const over = this.#endings.splice(0, later < 0 ? this.#endings.length : later)
    for (const { doubt, generation } of over) doubt.late.splice(doubt.late.indexOf(generation), 1)
    this.#bytes -= over.length * lateBytes
    return Array.from(new Set(over.flatMap(({ doubt }) => doubt.key ?? [])))
  }

  #made(key: string | undefined, name: string, held: number): Doubt {
    const bytes = doubtBytes + keyBytes(key ?? '')
    const doubt = { key, oldest: 0, newest: held + 1, held, isGuarded: false, late: [], bytes }
    this.#byName.set(name, doubt)
    this.#bytes += bytes
    return doubt
  }

  #addLate(doubt: Doubt, generation: number): void {
    doubt.late.push(generation)
    this.#bytes += lateBytes
  }

  #end(doubt: Doubt, generation: number): void {
    const at = performance.now() + this.#doubtMs
    if (at === Number.POSITIVE_INFINITY) return
    this.#endings.push({ doubt, generation, at })
    if (this.#endings.length === 1) this.#wait()
  }

  #wait(): void {
    const next = this.#endings[0]
    if (next === undefined || this.#isClosed) return
    const ms = Math.min(longestMs, Math.max(0, next.at - performance.now()))
    this.#timer = setTimeout(() => this.#tell(), ms)
    this.#timer.unref()
  }

  #tell(): void {
    const keys = this.over()
    this.#wait()
    if (keys.length > 0) this.#ended(keys)
  }
}
