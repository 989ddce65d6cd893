import { isConditionFailed, isStoreError, type NotModified, StoreError, type WriteResult } from '@unikv/core'
import type { NewChange } from '@unikv/core/adapter'
import { names, protocol, tagOf, versionsIn } from '../protocol/headers.ts'
import { Refused } from './refused.ts'

/** Headers of an answer. */
export type Headers = Record<string, string>

/** The versions that a caller knows by `If-None-Match`. */
export function knownIn({ headers }: Request): '*' | readonly string[] {
  const noneOf = headers.get('if-none-match')
  return noneOf === null ? [] : versionsIn(noneOf)
}

/** Headers that tell version and expiry of a record. */
export function headersOf({ version, expiresAt }: Pick<NotModified, 'version' | 'expiresAt'>): Headers {
  const headers: Headers = {
    [names.protocol]: protocol,
    'accept-ranges': 'bytes',
    // No browser may take a value for a page.
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  }
  if (version !== undefined) Object.assign(headers, { etag: tagOf(version), [names.version]: version })
  if (expiresAt !== undefined) headers[names.expiresAt] = String(expiresAt)
  return headers
}

/** The part of a value that `Range` asks for, as the bounds of `slice`; `undefined`: the whole, as RFC 9110 allows for several parts. */
export function rangeIn({ headers }: Request): { readonly start: number; readonly end?: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.get('range') ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') return { start: -placeIn(last) }
  return last === '' ? { start: placeIn(first) } : { start: placeIn(first), end: placeIn(last) + 1 }
}

/** No value is so long that a larger number would make a difference. */
function placeIn(digits: string): number {
  return Math.min(Number(digits), 2 ** 52)
}

/** The bytes of the answer to a request for a part, with the headers that tell it. @throws {Refused} for what lies outside of the value */
export function boundsOf(
  range: NonNullable<ReturnType<typeof rangeIn>>,
  length: number,
  headers: Headers,
): { readonly start: number; readonly end: number } {
  const start = range.start < 0 ? Math.max(0, length + range.start) : range.start
  const end = Math.min(length, range.end ?? length)
  // `bytes=-0` asks for nothing.
  if (start >= end || Object.is(range.start, -0))
    throw new Refused(416, 'BAD_REQUEST', 'The range lies outside of the value.', {
      'content-range': `bytes */${length}`,
    })
  headers['content-range'] = `bytes ${start}-${end - 1}/${length}`
  return { start, end }
}

/** The answer to a change. */
export function answerOf(result: WriteResult, { type, ifVersion }: NewChange): Response {
  if (isStoreError(result)) throw result
  if (isConditionFailed(result)) {
    const { version } = result
    if (type === 'touch' && ifVersion === undefined)
      throw new Refused(404, 'NOT_FOUND', 'There is no record with this key.')
    throw new StoreError(
      'CONDITION_FAILED',
      'The record does not have the expected version. Read it again.',
      { version },
    )
  }
  const { version, value, expiresAt, existed } = result
  const headers: Headers = { [names.protocol]: protocol }
  if (version !== undefined) headers[names.version] = version
  if (version !== undefined && type !== 'delete') headers['etag'] = tagOf(version)
  if (existed !== undefined) headers[names.existed] = String(existed)
  if (expiresAt !== undefined) headers[names.expiresAt] = String(expiresAt)
  if (value === undefined) return new Response(null, { status: 204, headers })
  headers['content-type'] = 'application/json'
  return new Response(JSON.stringify({ value, version, expiresAt }), { headers })
}
