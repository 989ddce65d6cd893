import { z } from 'zod'
import type { Plain } from '../options/option.ts'
import { Fnv64 } from './scrambled.ts'

/** Numbers that may wait for a smaller one. When more do, that one counts as absent until it is acknowledged. */
const MOST_WAITING = 65_536

/** The numbers that exist at the start of a run. */
export interface LoadedKeys {
  /** @default 0 */
  readonly first?: number | undefined
  readonly count: number
}

/**
 * Which numbers of keys exist: those loaded, and those inserted since. An inserted key can be drawn once its insert was
 * acknowledged. Inserts end in any order, so `last` rises only over numbers whose inserts have all ended; one that
 * failed leaves a number that does not exist, which draws skip.
 */
export class KeySpace {
  readonly first: number
  #last: number
  #next: number
  /** Inserts up to this number have ended. */
  #ended: number
  /** Inserts above that number that have ended, and whether the key exists. */
  readonly #waiting = new Map<number, boolean>()
  readonly #absent = new Set<number>()

  constructor({ first = 0, count }: LoadedKeys) {
    this.first = first
    this.#last = first + count - 1
    this.#ended = this.#last
    this.#next = first + count
  }

  /** The last number that can be drawn; `first` − 1 while there is none. */
  get last(): number {
    return this.#last
  }

  /** Numbers from `first` to `last`, those that do not exist included. */
  get count(): number {
    return this.#last - this.first + 1
  }

  /** Whether the key with this number was loaded, or inserted and acknowledged. */
  has(number: number): boolean {
    return (
      number >= this.first && number <= this.#last && !(this.#absent.size > 0 && this.#absent.has(number))
    )
  }

  /** The next number to insert. It must be given to `acknowledge` or `abandon` when the insert has ended. */
  insert(): number {
    return this.#next++
  }

  /** The insert of this number succeeded. */
  acknowledge(number: number): void {
    this.#end(number, true)
  }

  /** The insert of this number failed: the key counts as absent. */
  abandon(number: number): void {
    this.#end(number, false)
  }

  #end(number: number, exists: boolean): void {
    if (number <= this.#ended) return this.#endLate(number, exists)
    if (number > this.#ended + 1) {
      this.#waiting.set(number, exists)
      if (this.#waiting.size <= MOST_WAITING) return
      this.#settle(this.#ended + 1, false)
    } else this.#settle(number, exists)
    while (this.#waiting.size > 0) {
      const next = this.#waiting.get(this.#ended + 1)
      if (next === undefined) return
      this.#waiting.delete(this.#ended + 1)
      this.#settle(this.#ended + 1, next)
    }
  }

  #settle(number: number, exists: boolean): void {
    this.#ended = number
    if (exists) this.#last = number
    else this.#absent.add(number)
  }

  /** An insert that too many others had to wait for. */
  #endLate(number: number, exists: boolean): void {
    if (!exists || !this.#absent.delete(number)) return
    this.#last = Math.max(this.#last, number)
  }
}

/** The schema of `KeyNames`; the defaults are YCSB's. */
export const keyNamesSchema = z.strictObject({
  /** @default 'user' */
  prefix: z.string().max(200).default('user').describe('what names of keys begin with'),
  /** The name holds the number itself, or its hash, which scatters neighbours over the key space. @default 'hashed' */
  order: z
    .enum(['hashed', 'ordered'])
    .default('hashed')
    .describe('number of a key in its name: hashed or as it is'),
  /** Digits at least, filled with zeros, so that names can be sorted like their numbers. @default 1 */
  zeroPadding: z.int().min(1).max(100).default(1).describe('digits of the number at least'),
})

/** How the number of a key becomes its name. */
export type KeyNames = Plain<typeof keyNamesSchema>

/**
 * A function that names keys as YCSB does: number 0 is `user6284781860667377211`, and with `order: 'ordered'` and
 * `zeroPadding: 4` it is `user0000`.
 */
export function keyNames(options: Partial<KeyNames> = {}): (number: number) => string {
  const { prefix = 'user', order = 'hashed', zeroPadding = 1 } = options
  const fnv = new Fnv64()
  const digits = (number: number): string => {
    if (order === 'ordered') return String(number)
    fnv.hash(number)
    return fnv.toString()
  }
  if (zeroPadding <= 1) return (number) => prefix + digits(number)
  return (number) => prefix + digits(number).padStart(zeroPadding, '0')
}

/** The number of a key by its name; `undefined`: it is not one of these names, or names are hashed, which cannot be undone. */
export function keyNumbers({
  prefix = 'user',
  order = 'hashed',
}: Partial<KeyNames> = {}): (name: string) => number | undefined {
  if (order === 'hashed') return () => undefined
  return (name) => {
    const digits = name.slice(prefix.length)
    return name.startsWith(prefix) && /^\d{1,15}$/.test(digits) ? Number(digits) : undefined
  }
}
