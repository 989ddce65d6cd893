import type { Entry } from '@unikv/core'
import type { Linked } from './recently-used.ts'

/** What a cache in this process keeps of one key. */
export class Kept implements Linked<Kept> {
  readonly key: string
  /** As it is handed out; `undefined`: known to be absent. */
  readonly entry: Entry<unknown> | undefined
  /** Makes the value of one reader; without it all get the same. */
  readonly copy: ((value: unknown) => unknown) | undefined
  /** As accounted for. */
  readonly bytes: number
  /** Monotonic, in milliseconds. */
  readonly freshUntil: number
  /** Monotonic, in milliseconds. */
  readonly keptUntil: number
  /** Whether it ends at some time, so that a hit must look at a clock. */
  readonly timed: boolean
  /** Whether a hit is the entry itself, now and later. */
  readonly isSimple: boolean

  newer: Kept | undefined
  older: Kept | undefined

  constructor(
    key: string,
    entry: Entry<unknown> | undefined,
    copy: ((value: unknown) => unknown) | undefined,
    bytes: number,
    { freshUntil, keptUntil }: { readonly freshUntil: number; readonly keptUntil: number },
  ) {
    this.key = key
    this.entry = entry
    this.copy = copy
    this.bytes = bytes
    this.freshUntil = freshUntil
    this.keptUntil = keptUntil
    this.timed = freshUntil !== Number.POSITIVE_INFINITY || entry?.expiresAt !== undefined
    this.isSimple = !this.timed && copy === undefined
  }
}
