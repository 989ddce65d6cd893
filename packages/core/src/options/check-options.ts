import { type ErrorCode, StoreError } from '../contract/errors.ts'
import { classOf, isPlainObject } from '../platform/realms.ts'

// One check of all option objects: of calls, stores, layers and tools. An option that no code reads is an error.

/**
 * The names of the options `O`. As a type for the list, it makes the compiler complain about an option that was
 * forgotten, and about one that does not exist.
 */
export type OptionNames<O> = Readonly<Record<O extends unknown ? keyof O & string : never, true>>

type Names = Readonly<Record<string, unknown>>

/** Names that people look for, and the options that they mean; the first one that is known here is told. */
export type OptionAliases = Readonly<Record<string, string>>

/**
 * Refuse options that are not an object, and names that are not known. `undefined` counts as absent, for the whole and
 * for each option. So does nothing else: a factory refuses `null`, too. Calls, which may mean it, check it themselves.
 *
 * @param whose The call or factory, such as `set` or `cache`
 * @throws {StoreError} `code`, with the nearest right name
 */
export function checkOptions(
  whose: string,
  options: unknown,
  names: Names,
  code: ErrorCode = 'INVALID_CONFIG',
  aliases: OptionAliases = {},
): void {
  if (options === undefined) return
  if (!isOptions(options)) throw new StoreError(code, notAnObject(whose, options, names))
  for (const name in options) {
    if (options[name] === undefined || !Object.hasOwn(options, name)) continue
    if (!Object.hasOwn(names, name)) throw new StoreError(code, unknownOption(whose, name, names, aliases))
    if (options[name] === null && code === 'INVALID_CONFIG')
      throw new StoreError(code, `\`${name}\` of ${whose}() must not be null. Leave it out for its default.`)
  }
}

/** Objects of classes of the application are: built-in ones, such as an AbortController or a Date, are not. */
function isOptions(value: unknown): value is Record<string, unknown> {
  return isPlainObject(value) || (typeof value === 'object' && value !== null && classOf(value) === 'Object')
}

/** The kind of a wrong argument, without its content: `a string`, `an Array`, `undefined`. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  const kind = typeof value === 'object' ? classOf(value) : typeof value
  return `${/^[aeio]/i.test(kind) ? 'an' : 'a'} ${kind === 'Object' ? 'object' : kind}`
}

function notAnObject(whose: string, given: unknown, names: Names): string {
  return `The options of ${whose}() must be an object${listed(' with ', names)}, got ${kindOf(given)}.`
}

function unknownOption(whose: string, name: string, names: Names, aliases: OptionAliases): string {
  // A name of another form may be data.
  const quoted = /^[a-z_$][\w$]{0,39}$/i.test(name) ? ` \`${name}\`` : ''
  const meant = nearest(name, Object.keys(names), aliases)
  const hint = meant === undefined ? `${listed('It takes ', names)}.` : `Did you mean \`${meant}\`?`
  return `Unknown option${quoted} of ${whose}(). ${hint}`
}

function listed(before: string, names: Names): string {
  const known = Object.keys(names).map((name) => `\`${name}\``)
  return known.length === 0 ? `${before}no options` : before + known.join(', ')
}

/** The known name that was probably meant, if any: the same but for case or a few letters. */
export function nearest(
  name: string,
  known: readonly string[],
  aliases: OptionAliases = {},
): string | undefined {
  const lower = name.toLowerCase()
  const same = known.find((one) => one.toLowerCase() === lower)
  if (same !== undefined) return same
  const alias = Object.hasOwn(aliases, lower) ? (aliases[lower] as string).split(' ') : []
  const meant = alias.find((one) => known.includes(one))
  if (meant !== undefined) return meant
  const byDistance = known
    .map((one) => ({ one, distance: distanceOf(lower, one.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  return byDistance[0] !== undefined && byDistance[0].distance <= 1 + name.length / 4
    ? byDistance[0].one
    : undefined
}

/** How many letters differ, are missing or too many; a unit that was left out (`timeout`, `timeoutMs`) costs nothing. */
function distanceOf(name: string, known: string): number {
  if (/^(ms|bytes|at)$/.test(known.slice(name.length)) && known.startsWith(name)) return 0
  let row = Array.from(known, (_, i) => i + 1)
  for (let i = 0; i < name.length; i++) {
    let before = i + 1
    row = row.map((above, j) => {
      const corner = j === 0 ? i : (row[j - 1] as number)
      before = Math.min(above + 1, before + 1, corner + (name[i] === known[j] ? 0 : 1))
      return before
    })
  }
  return row.at(-1) ?? name.length
}
