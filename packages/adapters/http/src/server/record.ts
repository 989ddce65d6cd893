import { isEntry, isStoreError, type WriteResult } from '@unikv/core'
import type { NewChange } from '@unikv/core/adapter'
import { names, versionsIn } from '../protocol/headers.ts'
import { demandRight } from './access.ts'
import { answerOf, boundsOf, headersOf, knownIn, rangeIn } from './answers.ts'
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
import { isLong, putStreamed, readStreamed } from './streams/streamed.ts'

/** `GET` and `HEAD` of one record. */
export async function read(asked: Asked, path: string): Promise<Response> {
  const { request, served, access } = asked
  demandRight(access, 'read')
  const key = keyOf(asked, path)
  const known = knownIn(request)
  const isHead = request.method === 'HEAD'
  const { conditionalRead } = served.records.store.capabilities
  const ifNotVersion = conditionalRead && known !== '*' && known.length === 1 ? known[0] : undefined
  if (served.streams !== undefined && !isHead) return readStreamed(asked, served.streams, key, ifNotVersion)
  const [found] = await served.records.read([{ key, head: isHead, ifNotVersion }], settingsOf(asked))
  if (isStoreError(found)) throw found
  if (found === undefined) throw new Refused(404, 'NOT_FOUND', 'There is no record with this key.')
  const headers = headersOf(found)
  const isKnown = known === '*' || (found.version !== undefined && known.includes(found.version))
  if (isKnown || !(isEntry(found) || isHead)) return new Response(null, { status: 304, headers })
  headers['content-type'] = served.contentType
  if (!isEntry(found) || isHead) return new Response(null, { status: 200, headers })
  const body = await served.bodyOf(found.value)
  const range = rangeIn(request)
  headers[names.length] = String(body.length)
  if (range === undefined) return new Response(body, { headers })
  const { start, end } = boundsOf(range, body.length, headers)
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
  const change = { type: 'set', key, ...expiryIn(request), ...conditionIn(request) } as const
  if (served.streams !== undefined && isLong(request)) return putStreamed(asked, served.streams, change)
  return written(asked, { ...change, value: await served.valueOf(await bodyIn(asked)) })
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
