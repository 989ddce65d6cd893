import { invalidConfig, kindOf } from '@unikv/core/adapter'
import type { Draws } from './draws.ts'
import { isRandom, type Parameter, type Parameters } from './parameters.ts'
import type { Users } from './users.ts'

/** A number that a benchmark declares as a parameter. */
export interface DeclaredNumber {
  /** Its default. */
  readonly standard: number
  readonly least: number
  readonly most: number
  readonly isWhole: boolean
}

/** Numbers of a benchmark by their names. */
type DeclaredNumbers = Readonly<Record<string, DeclaredNumber>>

/** The greatest whole number that others may be added to. */
export const mostNumber: number = 2 ** 52

/** A parameter that is a whole number. */
export function whole(standard: number, least: number, most: number): DeclaredNumber {
  return { standard, least, most, isWhole: true }
}

/** A parameter that is any number within bounds. */
export function real(standard: number, least: number, most: number): DeclaredNumber {
  return { standard, least, most, isWhole: false }
}

/** The values of declared numbers. */
export type NumbersOf<D> = { readonly [Name in keyof D]: number }

/** The defaults of declared numbers. */
export function defaultsOf<D extends DeclaredNumbers>(
  declared: D,
): NumbersOf<D> & Readonly<Record<string, number>> {
  const entries = Object.entries(declared).map(([name, { standard }]) => [name, standard])
  return Object.fromEntries(entries) as NumbersOf<D>
}

/** The least and the greatest number that a parameter is in a session; `undefined`: it is not a number. */
export function numbersOf(parameter: Parameter | undefined): readonly [number, number] | undefined {
  if (typeof parameter === 'number') return [parameter, parameter]
  return typeof parameter === 'object' ? [parameter.min, parameter.max] : undefined
}

/**
 * Refuse parameters that are not numbers within their bounds, or are drawn from others.
 *
 * @throws {StoreError} `INVALID_CONFIG` naming the parameter
 */
export function checkNumbers(parameters: Parameters, declared: DeclaredNumbers): void {
  for (const [name, { least, most, isWhole }] of Object.entries(declared)) {
    const parameter = parameters[name]
    if (parameter === undefined) continue
    if (isWhole && isRandom(parameter) && parameter.random !== 'int')
      throw invalidConfig(`${name} must be a whole number: draw it by \`random: 'int'\`.`)
    const [low, high] = numbersOf(parameter) ?? [Number.NaN, Number.NaN]
    const isLow = !(low >= least && (!isWhole || Number.isInteger(low)))
    if (!isLow && high <= most) continue
    const got = numbersOf(parameter) === undefined ? kindOf(parameter) : isLow ? low : high
    const bound = most.toLocaleString('en')
    const right = isWhole
      ? isLow
        ? `a whole number of at least ${least}`
        : `at most ${bound}`
      : `a number from ${least} to ${bound}`
    throw invalidConfig(`${name} must be ${right}, got ${got}.`)
  }
}

/** Parameters by which benchmarks number their users. */
interface NumberedUsers {
  readonly MIN_USER_ID: number
  readonly USER_NUM: number
}

/** The users of a model that names none: those of the parameters, or one in the place of numbers that are drawn. */
export function usersOf({ MIN_USER_ID, USER_NUM }: Parameters): Users {
  return {
    first: typeof MIN_USER_ID === 'number' ? MIN_USER_ID : 1,
    count: typeof USER_NUM === 'number' ? USER_NUM : 1,
  }
}

/** Any of these users. */
export function anyUser({ MIN_USER_ID, USER_NUM }: NumberedUsers, draw: Draws): number {
  return MIN_USER_ID + draw.int(0, USER_NUM - 1)
}
