import {
  type Bytes,
  type CallOptions,
  type Entry,
  isLive,
  isStoreError,
  type Mutation,
  type Read,
  type ReadResult,
  StoreError,
  type WriteResult,
  type Written,
} from '@unikv/core'
import {
  encodeRecord,
  incremented,
  notARecord,
  type PartCall,
  recordExpiresAt,
  recordExpiresAtOffset,
  recordHeaderBytes,
} from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import type { Files } from './disk/files.ts'
import type { Folder, RecordPlace } from './disk/folder.ts'
import type { Steps } from './disk/steps.ts'
import type { Temporary } from './disk/temporary.ts'
import { folderIsGone, notFlushed } from './errors.ts'
import { entryOf, type Header, headerOf } from './header.ts'
import type { Claims } from './writers/claims.ts'

/** A mutation on its way. The record of a set is made when the call comes: its value may change afterwards. */
export interface Change {
  readonly mutation: Mutation<Bytes>
  readonly record: Buffer | undefined
  readonly options: CallOptions
  /** Its part of a batch. */
  readonly part?: PartCall | undefined
}

/**
 * How a record changes: its new bytes (or none), the value that they were made from if there was one, and the answer to give
 * afterwards. Or only an answer, if nothing changes.
 */
type Plan =
  | { readonly record: Buffer | undefined; readonly written: Written; readonly from?: Bytes | undefined }
  | { readonly answer: WriteResult }

/** A change that is ready to be made. */
interface Shape {
  readonly place: RecordPlace
  readonly record: Buffer | undefined
  readonly from: Bytes | undefined
  readonly temporary: Temporary
  readonly options: CallOptions
}

/** The outcome of a change: made, overtaken by another change, or kept waiting by one. */
type Outcome = 'done' | 'changed' | 'held'

/** The records of a dataset, one by one. */
export class Records {
  readonly #files: Files
  readonly #folder: Folder
  readonly #clock: () => number

  constructor(files: Files, folder: Folder, clock: () => number) {
    this.#files = files
    this.#folder = folder
    this.#clock = clock
  }

