import { StoreError } from '../contract/errors.ts'
import type { StoreUrl } from './opener.ts'

/** One of the known values of a parameter, or `undefined` if the URL does not have it. */
export function oneOf<T extends string>(
  parameters: URLSearchParams,
  name: string,
  known: readonly T[],
): T | undefined {
  const asked = parameters.get(name)
  if (asked === null) return undefined
  const found = known.find((one) => one === asked)
  if (found !== undefined) return found
  throw new StoreError('INVALID_CONFIG', `${name} in a store URL must be one of: ${known.join(', ')}.`)
}

/** A parameter that is `true` or `false`, or `undefined` if the URL does not have it. */
export function flagOf(parameters: URLSearchParams, name: string): boolean | undefined {
  const asked = oneOf(parameters, name, ['true', 'false'])
  return asked === undefined ? undefined : asked === 'true'
}

/** Nothing is accepted and ignored. */
export function refuseOthers(scheme: string, parameters: URLSearchParams, known: readonly string[]): void {
  refuseTwice(scheme, parameters, known)
  const unknown = [...parameters.keys()].find((parameter) => !known.includes(parameter))
  if (unknown === undefined) return
  throw new StoreError(
    'INVALID_CONFIG',
    `A ${scheme} URL takes no parameter${named(unknown, parameters)}; it takes: ${known.join(', ')}.`,
  )
}

/** A parameter has one value: a second one would be ignored. */
export function refuseTwice(scheme: string, parameters: URLSearchParams, known: readonly string[]): void {
  const twice = known.find((name) => parameters.getAll(name).length > 1)
  if (twice === undefined) return
  throw new StoreError('INVALID_CONFIG', `A ${scheme} URL must have the parameter '${twice}' only once.`)
}

/** Its name, unless it may be a part of a password that was not percent-encoded. */
function named(unknown: string, parameters: URLSearchParams): string {
  const isSafe = /^[a-z][\w.-]{0,40}$/i.test(unknown) && !parameters.toString().includes('%40')
  return isSafe ? ` '${unknown}'` : ' of this name'
}

/** A whole number above 0 that a parameter gives, or `undefined` if the URL does not have it. */
export function countOf(parameters: URLSearchParams, name: string): number | undefined {
  const text = parameters.get(name)
  if (text === null) return undefined
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new StoreError('INVALID_CONFIG', `${name} in a store URL must be a whole number above 0, such as 10.`)
}

/** Scheme and path, with those of the parameters that the adapter itself reads. */
export function withParameters({ rest, parameters }: StoreUrl, kept: readonly string[]): string {
  const query = new URLSearchParams([...parameters].filter(([name]) => kept.includes(name))).toString()
  return query === '' ? rest : `${rest}?${query}`
}
