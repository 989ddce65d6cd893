import type { remove } from '@unikv/core'
import type { Value } from './values.ts'

/** An entry as programs look at it. */
export interface Found {
  readonly value: Value
  readonly version?: string
  readonly meta?: { readonly stale?: boolean }
}

/** What programs call of a KeyValue, whatever its stack declares. */
export interface Target {
  getEntry(key: string, settings: object): Promise<Found | undefined>
  getMany(keys: readonly string[], settings: object): Promise<(Value | undefined)[]>
  has(key: string, settings: object): Promise<boolean>
  set(key: string, value: Value, settings: object): Promise<unknown>
  setMany(entries: readonly (readonly [string, Value])[], settings: object): Promise<unknown[]>
  delete(key: string, settings: object): Promise<unknown>
  deleteMany(keys: readonly string[], settings: object): Promise<unknown[]>
  update?(
    key: string,
    change: (value: Value | undefined) => Value | typeof remove | undefined,
    settings: object,
  ): Promise<unknown>
  keys(settings: object): AsyncIterable<string>
  entries(settings: object): AsyncIterable<readonly [string, Found]>
  clear(settings: object): Promise<unknown>
  close(): Promise<void>
}
