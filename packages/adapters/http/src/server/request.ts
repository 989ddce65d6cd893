import type { CallSettings } from '@unikv/core'
import { performance } from '@unikv/core/platform'
import { names } from '../protocol/headers.ts'
import { type Access, demandKey, demandRight } from './access.ts'
import { badRequest, Refused } from './refused.ts'
import type { Served } from './served.ts'

/** A request about one store, whose caller may see it. */
export interface Asked {
  readonly request: Request
  readonly query: URLSearchParams
  readonly served: Served
  readonly access: Access
  readonly limits: Limits
}

/** The limits of a server. */
export interface Limits {
  /** Longest body in memory, in bytes. */
  readonly maxBodyBytes: number
  /** Longest body that goes to a store as it comes, in bytes. */
  readonly maxStreamBytes: number
  /** Longest time that a MiB of such a body may take, in milliseconds. */
  readonly stallTimeoutMs: number
  /** Longest time of a call in milliseconds. */
  readonly maxTimeoutMs: number
  /** No caller may change anything. */
  readonly readOnly: boolean
}

/** Refuse to change anything for a caller without the right, and where no caller may. */
export function demandChange({ access, limits }: Asked): void {
  demandRight(access, 'write')
  if (limits.readOnly) throw new Refused(403, 'FORBIDDEN', 'This server is read-only.')
}

/** The canonical key that a request is about: of its path, or of `?key=` or `?canonical=`, which no proxy changes. */
export function keyOf({ query, served, access }: Asked, path: string): string {
  const [own, key] = [query.get('canonical'), query.get('key')]
  // Two keys could be one for a proxy that lets some through, and the other here.
  const isTwice = path === '' ? own !== null && key !== null : own !== null || key !== null
  if (isTwice || (own !== null && query.has('namespace')))
    throw badRequest('Name one key: in the path, by `key`, or by `canonical`, which has its namespace in it.')
  const canonical = own ?? served.canonical(key ?? textKey(path), query.getAll('namespace'))
  demandKey(access, canonical)
  return canonical
}

function textKey(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw badRequest('The key in the path has a stray %. Write %25 for a percent sign.')
  }
}

/** Deadline and level of the call that a request makes. It goes on when its caller leaves: to hear of that costs as much as a read. */
export function settingsOf({ request, query, limits }: Asked): CallSettings & { readonly timeoutMs: number } {
  const asked = numberIn(request.headers, names.timeout) ?? limits.maxTimeoutMs
  if (asked === 0) throw badRequest(`${names.timeout} must be a number of milliseconds above 0.`)
  const timeoutMs = Math.min(asked, limits.maxTimeoutMs)
  const consistency = query.get('consistency') ?? undefined
  return { timeoutMs, consistency }
}

/** The settings of calls of which each has the rest of the time of the request. */
export function stepsOf(asked: Asked): () => CallSettings {
  const { timeoutMs, consistency } = settingsOf(asked)
  const endsAt = performance.now() + timeoutMs
  return () => ({ timeoutMs: Math.max(1, endsAt - performance.now()), consistency })
}

/** The number of a header; `undefined`: there is no such header. `Number` would make 0 of an empty one. */
export function numberIn(headers: Headers, name: string): number | undefined {
  const given = headers.get(name)
  if (given === null) return undefined
  if (/^\d{1,20}(\.\d{1,20})?$/.test(given)) return Number(given)
  throw badRequest(`${name} must be a number of milliseconds above 0.`)
}

/** Refuse a body that was changed for its way: it would be stored as it is, and come out without what tells how. */
export function refuseEncoded({ headers }: Request): void {
  const [content, transfer] = [headers.get('content-encoding'), headers.get('transfer-encoding')]
  const isPlain = content === null || content.toLowerCase() === 'identity'
  if (isPlain && (transfer === null || transfer.toLowerCase() === 'chunked')) return
  throw new Refused(415, 'BAD_REQUEST', 'Send the body as it is, without Content-Encoding.')
}

/** A body, and how long it may be. */
interface Body extends Pick<Asked, 'request'> {
  readonly limits: Pick<Limits, 'maxBodyBytes'>
}

/** The whole body, if it is not too long: what is longer is not read to its end. */
export async function bodyIn({ request, limits: { maxBodyBytes } }: Body): Promise<Uint8Array> {
  const told = request.headers.get('content-length')
  if (told !== null && Number(told) > maxBodyBytes) throw tooLong(maxBodyBytes)
  if (told !== null) return new Uint8Array(await request.arrayBuffer())
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    length += part.length
    if (length > maxBodyBytes) throw tooLong(maxBodyBytes)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function tooLong(maxBodyBytes: number): Refused {
  return new Refused(413, 'BAD_REQUEST', `The body is longer than ${maxBodyBytes} bytes.`)
}

/** The body as an object. Only with its own type: so no page of another site can send one unasked. */
export async function jsonIn(asked: Body): Promise<Readonly<Record<string, unknown>>> {
  demandType(asked.request, 'application/json')
  const body = await bodyIn(asked)
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body).toString())
    if (typeof parsed === 'object' && parsed !== null) return parsed as Readonly<Record<string, unknown>>
  } catch {
    // As any other body that is none.
  }
  throw badRequest('The body must be a JSON object.')
}

/** Refuse a body of another type. */
export function demandType({ headers }: Request, ...wanted: readonly string[]): void {
  const [given = ''] = (headers.get('content-type') ?? '').split(';', 1)
  if (wanted.includes(given.trim().toLowerCase())) return
  throw new Refused(415, 'BAD_REQUEST', `The type of the body must be ${wanted.join(' or ')}.`)
}

/** `true` or `false` in a query. */
export function flagIn(query: URLSearchParams, name: string, otherwise: boolean): boolean {
  const given = query.get(name)
  if (given === null) return otherwise
  if (given === 'true' || given === 'false') return given === 'true'
  throw badRequest(`${name} must be true or false.`)
}
