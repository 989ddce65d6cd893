import fs from 'node:fs'
import { StoreError } from '@unikv/core'
import { setImmediate } from '@unikv/core/platform'

/**
 * Files that are open, and whether they are where they were: what is written into a file that was moved or removed is lost,
 * and two processes with two lock files lock nothing.
 */
export class InPlace {
  readonly #paths: readonly string[]
  readonly #known: readonly (string | undefined)[]
  #isCheckedThisTurn = false
  readonly #nextTurn = (): void => {
    this.#isCheckedThisTurn = false
  }

  constructor(paths: readonly string[]) {
    this.#paths = paths
    this.#known = paths.map(identityAt)
  }

  /** @throws {StoreError} `NOT_PREPARED` */
  check(): void {
    if (this.#paths.every((path, i) => identityAt(path) === this.#known[i])) return
    throw new StoreError(
      'NOT_PREPARED',
      'The data file or its lock was moved, removed or replaced while it was open; nothing was changed. Close this store and open a new one.',
    )
  }

  /** The same, once for all writes of a turn, which share a transaction. @throws {StoreError} `NOT_PREPARED` */
  checkThisTurn(): void {
    if (this.#isCheckedThisTurn) return
    this.check()
    this.#isCheckedThisTurn = true
    setImmediate(this.#nextTurn)
  }
}

function identityAt(path: string): string | undefined {
  const stats = fs.statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`
}
