import { type Awaitable, isPromise, isStoreError, isWritten, type WriteResult } from '@unikv/core'
import { setTimeout } from '@unikv/core/platform'

/** Writes of a key that are under way, or in doubt. */
interface Writing {
  count: number
  /** Whether several ran at a time, so that it is unknown which one the store took last. */
  isMixed: boolean
}

/** Is told which mutation was acknowledged, while no other write of its key was under way or in doubt. */
export type Keep = (i: number, result: WriteResult) => void

/** How long after a write of unknown outcome its key is treated as still being written. */
export const doubtForMs = 10_000

/** The keys that are being written, or whose last write is in doubt. */
export class WritesUnderWay {
  readonly #writing = new Map<string, Writing>()
  readonly #changed: (key: string) => void

  /** @param changed Called with each key when a write of it begins, and when it ends. */
  constructor(changed: (key: string) => void) {
    this.#changed = changed
  }

  has(key: string): boolean {
    return this.#writing.has(key)
  }

  /** Whether one write of this key is under way, and none other was since it began, nor is in doubt. */
  isAlone(key: string): boolean {
    return this.#writing.get(key)?.isMixed === false
  }

  /** Somebody else has written keys like these meanwhile. */
  mix(isMeant: (key: string) => boolean): void {
    for (const [key, writing] of this.#writing) if (isMeant(key)) writing.isMixed = true
  }

  /** The same for one key. */
  mixOne(key: string): void {
    const writing = this.#writing.get(key)
    if (writing !== undefined) writing.isMixed = true
  }

  /** Run a write of these keys. */
  run<T extends readonly WriteResult[]>(
    keys: readonly string[],
    write: () => Awaitable<T>,
    keep?: Keep,
  ): Awaitable<T> {
    for (const key of keys) this.#begin(key)
    const done = (results: T): T => this.#written(keys, results, keep)
    const failed = (error: unknown): never => this.#failed(keys, error)
    let results: Awaitable<T>
    try {
      results = write()
    } catch (error) {
      return failed(error)
    }
    return isPromise(results) ? results.then(done, failed) : done(results)
  }

  #begin(key: string): void {
    const writing = this.#writing.get(key)
    if (writing === undefined) this.#writing.set(key, { count: 1, isMixed: false })
    else {
      writing.count++
      writing.isMixed = true
    }
    this.#changed(key)
  }

  #written<T extends readonly WriteResult[]>(keys: readonly string[], results: T, keep: Keep | undefined): T {
    for (const [i, key] of keys.entries()) {
      const result = results[i]
      const wasAlone = this.isAlone(key)
      this.#end(key, isUnknown(result))
      if (wasAlone && result !== undefined && isWritten(result)) keep?.(i, result)
    }
    return results
  }

  #failed(keys: readonly string[], error: unknown): never {
    for (const key of keys) this.#end(key, isUnknown(error))
    throw error
  }

  /** A write of unknown outcome may take effect a little later. */
  #end(key: string, unknown: boolean): void {
    this.#changed(key)
    if (unknown) setTimeout(() => this.#release(key), doubtForMs).unref()
    else this.#release(key)
  }

  #release(key: string): void {
    const writing = this.#writing.get(key)
    if (writing !== undefined && --writing.count === 0) this.#writing.delete(key)
  }
}

/** Whether a write, by its result or error, may take effect a little later. */
export function isUnknown(result: unknown): boolean {
  return isStoreError(result) && result.code === 'OUTCOME_UNKNOWN'
}
