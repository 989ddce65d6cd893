import fs from 'node:fs'
import { behindLinks, logOf } from './database-file.ts'

/** Where a connection has its file and its log, and whether they are there still. */
export class Place {
  readonly #path: string
  readonly #log: string
  readonly #fileNumber: number | undefined
  #logNumber: number | undefined

  /** Made from a connection to the file at this path, right after it was opened. */
  constructor(path: string) {
    this.#path = path
    this.#log = logOf(behindLinks(path))
    this.#fileNumber = numberAt(path)
  }

  /** Whether the file is where it was. */
  get holds(): boolean {
    return numberAt(this.#path) === this.#fileNumber
  }

  /** Whether another file is in its place: the log may be of that one now, and hold its writes. */
  get isTaken(): boolean {
    const number = numberAt(this.#path)
    return number !== undefined && number !== this.#fileNumber
  }

  /** Remember the log, which stays the same for as long as the connection is open. */
  noteLog(): void {
    this.#logNumber = numberAt(this.#log)
  }

  /** Whether the log was taken from beside the file: what is written into it would be lost with this process. */
  get hasLostLog(): boolean {
    return this.#logNumber !== undefined && numberAt(this.#log) !== this.#logNumber && this.holds
  }
}

function numberAt(path: string): number | undefined {
  return fs.statSync(path, { throwIfNoEntry: false })?.ino
}
