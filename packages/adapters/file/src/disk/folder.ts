import { dirname } from 'node:path'
import { StoreError } from '@unikv/core'
import { nameOfKey, shardNames } from '../key-name.ts'
import { codeOf } from './file-system.ts'
import type { Files } from './files.ts'
import { type Steps, step } from './steps.ts'

/*
 * <directory>/<dataset>/
 *   unikv.json     says that the folder is ours, and in which form
 *   00/ … 3f/      records
 *   locks/         writers and their claims
 *
 * The folder is made beside its place and renamed into it, so that it is there complete or not at all: if there is a
 * marker, everything is there, on the disk.
 */

const markerName = 'unikv.json'
const marker = '{"store":"@unikv/file","format":1}\n'

/** Where a key's record is. */
export interface RecordPlace {
  readonly folder: string
  readonly path: string
  readonly head: Buffer
}

/** The folder of a dataset. */
export class Folder {
  readonly #files: Files
  readonly #directory: string
  /** Absolute path of the dataset's own folder. */
  readonly path: string
  readonly locks: string

  constructor(files: Files, directory: string, dataset: string) {
    this.#files = files
    this.#directory = directory
    this.path = `${directory}/${dataset}`
    this.locks = `${this.path}/locks`
  }

  /** The place of a record. */
  place(key: string): RecordPlace {
    const { shard, name, head } = nameOfKey(key)
    const folder = this.shard(shard)
    return { folder, path: `${folder}/${name}`, head }
  }

  /** The path of a folder of records. */
  shard(name: string): string {
    return `${this.path}/${name}`
  }

  /** Whether the folder is there. Anything else in its place is refused. */
  *isThere(): Steps<boolean> {
    const look = yield* this.#files.look(this.path)
    if (look === undefined) return false
    if (look.kind !== 'folder') throw foreign('is not a folder')
    // Twice: somebody may put the folder in its place between the two looks.
    for (let i = 0; i < 2; i++) {
      const found = yield* this.#files.read(`${this.path}/${markerName}`)
      if (found !== undefined) return yield* this.#checked(found.toString('latin1'))
      const names = yield* this.#files.list(this.path)
      if (names === undefined || names.length === 0) return false
      if (!names.includes(markerName)) throw foreign('is not empty and was not created by this store')
    }
    return true
  }

  /** Make the folder unless it is there. */
  *make(identity: string): Steps<void> {
    if (!(yield* this.isThere())) {
      yield* this.#makeDirectory()
      yield* this.#putInPlace(`${this.path}.new-${identity}`)
      if (!(yield* this.isThere())) throw foreign('could not be created')
    }
    // Also if somebody else made it: it may not be on the disk yet.
    yield* this.#files.flushFolder(this.#directory)
  }

  /** Remove what writers that died while they made the folder have left beside it. */
  *removeHalfMade(isDead: (identity: string) => boolean): Steps<void> {
    const start = `${this.path.slice(this.#directory.length + 1)}.new-`
    for (const name of (yield* this.#files.list(this.#directory)) ?? []) {
      if (name.startsWith(start) && isDead(name.slice(start.length)))
        yield* this.#removeTree(`${this.#directory}/${name}`)
    }
  }

  /** Ours, in a form that we know, and without links that lead elsewhere. */
  *#checked(text: string): Steps<true> {
    if (text !== marker) throw foreign('was created by another version or program')
    for (const path of [this.locks, ...shardNames.map((name) => this.shard(name))]) {
      if ((yield* this.#files.look(path))?.kind !== 'folder')
        throw foreign('is damaged: a folder in it is missing or is a link')
    }
    return true
  }

  /** The directory above, with what is missing above it, each on the disk before it is built upon. */
  *#makeDirectory(): Steps<void> {
    const missing: string[] = []
    for (let path = this.#directory; (yield* this.#files.look(path)) === undefined; path = dirname(path))
      missing.unshift(path)
    for (const path of missing) {
      yield* this.#files.makeFolder(path)
      yield* this.#files.flushFolder(dirname(path))
    }
  }

  *#putInPlace(path: string): Steps<void> {
    try {
      yield* this.#build(path)
      yield* this.#moveTo(path)
    } catch (error) {
      yield* this.#removeRemains(path)
      throw error
    }
  }

  *#moveTo(path: string): Steps<void> {
    try {
      yield* step(this.#files.system.rename(path, this.path))
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(codeOf(error) ?? '')) throw error
      // Somebody else was faster, which is just as good.
      yield* this.#removeTree(path)
    }
  }

  *#build(path: string): Steps<void> {
    yield* this.#files.makeFolder(path)
    for (const name of shardNames) yield* this.#files.makeFolder(`${path}/${name}`)
    yield* this.#files.makeFolder(`${path}/locks`)
    yield* this.#files.create(`${path}/${markerName}`, Buffer.from(marker))
    yield* this.#files.flushFolder(path)
  }

  /** Remove the parts of a failed attempt, so that they do not take the room that is made for the next one. */
  *#removeRemains(path: string): Steps<void> {
    try {
      yield* this.#removeTree(path)
    } catch {
      // The next writer finds them when this process has ended.
    }
  }

  /** A tree that was never in its place: it holds no record. Others may be removing it too. */
  *#removeTree(path: string): Steps<void> {
    yield* this.#files.remove(`${path}/${markerName}`)
    for (const name of (yield* this.#files.list(path)) ?? [])
      yield* this.#files.removeFolder(`${path}/${name}`)
    yield* this.#files.removeFolder(path)
  }
}

function foreign(why: string): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    `The folder of the dataset ${why}. Choose another directory or dataset.`,
  )
}
