import type { Awaitable } from '../contract/awaitable.ts'
import type { CallSettings } from '../contract/call-settings.ts'
import type { NotModified, Read, ReadResult, Version, WriteResult } from '../contract/store.ts'
import type { AnyStore } from './any-store.ts'

/** A change as it comes from elsewhere: nothing of it was checked. */
export interface NewChange {
  readonly type: 'set' | 'delete' | 'touch' | 'increment'
  /** Canonical. */
  readonly key: string
  /** The value of a set. */
  readonly value?: unknown
  /** The version that the change leaves. @default a new one */
  readonly version?: unknown
  readonly ifVersion?: unknown
  readonly ttlMs?: unknown
  readonly expiresAt?: unknown
  /** An increment adds this. @default 1 */
  readonly by?: unknown
  /** An increment of a missing record begins here. @default 0 */
  readonly initial?: unknown
}

/** Calls of a KeyValue by canonical key. They keep their order, their deadline and their checks, and results are those of the items. */
export interface RecordCalls {
  readonly store: AnyStore
  /** @throws {StoreError} `INVALID_KEY`, `KEY_TOO_LONG`, and what the stack throws */
  read(reads: readonly Read[], settings?: CallSettings): Awaitable<readonly ReadResult<unknown>[]>
  /** @throws {StoreError} for a change that this stack does not take; none is made then */
  write(changes: readonly NewChange[], settings?: CallSettings): Awaitable<readonly WriteResult[]>
}

/** Which bytes of a value are wanted, as those of `slice`: a negative number counts from its end. */
export interface StreamRange {
  /** @default 0 */
  readonly start?: number | undefined
  /** Exclusive. @default the length of the value */
  readonly end?: number | undefined
}

/** Settings of a read. `timeoutMs` is the time of each call to the store, and not of the whole. */
export interface StreamReadSettings extends CallSettings, StreamRange {
  /** Answer *not modified* if the record still has this version. */
  readonly ifNotVersion?: Version | undefined
}

/** A value as a stream. */
export interface StreamedValue {
  readonly version: Version | undefined
  /** Wall-clock time in milliseconds since 1970; `undefined`: never. */
  readonly expiresAt: number | undefined
  /** Bytes of the whole value. */
  readonly length: number
  /** The bytes that were asked for. Read it to the end, or cancel it. */
  readonly body: ReadableStream<Uint8Array>
}

/** Settings of a write. `timeoutMs` is the time of each call to the store, and not of the whole. */
export interface StreamWriteSettings extends CallSettings, Pick<NewChange, 'ttlMs' | 'expiresAt'> {
  readonly ifVersion?: unknown
  /** The version that the write leaves. @default a new one */
  readonly version?: unknown
}

/** Where the bytes of a value come from. */
export type ByteSource = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

/** Values as streams, by canonical key. */
export interface RecordStreams {
  /** Longest value that `write` of a KeyValue takes as one; what is longer needs a stream. */
  readonly maxValueBytes: number
  /** `undefined`: there is none. */
  read(key: string, settings?: StreamReadSettings): Promise<StreamedValue | NotModified | undefined>
  /**
   * Take effect when the source has ended, or not at all.
   *
   * @throws {StoreError} `CONDITION_FAILED`, and what the stack throws; errors of the source as they are
   */
  write(key: string, source: ByteSource, settings?: StreamWriteSettings): Promise<Version | undefined>
}
