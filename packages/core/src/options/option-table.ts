import { isStoreError, StoreError } from '../contract/errors.ts'
import { checkOptions } from './check-options.ts'
import { checkFactoryOptions } from './factory-options.ts'

// The options of a store or a layer stand in one table. Their types, names, defaults and checks come from it, and so do
// the comments that an editor shows and the table of the README.

/**
 * One option: takes what was given under its name, refuses what is wrong, and returns the setting. An option that takes
 * `undefined` may be left out.
 */
export type Option<G, S = G> = (given: G, name: string, whose: string) => S

/** Options by name. The comment of each is that of the option. */
export type OptionTable = Readonly<Record<string, Option<never, unknown>>>

type Given<F> = F extends (given: infer G, ...more: never) => unknown ? G : never

type RequiredIn<T> = { [K in keyof T]: undefined extends Given<T[K]> ? never : K }[keyof T]

// A mapped type over `K extends keyof T` keeps the comments of `T`.
type Needed<T, K extends keyof T, N> = { readonly [P in K]: P extends keyof N ? N[P] : Given<T[P]> }
type Possible<T, K extends keyof T, N> = {
  readonly [P in K]?: (P extends keyof N ? N[P] : Given<T[P]>) | undefined
}

/**
 * The object that a caller passes. `N` names the narrower types of options that a type parameter tells, such as the
 * class of a client.
 *
 * ```ts
 * export interface FileOptions extends OptionsOf<typeof table> {}
 * ```
 */
export type OptionsOf<T extends OptionTable, N = unknown> = Needed<T, RequiredIn<T>, N> &
  Possible<T, Exclude<keyof T, RequiredIn<T>>, N>

/**
 * The literal type of an option in the type of options: all values if that does not tell, the default if it has no such option.
 */
export type Chosen<O, Name extends string, All, Default extends All> = O extends {
  readonly [N in Name]: infer One extends All
}
  ? One
  : Name extends keyof O
    ? All
    : Default

/** The options after their checks, with defaults. */
export type SettingsOf<T extends OptionTable> = { readonly [K in keyof T]: ReturnType<T[K]> }

/**
 * Check the options of a store, a layer or a tool, and fill in the defaults.
 *
 * @param whose The factory, such as `redis`
 * @param within Where the options stand if they are a part of others, such as `replicas`
 * @throws {StoreError} `INVALID_CONFIG`; for an unknown option with the nearest name
 */
export function readOptions<T extends OptionTable>(
  whose: string,
  table: T,
  options: unknown,
  within?: string,
): SettingsOf<T> {
  checkFactoryOptions(within === undefined ? whose : `${whose}.${within}`, options, table)
  return settingsBy(whose, table, options ?? {}, within)
}

/**
 * The same for settings of a call.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function readCall<T extends OptionTable>(call: string, table: T, settings: unknown): SettingsOf<T> {
  checkOptions(call, settings, table, 'INVALID_ARGUMENT')
  try {
    return settingsBy(call, table, settings ?? {})
  } catch (error) {
    throw isStoreError(error)
      ? new StoreError('INVALID_ARGUMENT', error.message, { cause: error.cause })
      : error
  }
}

/** The same for options whose names were checked. */
export function settingsBy<T extends OptionTable>(
  whose: string,
  table: T,
  options: object,
  within?: string,
): SettingsOf<T> {
  const settings: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(table))
    settings[name] = option(
      (options as Record<string, unknown>)[name] as never,
      within === undefined ? name : `${within}.${name}`,
      whose,
    )
  return settings as SettingsOf<T>
}
