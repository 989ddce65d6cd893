import {
  isConditionFailed,
  isEntry,
  isStoreError,
  type ReadResult,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import type { NewChange } from '@unikv/core/adapter'
import { names, protocol, tagOf, versionsIn } from '../protocol/headers.ts'
import { demandRight } from './access.ts'
import { badRequest, Refused, refuseOthers } from './refused.ts'
import {
  type Asked,
  bodyIn,
  demandChange,
  demandType,
  jsonIn,
  keyOf,
  numberIn,
  settingsOf,
} from './request.ts'

type Headers = Record<string, string>

/** `GET` and `HEAD` of one record. */
export async function read(asked: Asked, path: string): Promise<Response> {
  const { request, served, access } = asked
  demandRight(access, 'read')
  const key = keyOf(asked, path)
  const noneOf = request.headers.get('if-none-match')
  const known = noneOf === null ? [] : versionsIn(noneOf)
  const isHead = request.method === 'HEAD'
  const { conditionalRead } = served.records.store.capabilities
  const ifNotVersion = conditionalRead && known !== '*' && known.length === 1 ? known[0] : undefined
  const [found] = await served.records.read([{ key, head: isHead, ifNotVersion }], settingsOf(asked))
  if (isStoreError(found)) throw found
  if (found === undefined) throw new Refused(404, 'NOT_FOUND', 'There is no record with this key.')
  const headers = headersOf(found)
  const isKnown = known === '*' || (found.version !== undefined && known.includes(found.version))
  if (isKnown || !(isEntry(found) || isHead)) return new Response(null, { status: 304, headers })
  headers['content-type'] = served.contentType
  if (!isEntry(found) || isHead) return new Response(null, { status: 200, headers })
  return partOf(await served.bodyOf(found.value), request.headers.get('range'), headers)
}

function headersOf({ version, expiresAt }: NonNullable<Exclude<ReadResult<unknown>, StoreError>>): Headers {
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

/** The whole, or the one part that `Range` asks for. Several parts are answered by the whole, as RFC 9110 allows. */
function partOf(body: Uint8Array, range: string | null, headers: Headers): Response {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? []
  const { length } = body
  headers[names.length] = String(length)
  if (first === '' && last === '') return new Response(body, { headers })
  const start = first === '' ? Math.max(0, length - Number(last)) : Number(first)
  const end = first === '' || last === '' ? length : Math.min(length, Number(last) + 1)
  if (start >= length || start >= end)
    throw new Refused(416, 'BAD_REQUEST', 'The range lies outside of the value.', {
      'content-range': `bytes */${length}`,
    })
  headers['content-range'] = `bytes ${start}-${end - 1}/${length}`
  return new Response(body.subarray(start, end), { status: 206, headers })
}

/** `PUT`: the body is the value. */
export async function put(asked: Asked, path: string): Promise<Response> {
  const { request, served } = asked
  demandChange(asked)
  const key = keyOf(asked, path)
  // A form, which tools send unless they are told otherwise, would be taken for bad JSON.
  if (served.contentType === 'application/json')
    demandType(request, served.contentType, 'application/octet-stream')
  const value = await served.valueOf(await bodyIn(asked))
  return written(asked, { type: 'set', key, value, ...expiryIn(request), ...conditionIn(request) })
}

/** `DELETE`. An absent record is a success. */
export async function remove(asked: Asked, path: string): Promise<Response> {
  demandChange(asked)
  return written(asked, { type: 'delete', key: keyOf(asked, path), ...conditionIn(asked.request) })
}

/** `PATCH`: `{ "type": "increment", "by": 1 }` or `{ "type": "touch", "ttlMs": 60000 }`. */
export async function patch(asked: Asked, path: string): Promise<Response> {
  demandChange(asked)
  const key = keyOf(asked, path)
  const { type, by, initial, ttlMs, expiresAt, ...others } = await jsonIn(asked)
  refuseOthers(others)
  if (type !== 'increment' && type !== 'touch') throw badRequest("type must be 'increment' or 'touch'.")
  // JSON has no `undefined`: null removes the expiry.
  const expiry = { ttlMs: ttlMs ?? undefined, expiresAt: expiresAt ?? undefined }
  return written(asked, { type, key, by, initial, ...expiry, ...conditionIn(asked.request) })
}

async function written(asked: Asked, change: NewChange): Promise<Response> {
  const [result] = await asked.served.records.write([change], settingsOf(asked))
  return answerOf(result as WriteResult, change)
}

function answerOf(result: WriteResult, { type, ifVersion }: NewChange): Response {
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

/** When the record expires: `keep`, a life, or a time. */
function expiryIn({ headers }: Request): Pick<NewChange, 'ttlMs' | 'expiresAt'> {
  const ttl = headers.get(names.ttl)
  return {
    ttlMs: ttl === 'keep' ? ttl : numberIn(headers, names.ttl),
    expiresAt: numberIn(headers, names.expiresAt),
  }
}

/** `If-Match: "version"`, and `If-None-Match: *` for a new record. Other conditions are refused. */
function conditionIn({ headers }: Request): Pick<NewChange, 'version' | 'ifVersion'> {
  const version = headers.get(names.version) ?? undefined
  const [match, none] = [headers.get('if-match'), headers.get('if-none-match')]
  if (match === null && none === null) return { version }
  if (none !== null && match === null && versionsIn(none) === '*') return { version, ifVersion: null }
  const wanted = match === null || none !== null ? [] : versionsIn(match)
  if (wanted !== '*' && wanted.length === 1) return { version, ifVersion: wanted[0] }
  throw badRequest('A write takes If-Match with one version, or If-None-Match: *, and not both.')
}
