import type { StoreError } from '@unikv/core'
import { checkOneOf, checkOptions, invalidConfig, nearest } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import type { Draws } from './draws.ts'
import { checkFlag } from './options.ts'

/** The value of a parameter. */
export type ParameterValue = number | string | boolean

/** The values of the parameters of one session. */
export type ParameterValues = Readonly<Record<string, ParameterValue>>

/** A number that is drawn. */
export interface RandomParameter {
  /** `int`: whole numbers, with `max` among them; `double`: any numbers below `max`. */
  readonly random: 'int' | 'double'
  readonly min: number
  readonly max: number
  /**
   * Each session of those at the same time draws from a range of its own; together the ranges are the whole one.
   * @default false
   */
  readonly partition?: boolean | undefined
  /** When it is drawn anew. @default 'session' */
  readonly each?: 'session' | 'interaction' | undefined
}

/** A constant, or a number that is drawn. */
export type Parameter = ParameterValue | RandomParameter

/** Parameters by name. */
export type Parameters = Readonly<Record<string, Parameter>>

/** One of several places where sessions follow each other. */
export interface Place {
  /** Counted from 0. */
  readonly index: number
  /** How many sessions there are at the same time, in all workers together. */
  readonly of: number
}

/** The part of whole numbers from `min` to `max` that belongs to a place; empty if there are more places than numbers. */
export function intPart(
  min: number,
  max: number,
  { index, of }: Place,
): { readonly min: number; readonly max: number } {
  const size = max - min + 1
  return { min: min + Math.floor((size * index) / of), max: min + Math.floor((size * (index + 1)) / of) - 1 }
}

/** The value of a parameter for a session at this place. */
export function drawnValue(parameter: Parameter, place: Place, draw: Draws): ParameterValue {
  if (!isRandom(parameter)) return parameter
  const { random, partition = false } = parameter
  const [min, max] = partition ? partOf(parameter, place) : [parameter.min, parameter.max]
  return random === 'int' ? draw.int(min, max) : draw.double(min, max)
}

/** Whether a parameter is drawn anew for each interaction. */
export function isOfInteraction(parameter: Parameter): boolean {
  return isRandom(parameter) && parameter.each === 'interaction'
}

/**
 * The parameters of a model and of its benchmark together, checked.
 *
 * @param declared those that the benchmark has, with defaults; `undefined`: any are right
 * @throws {StoreError} `INVALID_CONFIG` naming the parameter
 */
export function checkedParameters(given: Parameters = {}, declared?: DeclaredParameters): Parameters {
  if (!isPlainObject(given)) throw invalidConfig('Parameters must be an object with a value by name.')
  for (const [name, parameter] of Object.entries(given)) {
    if (declared !== undefined && !Object.hasOwn(declared, name)) throw unknown(name, Object.keys(declared))
    if (name === '__proto__')
      throw invalidConfig('A parameter cannot have the name __proto__. Choose another one.')
    checkParameter(name, parameter)
    checkType(name, parameter, declared?.[name])
  }
  const all: Record<string, Parameter | undefined> = { ...declared, ...given }
  const missing = Object.keys(all).find((name) => all[name] === undefined)
  if (missing !== undefined) throw invalidConfig(`The parameter ${missing} is missing. Give it a value.`)
  return all as Parameters
}

/** Parameters of a benchmark with their defaults; `undefined`: it must be given. */
export type DeclaredParameters = Readonly<Record<string, Parameter | undefined>>

/**
 * Refuse a partition with fewer numbers than places.
 *
 * @throws {StoreError} `INVALID_CONFIG` naming the parameter
 */
export function checkPartitions(parameters: Parameters, places: number): void {
  for (const [name, parameter] of Object.entries(parameters)) {
    if (!isRandom(parameter) || parameter.partition !== true || parameter.random === 'double') continue
    const count = parameter.max - parameter.min + 1
    if (count < places)
      throw invalidConfig(
        `${name} has ${count} numbers for ${places} sessions at the same time, so some would have none. Widen it, or run fewer sessions.`,
      )
  }
}

/** Whether a parameter is drawn. */
export function isRandom(parameter: Parameter): parameter is RandomParameter {
  return typeof parameter === 'object'
}

function partOf({ random, min, max }: RandomParameter, place: Place): readonly [number, number] {
  if (random === 'double') {
    const width = (max - min) / place.of
    return [min + width * place.index, min + width * (place.index + 1)]
  }
  const part = intPart(min, max, place)
  return [part.min, part.max]
}

const randomNames = { random: true, min: true, max: true, partition: true, each: true } as const

function checkParameter(name: string, parameter: unknown): void {
  if (parameter === undefined || typeof parameter === 'string' || typeof parameter === 'boolean') return
  if (typeof parameter === 'number') {
    if (Number.isFinite(parameter)) return
    throw invalidConfig(`The parameter ${name} must be a finite number, got ${parameter}.`)
  }
  checkOptions(`parameter ${name}`, parameter, randomNames)
  const { random, min, max, each, partition } = parameter as RandomParameter
  if (random === undefined)
    throw invalidConfig(`The parameter ${name} must be a value, or have \`random\`: 'int' or 'double'.`)
  checkOneOf(`random of ${name}`, random, ['int', 'double'])
  checkOneOf(`each of ${name}`, each, ['session', 'interaction'])
  checkFlag(`partition of ${name}`, partition)
  const isRight = random === 'int' ? Number.isSafeInteger : Number.isFinite
  for (const [bound, value] of Object.entries({ min, max }))
    if (!isRight(value))
      throw invalidConfig(
        `${bound} of ${name} must be a ${random === 'int' ? 'whole' : 'finite'} number, got ${String(value)}.`,
      )
  if (min > max) throw invalidConfig(`min of ${name} (${min}) is above its max (${max}).`)
  if (!isRight(max - min))
    throw invalidConfig(
      `${name} has more numbers from ${min} to ${max} than can be drawn. Give it a narrower range.`,
    )
}

/** A random parameter is a number; a default tells what its parameter is. */
function checkType(name: string, given: Parameter | undefined, standard: Parameter | undefined): void {
  if (given === undefined || standard === undefined) return
  const [found, wanted] = [given, standard].map((one) => (isRandom(one) ? 'number' : typeof one))
  if (found !== wanted) throw invalidConfig(`The parameter ${name} must be a ${wanted}, got a ${found}.`)
}

function unknown(name: string, known: readonly string[]): StoreError {
  const meant = nearest(name, known)
  const told = meant === undefined ? `It has ${known.join(', ')}.` : `Did you mean ${meant}?`
  return invalidConfig(`The benchmark has no parameter ${name}. ${told}`)
}
