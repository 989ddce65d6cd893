import { createHash } from 'node:crypto'
import type { Environment } from '../run/result.ts'

/** Where measurements of finished cells stay until a study is complete, so that it goes on after an end. */
export interface CellStore {
  /** `undefined`: none is kept under this name. */
  read(name: string): Promise<unknown>
  /** Kept as a whole or not at all. The cell is plain JSON. */
  write(name: string, cell: unknown): Promise<void>
}

/** Facts that all cells of a study depend on. */
export interface Circumstances {
  readonly study: string
  readonly formatVersion: number
  readonly environment: Environment
  readonly versions: Readonly<Record<string, string>>
  readonly data: object
}

/** The finished cells of a study; each is known by a hash of everything that it depends on. */
export class KeptCells {
  readonly #store: CellStore | undefined
  readonly #circumstances: Circumstances

  constructor(store: CellStore | undefined, circumstances: Circumstances) {
    this.#store = store
    this.#circumstances = circumstances
  }

  /** The measurement of a cell; `undefined` if it was not kept. */
  async read(identity: object): Promise<unknown> {
    return this.#store?.read(this.#nameOf(identity))
  }

  /** Keep a measurement. */
  async write(identity: object, cell: unknown): Promise<void> {
    await this.#store?.write(this.#nameOf(identity), cell)
  }

  #nameOf(identity: object): string {
    const text = JSON.stringify([this.#circumstances, identity])
    return createHash('sha256').update(text).digest('hex').slice(0, 32)
  }
}
