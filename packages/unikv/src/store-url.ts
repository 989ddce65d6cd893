import { StoreError } from '@unikv/core'

/** Parts of a store's URL. */
export interface StoreUrl {
  /** In lower case, without its colon; empty if there is none. */
  readonly scheme: string
  /** Between the scheme and the parameters. */
  readonly path: string
  /** Scheme and path, as an adapter wants them. */
  readonly rest: string
  readonly parameters: URLSearchParams
}

/** Schemes whose URL is a path, which may hold an `@` of its own. */
const ofPaths = /^(file|lmdb|memory|sqlite):/i

/** Whether the URL is a path, without user or host. */
export function isPathUrl(url: string): boolean {
  return ofPaths.test(url)
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

/**
 * The path of a URL that is a path, percent-decoded.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a `%` that encodes nothing
 */
export function decodedPath(scheme: string, path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw new StoreError(
      'INVALID_CONFIG',
      `The path of a ${scheme} URL holds a % that encodes nothing. Write %25 for a percent sign.`,
    )
  }
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

function notEncoded(scheme: string): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    `User and password in a ${scheme} URL must be percent-encoded: %40 for @, %2F for /, %3F for ? and %23 for #.`,
  )
}
