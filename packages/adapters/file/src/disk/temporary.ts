import { dirname } from 'node:path'
import { folderIsGone } from '../errors.ts'
import { codeOf } from './file-system.ts'
import type { Files } from './files.ts'
import type { Retries } from './retries.ts'
import type { Steps } from './steps.ts'

/** The file in which a record is made before it takes its place. */
export class Temporary {
  readonly path: string
  readonly #files: Files
  readonly #retries: Retries
  #record: Buffer | undefined

  constructor(files: Files, retries: Retries, path: string) {
    this.#files = files
    this.#retries = retries
    this.path = path
  }

  /** Write the record, unless it is there already. */
  *hold(head: Buffer, record: Buffer): Steps<void> {
    if (this.#record === record) return
    yield* this.remove()
    this.#record = record
    yield* this.#files.create(this.path, head.length === 0 ? record : Buffer.concat([head, record]))
  }

  /** Give it a place where no record is. `false`: there is one, or it must be made anew. */
  *link(path: string): Steps<boolean> {
    return yield* this.#orGone(this.#files.link(this.path, path))
  }

  /** Put it in the place of a record. `false`: it must be made anew. */
  *rename(path: string): Steps<boolean> {
    const isDone = yield* this.#orGone(this.#files.rename(this.path, path))
    if (isDone) this.#record = undefined
    return isDone
  }

  *remove(): Steps<void> {
    if (this.#record === undefined) return
    this.#record = undefined
    yield* this.#retries.remove(this.path)
  }

  /** Somebody who took this writer for dead may have removed the file. @throws {StoreError} `NOT_PREPARED` if the folder went */
  *#orGone(work: Steps<boolean>): Steps<boolean> {
    try {
      return yield* work
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      if ((yield* this.#files.look(dirname(this.path))) === undefined) throw folderIsGone(error)
      this.#record = undefined
      return false
    }
  }
}
