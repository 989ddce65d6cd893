import fs from 'node:fs'
import { StoreError } from '@unikv/core'
import { performance } from '@unikv/core/platform'

/** A disk with less left than this is full. */
const spareBytes = 1_048_576
/** Between two looks at the disk. */
const lookMs = 50

/**
 * The room that a data file has to grow. LMDB must not find out: where the disk takes nothing more, lmdb-js 3.5.6 writes a
 * message behind the end of its memory (`mdb_page_flush`), which ends the process sooner or later.
 */
export class Room {
  readonly #folder: string
  readonly #unusedBytes: () => number
  #left = 0
  #lookedAt = Number.NEGATIVE_INFINITY

  /** `unusedBytes` tells how much of the file itself is free. */
  constructor(folder: string, unusedBytes: () => number) {
    this.#folder = folder
    this.#unusedBytes = unusedBytes
  }

  /** Before so many bytes are written. @throws {StoreError} `STORE_FULL` */
  take(bytes: number): void {
    // The record, and the pages that lead to it.
    const needed = 2 * bytes
    const now = performance.now()
    if (now - this.#lookedAt > lookMs || this.#left < spareBytes + needed) {
      this.#left = freeBytes(this.#folder)
      this.#lookedAt = now
    }
    // Not all that is free in the file is in one piece, or free for the next transaction already.
    if (this.#left < spareBytes + needed && this.#unusedBytes() < spareBytes / 4 + 2 * needed)
      throw new StoreError(
        'STORE_FULL',
        'The disk is full; nothing was changed. Free space, or delete records.',
      )
    this.#left -= needed
  }
}

/** Whether there is hardly any room left where the environment is. */
export function isFull(folder: string): boolean {
  return freeBytes(folder) < spareBytes
}

/** Room on the disk for this process. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bfree, blocks, bsize } = fs.statfsSync(folder)
    // Some file systems do not tell.
    if (blocks === 0) return Number.POSITIVE_INFINITY
    return bsize * (process.getuid?.() === 0 ? bfree : bavail)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
