import { createHash } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks' // oxlint-disable-line no-restricted-imports -- for the start of the process
import { pid } from 'node:process'
import { newVersion } from '@unikv/core'
import { readWhole } from '@unikv/core/files'
import { z } from 'zod'
import { invalidArgument } from '../options/invalid.ts'
import { isAlive } from '../run/machine.ts'
import type { CellStore } from '../study/kept-cells.ts'

const ownerSchema = z.object({ host: z.string(), pid: z.number(), startedAt: z.number() })

/**
 * A result folder that one run of this machine has to itself: two of them would mix their cells, and replace each other's
 * files. The claim is a file among the temporary ones, so that a killed run leaves nothing where results belong.
 */
export class FolderClaim {
  readonly #file: string

  private constructor(file: string) {
    this.#file = file
  }

  /**
   * Claim a folder. The claim of a process that is gone does not count.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` if another run has claimed it
   */
  static async take(folder: string): Promise<FolderClaim> {
    const file = fileOf(folder)
    const owner = await livingOwner(file)
    if (owner !== undefined)
      throw invalidArgument(
        `Another run (process ${owner}) writes its results to ${folder}: name another folder with --out, or wait for its end.`,
      )
    const own = { host: hostname(), pid, startedAt: performance.timeOrigin }
    // Without a place for temporary files there are no claims, and runs go on.
    await rm(file, { force: true }).catch(() => {})
    await writeFile(file, JSON.stringify(own), { flag: 'wx' }).catch(() => {})
    return new FolderClaim(file)
  }

  /** The process of this machine whose run has claimed a folder; `undefined`: none. */
  static holder(folder: string): Promise<number | undefined> {
    return livingOwner(fileOf(folder))
  }

  /** Folder inside a result folder where its run tells how far it is. It does not belong to the result. */
  static liveFolder(folder: string): string {
    return join(resolve(folder), liveName)
  }

  /** End the claim. */
  async release(): Promise<void> {
    await rm(this.#file, { force: true }).catch(() => {})
  }
}

function fileOf(folder: string): string {
  const name = createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 16)
  return join(tmpdir(), `unikv-claim-${name}`)
}

/** The process that has claimed a folder and still works. */
async function livingOwner(file: string): Promise<number | undefined> {
  try {
    const owner = ownerSchema.parse(JSON.parse((await readWhole(file)).toString('utf8')))
    // A container starts every process under the same id.
    if (owner.pid === pid) return owner.startedAt === performance.timeOrigin ? pid : undefined
    return owner.host === hostname() && isAlive(owner.pid) ? owner.pid : undefined
  } catch {
    return undefined // not there, or cut short by a crash
  }
}

/** Folder inside a result folder for finished cells of a study that is not complete. */
export const cellsName = '.unikv-cells'

/** Folder inside a result folder for what goes on while a study runs. */
export const liveName = '.unikv-live'

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
