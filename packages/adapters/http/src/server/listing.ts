import type { LayerFacts, ScanEntry, ScanRange } from '@unikv/core'
import {
  clearedPrefixes,
  decodeCursor,
  encodeCursor,
  isUserKey,
  namespacePrefix,
  userKey,
} from '@unikv/core/adapter'
import { mostListed } from '../protocol/headers.ts'
import { type WireEntry, wireRead } from '../protocol/wire.ts'
import { demandKey, demandRight } from './access.ts'
import { jsonAnswer } from './batch.ts'
import { checkQuery, ofListing, ofStoreListing } from './paths.ts'
import { badRequest } from './refused.ts'
import { type Asked, demandChange, flagIn, stepsOf } from './request.ts'
import { Room } from './room.ts'

/**
 * `GET …/records`: a page of keys, with `values=true` of records, and a cursor for the next page. With `canonical=true` the
 * keys and the cursor are those of the store, for adapters.
 */
export async function list(asked: Asked): Promise<Response> {
  const { served, access, query } = asked
  demandRight(access, 'read')
  const isCanonical = flagIn(query, 'canonical', false)
  checkQuery(query, isCanonical ? ofStoreListing : ofListing)
  const range = isCanonical ? storeRange(asked) : userRange(asked)
  demandKey(access, range.prefix === '' ? '\u0002' : range.prefix)
  const { name } = served.records.store
  const cursor = query.get('cursor') ?? undefined
  const begin = cursor === undefined || isCanonical ? cursor : decodeCursor(name, range, cursor).resume
  const keyOf = isCanonical ? (key: string) => key : userKeyIn(query)
  const { items, resume } = await pageOf(asked, { ...range, resume: begin }, keyOf)
  const next = resume === undefined || isCanonical ? resume : encodeCursor(name, range, { resume })
  return jsonAnswer({ items: items.filter((item) => item !== undefined), cursor: next })
}

/** A page: with values in steps, as long as there is room for more. */
async function pageOf(
  asked: Asked,
  range: ScanRange,
  keyOf: (canonical: string) => string | undefined,
): Promise<{ readonly items: readonly (WireEntry | undefined)[]; readonly resume: string | undefined }> {
  const items: (WireEntry | undefined)[] = []
  const settings = stepsOf(asked)
  const room = new Room(asked.limits.maxBodyBytes)
  let { resume } = range
  let isMore: boolean
  do {
    const left = range.pageSize - items.length
    const pageSize = range.values ? Math.min(left, room.step) : left
    const page = await asked.served.records.page({ ...range, resume, pageSize }, settings())
    for (const found of page.entries) items.push(await itemOf(asked, found, keyOf, room))
    resume = page.resume
    // A store that walks gives what it found so far.
    isMore = page.entries.length >= pageSize && items.length < range.pageSize && !room.isFull
  } while (isMore && resume !== undefined)
  return { items, resume }
}

/** A record as a page shows it; `undefined`: it is left out. */
export async function itemOf(
  { served, query }: Asked,
  { key, entry }: ScanEntry<unknown>,
  keyOf: (canonical: string) => string | undefined,
  room: Room,
): Promise<WireEntry | undefined> {
  const shown = keyOf(key)
  if (shown === undefined) return undefined
  if (entry === undefined) return { key: shown }
  const asBytes = flagIn(query, 'bytes', false)
  return { key: shown, ...(await wireRead(entry, (value) => served.toWire(value, asBytes, room))) }
}

/** Keys of the asked namespace; what layers keep, and other namespaces, are not listed. */
function userKeyIn(query: URLSearchParams): (canonical: string) => string | undefined {
  const prefix = namespacePrefix(query.getAll('namespace'))
  return (canonical) => (isUserKey(canonical) ? userKey(prefix, canonical) : undefined)
}

function storeRange(asked: Asked): ScanRange {
  const { query } = asked
  return {
    prefix: query.get('prefix') ?? '',
    gte: query.get('gte') ?? undefined,
    lt: query.get('lt') ?? undefined,
    ...reverseIn(query),
    pageSize: pageSizeIn(query),
    values: flagIn(query, 'values', false),
    facts: clearsIn(asked),
  }
}

/** The beginnings of the keys that the caller deletes: caches forget them. So it must be one who may delete them. */
function clearsIn(asked: Asked): LayerFacts | undefined {
  const given = asked.query.get('clears')
  if (given === null) return undefined
  demandChange(asked)
  const clears = parsed(given)
  const isList = Array.isArray(clears) && clears.every((prefix) => typeof prefix === 'string')
  if (!isList) throw badRequest('clears must be a list of beginnings of keys, as JSON.')
  for (const prefix of clears) demandKey(asked.access, prefix)
  return clearedPrefixes.with(clears)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function userRange({ query, served }: Asked): ScanRange {
  const namespaces = query.getAll('namespace')
  const canonical = (key: string): string => served.canonical(key, namespaces)
  const named = query.get('prefix') ?? ''
  const prefix = named === '' ? namespacePrefix(namespaces) : canonical(named)
  const paging = { pageSize: pageSizeIn(query), values: flagIn(query, 'values', false) }
  const { scan } = served.records.store.capabilities
  const bound = (at: string, after: string): string | undefined => {
    const [there, beyond] = [query.get(at), query.get(after)]
    if (there !== null && beyond !== null) throw badRequest(`Give ${at} or ${after}, not both.`)
    if (beyond !== null) return `${canonical(beyond)}\u0000`
    return there === null ? undefined : canonical(there)
  }
  const [gte, lt] = [bound('gte', 'gt'), bound('lt', 'lte')]
  if (scan !== false && scan.order === 'bytes')
    return { prefix, gte: gte ?? (prefix === '' ? '\u0002' : undefined), lt, ...reverseIn(query), ...paging }
  if (gte !== undefined || lt !== undefined)
    throw badRequest('This store does not list keys in order, so a listing cannot take a range.')
  return { prefix, ...paging }
}

function reverseIn(query: URLSearchParams): Pick<ScanRange, 'reverse'> {
  return flagIn(query, 'reverse', false) ? { reverse: true } : {}
}

function pageSizeIn(query: URLSearchParams): number {
  const size = Number(query.get('limit') ?? 100)
  if (Number.isSafeInteger(size) && size >= 1 && size <= mostListed) return size
  throw badRequest(`limit must be a whole number from 1 to ${mostListed}.`)
}
