import { constants } from 'node:fs'
import { isPromise } from '@unikv/core'
import { wallClock } from '@unikv/core/platform'
import { codeOf, type FileLook, type FileSystem } from './file-system.ts'
import { type Steps, step } from './steps.ts'

const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
const folderFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0)

/** A listing is taken for complete once the folder has been quiet for longer than time stamps are coarse. */
const quietNs = 25_000_000n
const listings = 6

/** Whole files and folders, made of the calls of a file system. */
export class Files {
  readonly system: FileSystem
  /** Whether what is made outlives a crash of the machine. */
  readonly flushed: boolean

  constructor(system: FileSystem, flushed: boolean) {
    this.system = system
    this.flushed = flushed
  }

  /** The content of a file, or its first bytes; `undefined`: there is none. */
  *read(path: string, maxBytes?: number): Steps<Buffer | undefined> {
    return yield* this.#absent(() => this.system.read(path, maxBytes))
  }

  /**
   * A new file; `EEXIST` if the name is taken. Its content is on the disk when this ends; its name is not yet. An attempt
   * that fails leaves no file, where it can be removed.
   */
  *create(path: string, content: Uint8Array): Steps<void> {
    const descriptor = yield* step(this.system.open(path, createFlags))
    try {
      yield* this.#fill(descriptor, content)
    } catch (error) {
      yield* this.#tryToRemove(path)
      throw error
    }
  }

  *#fill(descriptor: number, content: Uint8Array): Steps<void> {
    try {
      for (let written = 0; written < content.length; )
        written += yield* step(this.system.write(descriptor, content.subarray(written)))
      if (this.flushed) yield* step(this.system.flush(descriptor))
    } finally {
      yield* step(this.system.close(descriptor))
    }
  }

  /** Put the entries of a folder on the disk: names that were made, changed and removed. */
  *flushFolder(path: string): Steps<void> {
    // Windows cannot open folders; NTFS keeps them in its journal.
    if (!this.flushed || process.platform === 'win32') return
    const descriptor = yield* step(this.system.open(path, folderFlags))
    try {
      yield* step(this.system.flush(descriptor))
    } finally {
      yield* step(this.system.close(descriptor))
    }
  }

  /** A second name for a file. `false`: the name is taken. */
  *link(path: string, name: string): Steps<boolean> {
    return yield* this.#unless('EEXIST', () => this.system.link(path, name))
  }

  /** Put a file in the place of another. */
  *rename(path: string, name: string): Steps<true> {
    yield* step(this.system.rename(path, name))
    return true
  }

  /** Remove a name. `false`: there is none. */
  *remove(path: string): Steps<boolean> {
    return yield* this.#unless('ENOENT', () => this.system.remove(path))
  }

  /** Make one folder. `false`: the name is taken. */
  *makeFolder(path: string): Steps<boolean> {
    return yield* this.#unless('EEXIST', () => this.system.makeFolder(path))
  }

  /** Remove an empty folder. `false`: there is none. */
  *removeFolder(path: string): Steps<boolean> {
    return yield* this.#unless('ENOENT', () => this.system.removeFolder(path))
  }

  /** About a name; `undefined`: there is none. */
  *look(path: string): Steps<FileLook | undefined> {
    return yield* this.#absent(() => this.system.look(path))
  }

  /** The names in a folder, `undefined` if there is no such folder. */
  *list(path: string): Steps<readonly string[] | undefined> {
    return yield* this.#absent(() => this.system.list(path))
  }

  /**
   * The names in a folder: all that are there throughout, even where a file system may leave out a name whose
   * file is being replaced while the folder is read (tmpfs and btrfs do, ext4 and XFS do not).
   */
  *listAll(path: string): Steps<ReadonlySet<string>> {
    const names = new Set<string>()
    for (let i = 0; i < listings; i++) {
      const before = yield* step(this.system.look(path))
      for (const name of yield* step(this.system.list(path))) names.add(name)
      const after = yield* step(this.system.look(path))
      const quiet = BigInt(wallClock()) * 1_000_000n - after.modifiedNs > quietNs
      if (before.modifiedNs === after.modifiedNs && quiet) break
    }
    return names
  }

  /** After a failure, which is what the caller hears of. */
  *#tryToRemove(path: string): Steps<void> {
    try {
      yield* this.remove(path)
    } catch {
      // It bears the name of its writer, by which it is found when that has ended.
    }
  }

  *#absent<T>(call: () => T | Promise<T>): Steps<T | undefined> {
    try {
      const answer = call()
      return isPromise(answer) ? ((yield answer) as T) : answer
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    }
  }

  *#unless(code: string, call: () => void | Promise<void>): Steps<boolean> {
    try {
      const answer = call()
      if (isPromise(answer)) yield answer
      return true
    } catch (error) {
      if (codeOf(error) === code) return false
      throw error
    }
  }
}
