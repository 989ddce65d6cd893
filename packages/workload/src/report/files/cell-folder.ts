import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newVersion } from '@unikv/core'
import type { CellStore } from '../../study/kept-cells.ts'

/** Folder inside a result folder for finished cells of a study that is not complete. */
export const cellsName = '.unikv-cells'

/** Finished cells as files of a result folder. The folder is made with the first one. */
export class CellFolder implements CellStore {
  readonly #folder: string

  /** @param folder the result folder */
  constructor(folder: string) {
    this.#folder = join(folder, cellsName)
  }

  /** A file that cannot be read as JSON counts as missing: its cell is measured again. */
  async read(name: string): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.#fileOf(name), 'utf8'))
    } catch {
      return undefined
    }
  }

  async write(name: string, cell: unknown): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    const draft = join(this.#folder, `${name}.${newVersion()}`)
    await writeFile(draft, JSON.stringify(cell))
    await rename(draft, this.#fileOf(name))
  }

  /** The study is complete. */
  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  #fileOf(name: string): string {
    return join(this.#folder, `${name}.json`)
  }
}
