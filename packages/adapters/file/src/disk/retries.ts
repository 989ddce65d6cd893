import type { Awaitable } from '@unikv/core'
import { clearTimeout, setTimeout } from '@unikv/core/platform'
import type { Files } from './files.ts'
import { run, type Steps, step } from './steps.ts'

/** Between two attempts, unless the store writes before. */
const retryMs = 250

/** Answers whether it is done. */
type Removal = () => Steps<boolean>

/**
 * Names that are no longer needed, and could not be removed: the file system was read-only for a moment, or another
 * program held the file. They are tried again with the next write and by a timer, as other processes may wait for them.
 */
export class Retries {
  readonly #files: Files
  readonly #left = new Map<string, Removal>()
  #timer: NodeJS.Timeout | undefined
  #trying: Awaitable<void> | undefined

  constructor(files: Files) {
    this.#files = files
  }

  get isPending(): boolean {
    return this.#left.size > 0
  }

  /** Remove a file, now or later. */
  *remove(path: string): Steps<void> {
    const files = this.#files
    yield* this.do(path, function* () {
      yield* files.remove(path)
      return true
    })
  }

  /** Do something, now or later. An earlier removal of this name is forgotten. */
  *do(name: string, removal: Removal, later: Removal = removal): Steps<void> {
    if (yield* succeeds(removal)) this.#left.delete(name)
    else {
      this.#left.set(name, later)
      this.#wait()
    }
  }

  /** Try again what is left; one round at a time. */
  *again(): Steps<void> {
    while (this.#trying !== undefined) yield* step(this.#trying)
    if (!this.isPending) return
    this.#trying = run(this.#round())
    yield* step(this.#trying)
  }

  *#round(): Steps<void> {
    try {
      for (const [name, removal] of this.#left)
        if ((yield* succeeds(removal)) && this.#left.get(name) === removal) this.#left.delete(name)
    } finally {
      this.#trying = undefined
    }
    if (this.isPending) return this.#wait()
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Keeps no process alive: its end frees what it left. */
  #wait(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      // Never rejects.
      void run(this.again())
    }, retryMs).unref()
  }
}

function* succeeds(removal: Removal): Steps<boolean> {
  try {
    return yield* removal()
  } catch {
    return false
  }
}
