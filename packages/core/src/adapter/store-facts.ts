import type { Capabilities } from '../contract/capabilities.ts'

/** A store, as engineers who must choose one want to know it. */
export interface StoreFacts {
  /** As on the command line and in `error.store`. */
  readonly name: string
  readonly title: string
  /** The package of the adapter. */
  readonly adapter: string
  /** Packages of npm that talk to it, the default one first; none: nothing has to be installed besides. */
  readonly drivers: readonly string[]
  /** An example of each URL that `open` takes. */
  readonly urls: readonly string[]
  /** The capabilities it declares, with default options first. */
  readonly variants: readonly StoreVariant[]
  /** The requests that an operation sends to the store. */
  readonly costs: StoreCosts
  /** The meaning of each consistency level, in the terms of the store. */
  readonly consistency: Readonly<Record<string, string>>
  /** Pages where the store's own documentation says what is told here. */
  readonly sources: readonly string[]
  /** The product and version that the tests run on. */
  readonly testedOn: string
  /** Other facts to know before choosing it, and its limits. */
  readonly notes: readonly string[]
}

/** The capabilities that a store declares with some options. */
export interface StoreVariant {
  /** Options of the adapter as in a program; empty: the default ones. */
  readonly options: string
  readonly capabilities: Capabilities
}

/** Requests and commands of one operation, in the store's own words. */
export interface StoreCosts {
  readonly read: string
  readonly readMany: string
  readonly set: string
  readonly setMany: string
  readonly conditionalSet: string
  readonly delete: string
  readonly scanPage: string
}
