import { createHash } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newVersion } from '@unikv/core'
import { readWhole } from '@unikv/core/files'
import type { CellStore } from '../study/kept-cells.ts'

/** Folder inside a result folder for finished cells of a study that is not complete. */
export const cellsName = '.unikv-cells'

/** Finished cells as files of a result folder. The folder is made with the first one. */
export class CellFolder implements CellStore {
  readonly #folder: string

  /** @param folder the result folder */
  constructor(folder: string) {
    this.#folder = join(folder, cellsName)
  }

  /** A file that is not as it was written counts as missing: its cell is measured again. */
  async read(name: string): Promise<unknown> {
    try {
      const text = (await readWhole(this.#fileOf(name))).toString('utf8')
      const end = text.indexOf('\n')
      const cell = text.slice(end + 1)
      return text.slice(0, end) === digestOf(cell) ? JSON.parse(cell) : undefined
    } catch {
      return undefined
    }
  }

  /** A cell that cannot be kept, on a full disk, say, costs a second start its time, but this one nothing. */
  async write(name: string, cell: unknown): Promise<void> {
    const draft = join(this.#folder, `${name}.${newVersion()}`)
    const text = JSON.stringify(cell)
    try {
      await mkdir(this.#folder, { recursive: true })
      await writeFile(draft, `${digestOf(text)}\n${text}`)
      await rename(draft, this.#fileOf(name))
    } catch {
      await rm(draft, { force: true }).catch(() => {})
    }
  }

  /** The study is complete. */
  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  #fileOf(name: string): string {
    return join(this.#folder, `${name}.json`)
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
