import type { Schema } from '@unikv/core'

/** A schema that names a type and checks nothing, for entities of an application that needs no schema library. */
export function plain<T extends object>(): Schema<T> {
  return { '~standard': { version: 1, vendor: 'unikv', validate: (value) => ({ value: value as T }) } }
}
