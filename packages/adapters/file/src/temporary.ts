import type { Files } from './files.ts'
import { type Steps, step } from './steps.ts'

/** The file in which a record is made before it takes its place. */
export class Temporary {
  readonly path: string
  readonly #files: Files
  #record: Buffer | undefined

  constructor(files: Files, path: string) {
    this.#files = files
    this.path = path
  }

  /** Write the record, unless it is there already. */
  *hold(head: Buffer, record: Buffer): Steps<void> {
    if (this.#record === record) return
    yield* this.remove()
    this.#record = record
    yield* this.#files.create(this.path, head.length === 0 ? record : Buffer.concat([head, record]))
  }

  /** Put it in its place. */
  *rename(path: string): Steps<void> {
    yield* step(this.#files.system.rename(this.path, path))
    this.#record = undefined
  }

  *remove(): Steps<void> {
    if (this.#record === undefined) return
    this.#record = undefined
    try {
      yield* this.#files.remove(this.path)
    } catch {
      // It does not matter to anybody; it goes when this process has ended.
    }
  }
}
