import type { StoreQuery, Totals } from '@unikv/core'
import {
  Aggregating,
  Finding,
  keyBounds,
  namespacePrefix,
  type Position,
  storeQueryIn,
  userKey,
} from '@unikv/core/adapter'
import { type WireEntry, wireTotals } from '../protocol/wire.ts'
import { demandRange, demandRight } from './access.ts'
import { jsonAnswer, namesIn } from './batch.ts'
import { itemOf } from './listing.ts'
import { refuseOthers } from './refused.ts'
import { type Asked, flagIn, jsonIn, settingsOf, stepsOf } from './request.ts'
import { Room } from './room.ts'

// Queries by fields. With `canonical=true` bounds, keys and places are those of the store, for adapters.

type Fields = Readonly<Record<string, unknown>>

/** `POST …/find`: `{ "where": …, "orderBy": […], "limit": 100, "after": cursor }`. */
export async function find(asked: Asked): Promise<Response> {
  const names = ['where', 'orderBy', 'limit', 'after']
  if (isCanonical(asked)) {
    const query = await storeQuery(asked, names, 'page')
    return jsonAnswer(await pageOf(asked, query, (key) => key))
  }
  const { range, prefix, fields } = await userQuery(asked, names)
  const finding = new Finding(asked.served.records.store.name, range, fields)
  const { items, last } = await pageOf(asked, finding.query, (key) => userKey(prefix, key))
  return jsonAnswer({ items, cursor: finding.cursorAt(last) })
}

/** `POST …/aggregate`: `{ "where": …, "of": path }`. */
export async function aggregate(asked: Asked): Promise<Response> {
  const query = isCanonical(asked)
    ? await storeQuery(asked, ['where', 'of'], 'totals')
    : await totalsQuery(asked)
  const { totals } = await asked.served.records.find(query, settingsOf(asked))
  return jsonAnswer(wireTotals(totals as Totals))
}

async function totalsQuery(asked: Asked): Promise<StoreQuery> {
  const { range, fields } = await userQuery(asked, ['where', 'of'])
  return new Aggregating(range, fields).query
}

/** A page in steps, as long as there is room for more. */
async function pageOf(
  asked: Asked,
  query: StoreQuery,
  keyOf: (canonical: string) => string | undefined,
): Promise<{ readonly items: readonly WireEntry[]; readonly last: Position | undefined }> {
  const page = query.page as NonNullable<StoreQuery['page']>
  const items: (WireEntry | undefined)[] = []
  const settings = stepsOf(asked)
  const room = new Room(asked.limits.maxBodyBytes)
  let last = page.after
  do {
    const limit = Math.min(page.limit - items.length, room.step)
    const step = { ...query, page: { ...page, after: last, limit } }
    const found = await asked.served.records.find(step, settings())
    for (const one of found.entries) items.push(await itemOf(asked, one, keyOf, room))
    last = found.last
  } while (last !== undefined && items.length < page.limit && !room.isFull)
  return { items: items.filter((item) => item !== undefined), last }
}

function isCanonical({ query }: Asked): boolean {
  return flagIn(query, 'canonical', false)
}

/** The query of an adapter. */
async function storeQuery(
  asked: Asked,
  names: readonly string[],
  wanted: 'page' | 'totals',
): Promise<StoreQuery> {
  const query = storeQueryIn(await fieldsIn(asked, ['start', 'end', ...names]), wanted)
  demandRange(asked.access, query)
  return query
}

/** The query of a user, over the keys of a namespace. */
async function userQuery(
  asked: Asked,
  names: readonly string[],
): Promise<{
  readonly range: ReturnType<typeof keyBounds>
  readonly prefix: string
  readonly fields: Fields
}> {
  const { namespace, ...fields } = await fieldsIn(asked, ['namespace', ...names])
  const prefix = namespacePrefix(namesIn(namespace))
  const range = keyBounds({ prefix, gte: prefix === '' ? '\u0002' : undefined })
  demandRange(asked.access, range)
  return { range, prefix, fields }
}

/** The fields of a body of a caller who may read. */
async function fieldsIn(asked: Asked, known: readonly string[]): Promise<Fields> {
  demandRight(asked.access, 'read')
  const body = await jsonIn(asked)
  refuseOthers(Object.fromEntries(Object.entries(body).filter(([name]) => !known.includes(name))))
  return body
}
