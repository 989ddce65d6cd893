import { StoreError } from '@unikv/core'
import { monotonicClock } from '@unikv/core/platform'
import { codeOf } from '../disk/file-system.ts'
import type { Files } from '../disk/files.ts'
import type { Retries } from '../disk/retries.ts'
import { type Steps, step } from '../disk/steps.ts'
import { folderIsGone } from '../errors.ts'
import type { Processes } from './owner.ts'

/** Signs within the time after which a silent writer may count as dead. */
const signsInTime = 6
/** Not the fault of the file system as such. */
const passing = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EACCES',
  'EIO',
  'ENOENT',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
])

/**
 * The writer itself: a file `o-<identity>` in the folder of claims, there as long as it may write. Its time stamp tells
 * processes that cannot see this one that it lives. If they take it for dead all the same and remove the file, it is made
 * anew: nothing is lost by that but claims that it held meanwhile.
 */
export class Identity {
  readonly text: string
  /** The file; claims are further names of it. */
  readonly path: string
  readonly #files: Files
  readonly #retries: Retries
  readonly #folder: string
  readonly #signMs: number
  #signedAt = Number.NEGATIVE_INFINITY

  constructor(files: Files, processes: Processes, retries: Retries, folder: string) {
    this.#files = files
    this.#retries = retries
    this.#folder = folder
    this.#signMs = processes.unseenMs / signsInTime
    this.text = processes.identity()
    this.path = `${folder}/${identityName(this.text)}`
  }

  /** Name the writer, before anything is written. On the disk, so that its leftovers are found. */
  *announce(): Steps<void> {
    yield* this.#make()
    const probe = `${this.#folder}/l-${this.text}`
    try {
      yield* this.#link(probe)
      yield* this.#files.remove(probe)
      yield* this.#files.flushFolder(this.#folder)
    } catch (error) {
      for (const path of [probe, this.path]) yield* this.#retries.remove(path)
      throw error
    }
    this.#signedAt = monotonicClock()
  }

  /** Somebody took this writer for dead, and removed the file: make it again. @throws {StoreError} `NOT_PREPARED` */
  *announceAnew(): Steps<void> {
    try {
      yield* this.#make()
      yield* this.#files.flushFolder(this.#folder)
    } catch (error) {
      // Another call of this writer was faster.
      if (codeOf(error) === 'EEXIST') return
      throw codeOf(error) === 'ENOENT' ? folderIsGone(error) : error
    }
  }

  /** The writer has ended. */
  *withdraw(): Steps<void> {
    yield* this.#retries.remove(this.path)
  }

  /** Whether others have heard nothing for some time. */
  get isSilent(): boolean {
    return monotonicClock() - this.#signedAt > this.#signMs
  }

  /** Give a sign of life. */
  *sign(): Steps<void> {
    this.#signedAt = monotonicClock()
    try {
      yield* step(this.#files.system.touch(this.path))
    } catch (error) {
      if (codeOf(error) === 'ENOENT') yield* this.announceAnew()
    }
  }

  /** On a disk that is full, without its text: an empty file takes no block. */
  *#make(): Steps<void> {
    try {
      yield* this.#files.create(this.path, Buffer.from(this.text))
    } catch (error) {
      if (!['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')) throw error
      yield* this.#files.create(this.path, Buffer.alloc(0))
    }
  }

  *#link(probe: string): Steps<void> {
    try {
      yield* this.#files.link(this.path, probe)
    } catch (error) {
      if (passing.has(codeOf(error) ?? '')) throw error
      throw new StoreError(
        'INVALID_CONFIG',
        'The file system has no hard links, which the file store needs. Choose a directory on another file system.',
        { cause: error },
      )
    }
  }
}

/** The name of the file of an identity. */
export function identityName(text: string): string {
  return `o-${text}`
}
