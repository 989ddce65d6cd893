import { StoreError } from '@unikv/core'
import { kindOf } from '@unikv/core/adapter'
import type { Parameter, Parameters } from './parameters.ts'

/** The least and the greatest number that is right. */
export type Bounds = readonly [least: number, most: number]

/** The greatest whole number that others may be added to. */
export const mostNumber: number = 2 ** 52

/** The least and the greatest number that a parameter is in a session; `undefined`: it is not a number. */
export function numbersOf(parameter: Parameter | undefined): Bounds | undefined {
  if (typeof parameter === 'number') return [parameter, parameter]
  return typeof parameter === 'object' ? [parameter.min, parameter.max] : undefined
}

/**
 * Refuse parameters that are not whole numbers within bounds, or are drawn from others.
 *
 * @throws {StoreError} `INVALID_CONFIG` naming the parameter
 */
export function checkWhole(parameters: Parameters, bounds: Readonly<Record<string, Bounds>>): void {
  for (const [name, [least, most]] of Object.entries(bounds)) {
    const parameter = parameters[name]
    if (parameter === undefined) continue
    if (typeof parameter === 'object' && parameter.random !== 'int')
      throw wrong(`${name} must be a whole number: draw it by \`random: 'int'\`.`)
    const [low, high] = numbersOf(parameter) ?? [Number.NaN, Number.NaN]
    if (!(Number.isInteger(low) && low >= least))
      throw wrong(`${name} must be a whole number of at least ${least}, got ${shown(parameter, low)}.`)
    if (high > most) throw wrong(`${name} must be at most ${most.toLocaleString('en')}, got ${high}.`)
  }
}

/**
 * Refuse parameters that are not numbers within bounds, or are drawn from others.
 *
 * @throws {StoreError} `INVALID_CONFIG` naming the parameter
 */
export function checkBounds(parameters: Parameters, bounds: Readonly<Record<string, Bounds>>): void {
  for (const [name, [least, most]] of Object.entries(bounds)) {
    const parameter = parameters[name]
    if (parameter === undefined) continue
    const [low, high] = numbersOf(parameter) ?? [Number.NaN, Number.NaN]
    if (low >= least && high <= most) continue
    const range = `from ${least} to ${most.toLocaleString('en')}`
    throw wrong(`${name} must be a number ${range}, got ${shown(parameter, low >= least ? high : low)}.`)
  }
}

function shown(parameter: Parameter, number: number): string {
  return numbersOf(parameter) === undefined ? kindOf(parameter) : String(number)
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
