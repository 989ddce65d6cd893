import type { AnyStore, ReadResult } from '@unikv/core'
import type { Stored, WalkedPage } from '../places/pages.ts'

/** A page of a source; `after` is where it is read on, as JSON. */
export interface SourcePage {
  readonly items: readonly Stored[]
  readonly after: unknown
}

/** Where records come from: a store, or a snapshot. */
export interface Source {
  readonly name: string
  /** The same in every process, for the same source. */
  readonly identity: string
  /** Whether values are documents instead of bytes. */
  readonly documents: boolean
  /** Whether records may expire. */
  readonly expires: boolean
  /** How exactly, in milliseconds. */
  readonly precisionMs: number
  pages(this: void, after: unknown): AsyncIterable<SourcePage | WalkedPage<Stored>>
  /** The store, if it is one: records can be looked at again. */
  readonly store: AnyStore | undefined
  /** How many records it has, where this is known and each comes once. */
  readonly records: number | undefined
  /** A record may come twice, the later one newer. */
  readonly repeats: boolean
}

/** The answer for one key. */
export type Found = ReadResult<unknown>