  /** Read one record. `claims` (of a store that may write) let an expired one be removed. */
  *read({ key, head, ifNotVersion }: Read, claims: Claims | undefined): Steps<ReadResult<Bytes>> {
    const place = this.#folder.place(key)
    if (head === true || ifNotVersion !== undefined) {
      const header = yield* this.#live(place, claims)
      if (header === undefined) return undefined
      if (head === true || header.version === ifNotVersion)
        return { notModified: true, version: header.version, expiresAt: header.expiresAt }
    }
    const content = yield* this.#files.read(place.path)
    if (content === undefined) return undefined
    const header = headerOf(content, place.head)
    if (header.isDamaged) throw notARecord()
    if (isLive(header.expiresAt, this.#clock())) return entryOf(content, place.head, header)
    yield* this.#removeExpired(place, header, claims)
    return undefined
  }

  /** The folder of a key's record. */
  folderOf(key: string): string {
    return this.#folder.place(key).folder
  }

  /** @throws {StoreError} `NOT_PREPARED` if a folder of records is gone, as its records must not be read as absent */
  *checkFolder(folder: string): Steps<void> {
    if ((yield* this.#files.look(folder)) === undefined) throw folderIsGone()
  }

  /** Do one mutation, as one atomic step over all processes. `undefined`: another one is changing the record; come again. */
  *change(change: Change, claims: Claims, temporary: Temporary): Steps<WriteResult | undefined> {
    const place = this.#folder.place(change.mutation.key)
    while (true) {
      checkTime(change.options)
      const there = yield* this.#header(place)
      const plan = yield* this.#plan(change, place, there)
      if (plan === undefined) continue
      if ('answer' in plan) {
        if (there === undefined) yield* this.checkFolder(place.folder)
        return plan.answer
      }
      if (plan.record !== undefined) yield* temporary.hold(place.head, plan.record)
      const { options } = change
      const shape = { place, record: plan.record, from: plan.from, temporary, options }
      const outcome = yield* there === undefined ? this.#put(shape) : this.#replace(there, shape, claims)
      if (outcome === 'held') return undefined
      if (outcome === 'changed') continue
      yield* temporary.remove()
      yield* this.#flush(place)
      return plan.written
    }
  }

  /** The new record, from the present one; `undefined` if that changed meanwhile. */
  *#plan(change: Change, place: RecordPlace, there: Header | undefined): Steps<Plan | undefined> {
    const { mutation } = change
    if (there?.isDamaged === true && !replacesAnything(mutation)) throw notARecord()
    const live = there !== undefined && isLive(there.expiresAt, this.#clock()) ? there : undefined
    if (mutation.ifVersion !== undefined && mutation.ifVersion !== (live?.version ?? null))
      return { answer: { conditionFailed: true, version: live?.version } }
    const { version } = mutation
    if (mutation.type === 'delete')
      return { record: undefined, written: { version, existed: live !== undefined } }
    if (mutation.type === 'set') {
      const record = change.record as Buffer
      if (mutation.expiresAt !== 'keep' || live?.expiresAt === undefined)
        return { record, written: { version } }
      const kept = Buffer.from(record)
      live.bytes.copy(kept, recordExpiresAtOffset, recordExpiresAtOffset)
      return { record: kept, written: { version } }
    }
    if (mutation.type === 'touch' && live === undefined) return { answer: { conditionFailed: true } }
    const entry = live === undefined ? undefined : yield* this.#entry(place, live)
    if (live !== undefined && entry === undefined) return undefined
    if (mutation.type === 'touch') {
      const { value } = entry as Entry<Bytes>
      const kept = (live as Header).version
      return {
        record: encodeRecord(value, kept, mutation.expiresAt),
        written: { version: kept },
        from: value,
      }
    }
    const value = incremented(entry?.value, mutation)
    if (isStoreError(value)) return { answer: value }
    const expiresAt = entry === undefined ? mutation.expiresAt : entry.expiresAt
    const record = encodeRecord(Buffer.from(String(value)), version, expiresAt)
    const written = { version, value, expiresAt: recordExpiresAt(record) }
    return { record, written, from: entry?.value }
  }

  /** Put a record where none is, or leave it so. */
  *#put({ place, record, temporary, options }: Shape): Steps<Outcome> {
    if (record !== undefined) {
      return yield* sent(options, temporary.link(place.path))
    }
    yield* this.checkFolder(place.folder)
    return 'done'
  }

  /** Put a record in the place of another, or nothing. */
  *#replace(
    there: Header,
    { place, record, from, temporary, options }: Shape,
    claims: Claims,
  ): Steps<Outcome> {
    const claim = yield* claims.take(there.version)
    if (claim === undefined) return 'held'
    try {
      if (!(yield* this.#isSame(place, there, from))) return 'changed'
      if (record !== undefined) return yield* sent(options, temporary.rename(place.path))
      return yield* sent(options, this.#removed(place))
    } finally {
      yield* claims.release(claim)
    }
  }

  /** It is gone, even if another process removed it first. */
  *#removed({ path }: RecordPlace): Steps<true> {
    yield* this.#files.remove(path)
    return true
  }

  /** Whether the record is the one that was read: by its header, or with the value from which its successor was made. */
  *#isSame(place: RecordPlace, there: Header, from: Bytes | undefined): Steps<boolean> {
    // A record that was sealed anew has the header of the one before.
    if (from === undefined) return (yield* this.#header(place))?.bytes.equals(there.bytes) === true
    const entry = yield* this.#entry(place, there)
    return (
      entry !== undefined &&
      Buffer.from(entry.value.buffer, entry.value.byteOffset, entry.value.length).equals(from)
    )
  }

  /** An absent record too is absent on the disk when that is answered: the remover may not have got there. */
  *#flush(place: RecordPlace): Steps<void> {
    try {
      yield* this.#files.flushFolder(place.folder)
    } catch (error) {
      throw notFlushed(error)
    }
  }

  *#live(place: RecordPlace, claims: Claims | undefined): Steps<Header | undefined> {
    const header = yield* this.#header(place)
    if (header?.isDamaged === true) throw notARecord()
    if (header === undefined || isLive(header.expiresAt, this.#clock())) return header
    yield* this.#removeExpired(place, header, claims)
    return undefined
  }

  /** Remove an expired record if it is still the same. It is absent either way, so nothing that fails matters. */
  *#removeExpired(place: RecordPlace, header: Header, claims: Claims | undefined): Steps<void> {
    if (claims === undefined) return
    try {
      const claim = yield* claims.take(header.version)
      if (claim === undefined) return
      try {
        if ((yield* this.#header(place))?.bytes.equals(header.bytes) === true)
          yield* this.#files.remove(place.path)
      } finally {
        yield* claims.release(claim)
      }
    } catch {
      // The next write of the key, or the next one that meets it, removes it.
    }
  }

  *#header({ path, head }: RecordPlace): Steps<Header | undefined> {
    const content = yield* this.#files.read(path, head.length + recordHeaderBytes)
    return content === undefined ? undefined : headerOf(content, head)
  }

  /** The whole record of this header; `undefined` if it has another one now. */
  *#entry({ path, head }: RecordPlace, header: Header): Steps<Entry<Bytes> | undefined> {
    const content = yield* this.#files.read(path)
    if (content === undefined) return undefined
    return headerOf(content, head).bytes.equals(header.bytes) ? entryOf(content, head, header) : undefined
  }
}

/** Whether a mutation takes effect over any record. */
function replacesAnything({ type, ifVersion }: Mutation<Bytes>): boolean {
  return ifVersion === undefined && (type === 'set' || type === 'delete')
}

/**
 * Take the step that changes the record, unless the call has ended: an answer that nothing was changed is right for
 * good. A step that finds the record changed has changed nothing itself, so that what comes after it is certain again.
 */
function* sent(options: CallOptions, step: Steps<boolean>): Steps<Outcome> {
  checkTime(options)
  options.sent = true
  if (yield* step) return 'done'
  options.sent = false
  return 'changed'
}

/** @throws {StoreError} if the call has ended while it waited: nothing was changed yet */
function checkTime(options: CallOptions): void {
  if (options.signal?.aborted === true || options.settled === true)
    throw new StoreError('ABORTED', 'The call ended before the record could be changed; nothing was changed.')
  if (performance.now() < options.deadlineAt) return
  throw new StoreError(
    'TIMEOUT',
    'Other writers kept changing the record until the deadline; nothing was changed. Try again later.',
  )
}
