import { type KeyValue, StoreError, type Supporting, supports } from '@unikv/core'
import { closedAfter, type Form, openedPlace, type PlaceOptions } from './place.ts'
import { reading } from './there.ts'

/** Options of all commands for data. */
export interface DataOptions extends PlaceOptions {
  readonly json?: true
}

/** The records of a place. */
export type Records = KeyValue<string, unknown>

/** Run something over the records of a place, and close it. */
export async function over<T>(
  place: string,
  options: PlaceOptions,
  run: (kv: Records, form: Form) => Promise<T>,
): Promise<T> {
  const opened = await openedPlace(place, options)
  return closedAfter(opened, () => run(opened.kv, opened.form))
}

/** The same for a command that needs records: a mistyped path is told, and nothing is made there. */
export async function overThere<T>(
  place: string,
  options: PlaceOptions,
  run: (kv: Records, form: Form) => Promise<T>,
): Promise<T> {
  return reading(() => over(place, { ...options, prepare: false }, run))
}

/** The records of a store that can list them. */
export function scanning(kv: Records): KeyValue<string, unknown, Supporting<'scan'>> {
  if (supports(kv, 'scan')) return kv
  throw new StoreError('UNSUPPORTED', `${kv.name} cannot list its keys.`)
}
