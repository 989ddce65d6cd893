import { StoreError } from '../contract/errors.ts'
import { wallClock } from '../platform/timers.ts'
import { kindOf } from './check-options.ts'
import { checkName, checkOneOf } from './check-texts.ts'
import { checkTls } from './check-tls.ts'
import { checkedMs, type MsLimits } from './checked-ms.ts'
import {
  type Option,
  type OptionsOf,
  type OptionTable,
  readOptions,
  type SettingsOf,
} from './option-table.ts'
import { ownNumbers } from './own-function.ts'
import { ownRandom, unfailingRandom } from './own-random.ts'
import { unfailingListener, unfailingNumbers } from './unfailing.ts'

// The kinds of options. The first argument is the default; each throws `INVALID_CONFIG`.

/** An option that may be left out. */
type Optional<T, D> = Option<T | undefined, T | D>

function optional<T, D>(fallback: D, check: (which: string, given: T) => void): Optional<T, D> {
  return (given, name, whose) => {
    if (given === undefined) return fallback
    check(`\`${name}\` of ${whose}()`, given)
    return given
  }
}

/** Throws. Tells numbers, and of anything else only its kind. */
function refuse(which: string, what: string, given?: unknown): never {
  const got = given === undefined ? '' : `; got ${typeof given === 'number' ? given : kindOf(given)}`
  throw new StoreError('INVALID_CONFIG', `${which} must ${what}${got}.`)
}

/** `true` or `false`. */
export function flag<D extends boolean | undefined>(fallback: D): Optional<boolean, D> {
  return optional(fallback, (which, given) => {
    if (typeof given !== 'boolean') refuse(which, 'be true or false', given)
  })
}

/** One of some words. */
export function oneOf<const W extends string, const D extends NoInfer<W> | undefined = W>(
  fallback: D,
  words: readonly W[],
): Optional<W, D> {
  return optional(fallback, (which, given) => checkOneOf(which, given, words))
}

/** A whole number, above 0 if nothing else is said. */
export function whole<D extends number | undefined>(
  fallback: D,
  least: number = 1,
  most: number = Number.MAX_SAFE_INTEGER,
): Optional<number, D> {
  const from = least === 1 ? 'above 0' : `from ${least} on`
  const range = most === Number.MAX_SAFE_INTEGER ? from : `from ${least} to ${most}`
  return optional(fallback, (which, given) => {
    if (!Number.isSafeInteger(given) || given < least || given > most)
      refuse(which, `be a whole number ${range}`, given)
  })
}

/** A number above 0; `Infinity` too, where no limit is set. */
export function positive<D extends number | undefined>(
  fallback: D,
  most: number = Number.POSITIVE_INFINITY,
): Optional<number, D> {
  const range = most === Number.POSITIVE_INFINITY ? '' : `, and ${most} at most`
  return optional(fallback, (which, given) => {
    if (typeof given !== 'number' || !(given > 0 && given <= most))
      refuse(which, `be a number above 0${range}`, given)
  })
}

/** A part of a whole, from 0 to 1. */
export function share<D extends number | undefined>(fallback: D): Optional<number, D> {
  return optional(fallback, (which, given) => {
    if (typeof given !== 'number' || !(given >= 0 && given <= 1))
      refuse(which, 'be a share from 0 to 1', given)
  })
}

/** Milliseconds, above 0 if nothing else is said. */
export function ms<D extends number | undefined>(fallback: D, limits?: MsLimits): Optional<number, D> {
  return optional(fallback, (which, given) => checkedMs(which, given, limits))
}

/** A string. */
export function text(): Optional<string, undefined> {
  return optional(undefined, (which, given) => {
    if (typeof given !== 'string') refuse(which, 'be a string', given)
  })
}

/** A list of strings. */
export function texts(): Optional<readonly string[], undefined> {
  return optional(undefined, (which, given) => {
    const list: unknown = given
    if (!Array.isArray(list) || list.some((one) => typeof one !== 'string'))
      refuse(which, 'be a list of strings')
  })
}

/** A non-empty string. */
export function label<D extends string | undefined>(fallback: D): Optional<string, D> {
  return optional<string, D>(fallback, checkName)
}

/** A name that stands in a statement, a path or an address, where it cannot be bound: `[a-z][a-z0-9_]{0,47}`. */
export function plainName<D extends string | undefined>(fallback: D): Optional<string, D> {
  return optional(fallback, (which, given) => {
    if (typeof given !== 'string' || !/^[a-z][a-z0-9_]{0,47}$/.test(given))
      refuse(which, 'match [a-z][a-z0-9_]{0,47}')
  })
}

/** An option of another kind, which `must` tells in words, such as `be the path of a file`. */
export function valid<T, D extends T | undefined = undefined>(
  must: string,
  holds: (given: unknown) => boolean,
  fallback?: D,
): Optional<T, D> {
  return optional<T, D>(fallback as D, (which, given) => {
    if (!holds(given)) refuse(which, must, typeof given === 'string' ? undefined : given)
  })
}

/** A function of the application. */
export function func<F>(): Optional<F, undefined> {
  return optional(undefined, (which, given) => {
    if (typeof given !== 'function') refuse(which, 'be a function', given)
  })
}

/** An option that the table does not check. */
export function any<T>(): Optional<T, undefined> {
  return (given) => given
}

/** An option that every caller gives. */
export function needed<T>(option: Option<T | undefined, T | undefined> = any<T>()): Option<T> {
  return (given, name, whose) => {
    if (given === undefined) refuse(`\`${name}\` of ${whose}()`, 'be given')
    return option(given, name, whose) as T
  }
}

/** A clock of the application, in milliseconds. */
export function ownClock(
  fallback: () => number = wallClock,
): Option<(() => number) | undefined, () => number> {
  return (own, name, whose) => ownNumbers(whose, name, own, fallback)
}

/** A clock that is asked in timers too, where its default stands in for one that throws. */
export function quietClock(
  fallback: () => number = wallClock,
): Option<(() => number) | undefined, () => number> {
  return (own, name, whose) => unfailingNumbers(whose, name, own, fallback)
}

/** A source of random numbers of the application, uniform in [0, 1). */
export function random(): Option<(() => number) | undefined, () => number> {
  return (own, _, whose) => ownRandom(whose, own)
}

/** The same for timers, where `Math.random` stands in for one that throws. */
export function quietRandom(): Option<(() => number) | undefined, () => number> {
  return (own, _, whose) => unfailingRandom(whose, own)
}

/** A listener, whose errors are ignored. */
export function listener<E>(): Option<((event: E) => void) | undefined, (event: E) => void> {
  return (own, name, whose) => unfailingListener(whose, name, own)
}

/** Settings of TLS. `more`: names besides `ca`, `cert`, `key` and `rejectUnauthorized`. */
export function tls<T>(more: readonly string[] = []): Optional<T, undefined> {
  return (given, _, whose) => {
    checkTls(whose, given, more)
    return given
  }
}

/** Options of their own, which may be left out as a whole. */
export function part<T extends OptionTable>(
  table: T,
): Option<OptionsOf<T> | undefined, SettingsOf<T> | undefined> {
  return (given, name, whose) => (given === undefined ? undefined : readOptions(whose, table, given, name))
}
