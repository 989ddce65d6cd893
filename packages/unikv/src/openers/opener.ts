import { type Bytes, type Store, StoreError } from '@unikv/core'
import type { StoreUrl } from '../store-url.ts'

/** What a URL and the options of `open` ask for. */
export interface Opening extends StoreUrl {
  readonly dataset: string | undefined
  readonly name: string | undefined
  /** Where credentials are looked up that the URL does not hold. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Makes the store of a URL. */
export type Opener = (opening: Opening) => Store<Bytes>

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
  const unknown = [...parameters.keys()].find((parameter) => !known.includes(parameter))
  if (unknown === undefined) return
  throw new StoreError(
    'INVALID_CONFIG',
    `A ${scheme} URL takes no parameter${named(unknown, parameters)}; it takes: ${known.join(', ')}.`,
  )
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

/**
 * A URL with the user info of the environment where it has none of its own: `UNIKV_MONGODB_USERNAME` and
 * `UNIKV_MONGODB_PASSWORD` for `mongodb://…`.
 */
export function withCredentials(url: string, scheme: string, environment: Opening['environment']): string {
  const start = `${scheme}://`
  if (!url.toLowerCase().startsWith(start)) return url
  const authority = url.slice(start.length).split('/', 1)[0] as string
  const variable = `UNIKV_${scheme.replace(/[^a-z0-9]/g, '_').toUpperCase()}`
  const { [`${variable}_USERNAME`]: user = '', [`${variable}_PASSWORD`]: password } = environment
  if (authority.includes('@') || password === undefined) return url
  const info = `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`
  return `${start}${info}${url.slice(start.length)}`
}
