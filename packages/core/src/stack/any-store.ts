import type { Capabilities } from '../contract/capabilities.ts'
import type { Store } from '../contract/store.ts'

/** Any store, for values of any type. */
export type AnyStore = Store<any, Capabilities, unknown> // oxlint-disable-line no-explicit-any -- `V` is invariant: no other type takes every store

/** A KeyValue, or the stack below it. */
export type AnyStack = Pick<AnyStore, 'name' | 'capabilities'>
