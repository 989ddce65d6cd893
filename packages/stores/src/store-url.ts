import { StoreError } from '@unikv/core'
import type { StoreUrl } from '@unikv/core/url'
import { kindOf, table } from './table.ts'

/** Whether the URL is a path, without user or host. */
export function isPathUrl(url: string): boolean {
  const kind = kindOf(schemeOf(url))
  return kind !== undefined && table[kind].isPath === true
}

/** The text before the first colon, in lower case. */
function schemeOf(url: string): string {
  return url.slice(0, Math.max(0, url.indexOf(':'))).toLowerCase()
}

/**
 * Take a URL apart. Not by `URL`, which knows neither relative paths nor several hosts.
 *
 * @throws {StoreError} `INVALID_CONFIG` if user or password are not percent-encoded, so that a part of them would be
 *   taken for a host, a path or a parameter
 */
export function splitUrl(url: string): StoreUrl {
  const match = /^([a-z][a-z\d+.-]*):([^?]*)(?:\?(.*))?$/is.exec(url)
  const scheme = (match?.[1] ?? '').toLowerCase()
  const [path, query] = [match?.[2] ?? '', match?.[3] ?? '']
  if (!isPathUrl(url) && hasRawUserInfo(path, query)) throw notEncoded(scheme)
  return { scheme, path, rest: `${scheme}:${path}`, parameters: new URLSearchParams(query) }
}

/** Whether an `@` stands where it can only be the end of user info that holds a raw `/`, `?` or `#`. */
function hasRawUserInfo(path: string, query: string): boolean {
  const head = path.replace(/^\/\//, '')
  const delimiter = head.search(/[/#]/)
  if (delimiter !== -1 && head.indexOf('@', delimiter) !== -1) return true
  if (!query.includes('@')) return false
  // An `@` in the value of a parameter is as good as any character.
  const isValue = /^[^@]*=/.test(query)
  return !isValue || (!head.includes('@') && /:(?!\d{0,5}(?:[,/]|$))/.test(head))
}

/** The variable of `withCredentials`. */
function envName(scheme: string): string {
  return `UNIKV_${scheme.replace(/[^a-z0-9]/g, '_').toUpperCase()}_PASSWORD`
}

function notEncoded(scheme: string): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    `User and password in a ${scheme} URL must be percent-encoded: %40 for @, %2F for /, %3F for ? and %23 for #. ${envName(scheme)} takes a password as it is.`,
  )
}
