import {
  type Bytes,
  isEntry,
  isStoreError,
  type Page,
  type Read,
  type ReadResult,
  type ScanEntry,
  type ScanRange,
  StoreError,
} from '@unikv/core'
import type { Files } from './disk/files.ts'
import type { Folder } from './disk/folder.ts'
import type { Steps } from './disk/steps.ts'
import { isDigestName, keyInFront, keyOfName, maxKeyBytes, shardNames } from './key-name.ts'

/** Reads one record of a page; an error of it is a result. */
export type ReadOne = (read: Read) => Steps<ReadResult<Bytes>>

/** Does many works side by side, within the limits of the store. */
export type Spread = <T, R>(items: readonly T[], work: (item: T) => Steps<R>) => Steps<R[]>

/**
 * One walk through the folders of records, in the order of the folders and of the names in each, so that a place
 * in it is good in another process too: the folder and the last name.
 */
export class Listing {
  readonly #files: Files
  readonly #folder: Folder
  readonly #range: ScanRange
  /** Number of the folder, the name after which to go on, and what is left in the folder if that is known. */
  #shard: number
  #after: string
  #names: readonly string[] | undefined

  constructor(files: Files, folder: Folder, range: ScanRange) {
    this.#files = files
    this.#folder = folder
    this.#range = range
    const { shard, after } = range.resume === undefined ? { shard: 0, after: '' } : placeOf(range.resume)
    this.#shard = shard
    this.#after = after
  }

  /** The next page; it has no `resume` if it is the last. */
  *page(readOne: ReadOne, spread: Spread): Steps<Page<Bytes>> {
    const { pageSize } = this.#range
    const entries: ScanEntry<Bytes>[] = []
    for (let shard = this.#name; entries.length < pageSize && shard !== undefined; shard = this.#name) {
      const folder = this.#folder.shard(shard)
      const part = yield* this.#next(folder, pageSize - entries.length)
      const found = yield* spread(part, (name) => this.#entry(`${folder}/${name}`, name, readOne))
      for (const entry of found) if (entry !== undefined) entries.push(entry)
    }
    return this.#name === undefined ? { entries } : { entries, resume: `${this.#name}/${this.#after}` }
  }

  /** The folder that is walked; `undefined`: all were. */
  get #name(): string | undefined {
    return shardNames[this.#shard]
  }

  /** The next names of the folder, and the step to the next folder if they are its last. */
  *#next(folder: string, count: number): Steps<readonly string[]> {
    const names = (this.#names ??= yield* this.#list(folder))
    const part = names.slice(0, count)
    if (part.length < names.length) {
      this.#names = names.slice(count)
      this.#after = part.at(-1) as string
    } else {
      this.#names = undefined
      this.#after = ''
      this.#shard++
    }
    return part
  }

  *#list(folder: string): Steps<readonly string[]> {
    const { prefix } = this.#range
    const names = Array.from(yield* this.#files.listAll(folder)).filter(
      (name) => name > this.#after && (isDigestName(name) || keyOfName(name)?.startsWith(prefix) === true),
    )
    return names.sort()
  }

  *#entry(path: string, name: string, readOne: ReadOne): Steps<ScanEntry<Bytes> | undefined> {
    const key = isDigestName(name) ? yield* this.#keyIn(path, name) : keyOfName(name)
    if (key === undefined || !key.startsWith(this.#range.prefix)) return undefined
    const found = yield* readOne({ key, head: !this.#range.values })
    if (found === undefined) return undefined
    if (this.#range.values) return isEntry(found) || isStoreError(found) ? { key, entry: found } : undefined
    // A damaged record is listed: it is there, and reading it says what is wrong.
    if (isStoreError(found) && found.code !== 'CORRUPT') throw found
    return { key }
  }

  *#keyIn(path: string, name: string): Steps<string | undefined> {
    const front = yield* this.#files.read(path, 2 + maxKeyBytes)
    return front === undefined ? undefined : keyInFront(front, name)
  }
}

function placeOf(resume: string): { readonly shard: number; readonly after: string } {
  const [, name = '', after = ''] = /^([0-9a-f])\/([a-z0-9_%-]*)$/.exec(resume) ?? []
  const shard = shardNames.indexOf(name)
  if (shard >= 0) return { shard, after }
  throw new StoreError(
    'INVALID_ARGUMENT',
    'The cursor was not issued by this store. Start the scan without it.',
  )
}
