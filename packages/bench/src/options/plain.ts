import type { z } from 'zod'

/** The output of a schema, read-only at all depths. */
export type Plain<S extends z.ZodType> = ReadonlyDeep<z.output<S>>

/** The outputs of schemas, by the names of their fields. */
export type PlainShape<S extends Readonly<Record<string, z.ZodType>>> = {
  readonly [K in keyof S]: Plain<S[K]>
}

/** A part of what a schema takes: the options that were given, by the names of the configuration. */
export type Given<S extends z.ZodType> = PartialDeep<z.input<S>>

type ReadonlyDeep<T> = unknown extends T
  ? T
  : T extends (...args: never) => unknown
    ? T
    : { readonly [K in keyof T]: ReadonlyDeep<T[K]> }

type PartialDeep<T> = unknown extends T
  ? T
  : T extends readonly unknown[]
    ? ReadonlyDeep<T>
    : { readonly [K in keyof T]?: PartialDeep<T[K]> | undefined }
