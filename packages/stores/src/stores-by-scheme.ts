import type { Opener } from '@unikv/core/url'
import type * as openers from './openers.ts'

type ByScheme<O> = O extends Opener<infer Stores> ? Stores : never

/** Turns a union of objects into one object with the properties of all. */
type Together<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer All) => void
  ? All
  : never

/** The store that `open` returns for the scheme of a URL. */
export type StoresByScheme = Together<ByScheme<(typeof openers)[keyof typeof openers]>>
