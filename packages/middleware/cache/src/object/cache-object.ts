import { isPromise } from '@unikv/core'
import { heard } from '@unikv/core/adapter'
import type { CachedEntry } from '../values/cached-entry.ts'

/**
 * A cache of somebody's own, such as an `LRUCache` of the package `lru-cache`, or a `Map`: keeps values by key for as long
 * as it likes. `get` answers at once with the value that the last `set` of the key gave, or with nothing, and with nothing
 * after `delete`. Where one of these throws, or `delete` answers with a promise, nothing that lies there counts any more.
 */
export interface CacheObject {
  /** The value that was last set for the key, or nothing. */
  get(key: string): unknown
  /** Keep a value, as long as the object likes. */
  set(key: string, value: Cached): unknown
  /** Forget the value of the key. */
  delete(key: string): unknown
  /** As `get`, without a use of the entry, if there is such a method. */
  peek?(key: string): unknown
}

/** Entry that a cache puts into a `CacheObject`: opaque, but for its size. */
export interface Cached {
  /** Bytes of key, value and entry, by `sizeOf`: for the object's own limits. */
  readonly bytes: number
}

/** Entry in the object for one key. */
class Held implements Cached {
  readonly kept: CachedEntry
  readonly mark: object

  constructor(kept: CachedEntry, mark: object) {
    this.kept = kept
    this.mark = mark
  }

  get bytes(): number {
    return this.kept.bytes
  }
}

/** The entries of a cache in an object of somebody's own, which decides who makes room. */
export class ObjectResidents {
  readonly #object: CacheObject
  /** Tells entries of this cache since it was last cleared from all else in the object. */
  #mark: object = {}

  constructor(object: CacheObject) {
    this.#object = object
  }

  /** 0 if the object does not tell. */
  get size(): number {
    return numberOf((this.#object as { readonly size?: unknown }).size)
  }

  /** 0 if the object does not tell. */
  get bytes(): number {
    return numberOf((this.#object as { readonly calculatedSize?: unknown }).calculatedSize)
  }

  get(key: string): CachedEntry | undefined {
    return this.#asked(key, () => this.#object.get(key))
  }

  peek(key: string): CachedEntry | undefined {
    const object = this.#object
    return this.#asked(key, () => (typeof object.peek === 'function' ? object.peek(key) : object.get(key)))
  }

  set(kept: CachedEntry): void {
    this.#changed(() => {
      // First, as the object may refuse the new one and would keep the old.
      const gone = heard(this.#object.delete(kept.key))
      heard(this.#object.set(kept.key, new Held(kept, this.#mark)))
      return gone
    })
  }

  delete(key: string): void {
    this.#changed(() => heard(this.#object.delete(key)))
  }

  #asked(key: string, ask: () => unknown): CachedEntry | undefined {
    try {
      return this.#own(key, heard(ask()))
    } catch {
      this.clear()
      return undefined
    }
  }

  /** The content of the object is unknown after a change that failed, or whose promise may still fail. `remove` answers as `delete` does. */
  #changed(remove: () => unknown): void {
    try {
      if (isPromise(remove())) this.clear()
    } catch {
      this.clear()
    }
  }

  /** The object does not tell its keys, so all goes. */
  deleteAll(): void {
    this.clear()
  }

  /** Nothing in the object counts any more. It is not emptied: something else may lie there, too. */
  clear(): void {
    this.#mark = {}
  }

  hasRoomFor(): boolean {
    return false
  }

  hottest(): readonly CachedEntry[] {
    return []
  }

  /** The entry, unless it is of another cache, from before a `clear`, or of another key. */
  #own(key: string, found: unknown): CachedEntry | undefined {
    const held = found as Held | null | undefined
    return held?.mark === this.#mark && held.kept.key === key ? held.kept : undefined
  }
}

function numberOf(told: unknown): number {
  return typeof told === 'number' ? told : 0
}
