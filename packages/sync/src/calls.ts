import type { CallSettings, ScanOptions } from '@unikv/core'
import type { Packed } from './packed.ts'

/** Which KeyValue of which module a call is for. */
export interface Place {
  /** URL of a module that the worker imports. */
  readonly module: string
  readonly exportName: string
  /** The namespace, from the outside inwards. */
  readonly namespace: readonly string[]
}

/** Methods of a KeyValue that take and return plain data. */
export type PlainMethod =
  | 'get'
  | 'getEntry'
  | 'getMany'
  | 'has'
  | 'head'
  | 'revalidate'
  | 'set'
  | 'setMany'
  | 'delete'
  | 'deleteMany'
  | 'write'
  | 'take'
  | 'touch'
  | 'increment'
  | 'incrementEntry'
  | 'count'
  | 'clear'
  | 'close'

/** One call that crosses to the worker thread. */
export type RemoteCall =
  | { readonly place: Place; readonly what: 'facts' }
  | { readonly place: Place; readonly what: PlainMethod; readonly args: readonly Packed[] }
  | {
      readonly place: Place
      readonly what: 'keys' | 'entries'
      readonly options: Packed
    }

/** Settings of a listing, as they are on both sides of the crossing. */
export type ListSettings = (ScanOptions<unknown> & CallSettings) | undefined

/** The reply. An error travels as data, because classes do not survive the crossing. */
export type RemoteAnswer = { readonly value: Packed } | { readonly error: Packed }
