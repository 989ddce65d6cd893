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

const key = ['INVALID_KEY'] as const
const counter = ['INVALID_KEY', 'INVALID_ARGUMENT'] as const

/** Methods of a KeyValue that take and return plain data: the error of each argument that cannot cross. Settings follow them. */
export const plainMethods = {
  get: key,
  getEntry: key,
  getMany: key,
  has: key,
  head: key,
  revalidate: ['INVALID_KEY', 'INVALID_ARGUMENT'],
  set: ['INVALID_KEY', 'INVALID_VALUE'],
  setMany: ['INVALID_VALUE'],
  delete: key,
  deleteMany: key,
  write: ['INVALID_VALUE'],
  take: key,
  touch: key,
  increment: counter,
  incrementEntry: counter,
  count: [],
  clear: [],
} as const

export type PlainMethod = keyof typeof plainMethods

/** One call that crosses to the worker thread. */
export type RemoteCall =
  | { readonly place: Place; readonly what: 'facts' }
  | { readonly place: Place; readonly what: PlainMethod | 'close'; readonly args: readonly Packed[] }
  | {
      readonly place: Place
      readonly what: 'keys' | 'entries'
      readonly options: Packed
    }

/** Settings of a listing, as they are on both sides of the crossing. */
export type ListSettings = (ScanOptions<unknown> & CallSettings) | undefined

/** The reply. An error travels as data, because classes do not survive the crossing. */
export type RemoteAnswer = { readonly value: Packed } | { readonly error: Packed }
