import type { AnyStore } from '@unikv/core'
import type { Attribute } from './transaction.ts'

/** The payments of a window that have the same value of an attribute. */
export interface Window {
  readonly by: Attribute
  readonly value: string
  /** Later than this. */
  readonly fromAt: number
  /** At this time or earlier. */
  readonly toAt: number
  /** Count the values of this attribute, too. */
  readonly others?: Attribute | undefined
}

/** The sums of a window. */
export interface Sums {
  readonly count: number
  readonly cents: number
  /** Different values of the other attribute; 0 if none was asked for. */
  readonly others: number
}

/** The part that differs from database to database: a store of documents, and the words of its client. */
export interface Database {
  readonly store: AnyStore
  sums(window: Window): Promise<Sums>
  /** Make an attribute known by which rules will ask. Most databases need nothing. */
  addAttribute(attribute: Attribute): Promise<void>
  addIndex(attribute: Attribute): Promise<void>
  /** How the database finds the payments of a value, in its own words. */
  explain(attribute: Attribute): Promise<string>
  /** Remove all payments for good. */
  drop(): Promise<void>
}
