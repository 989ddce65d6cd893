import {
  type Bytes,
  type CallOptions,
  type Found,
  isStoreError,
  type ScanEntry,
  type StoreQuery,
} from '@unikv/core'
import { isPosition, type Position, type QueryPage, wireQueryOf } from '@unikv/core/adapter'
import { totalsIn } from '../protocol/wire.ts'
import type { Client } from './client.ts'
import { post, understood } from './paths.ts'
import { entryIn } from './read.ts'

/** The verb `find`: one request, and more if an answer of the server has no room for all. */
export async function find(client: Client, query: StoreQuery, call: CallOptions): Promise<Found<Bytes>> {
  const { page } = query
  if (page === undefined) return { entries: [], totals: await totals(client, query, call) }
  const entries: ScanEntry<Bytes>[] = []
  for (let { after } = page; ; ) {
    const rest = { ...page, after, limit: page.limit - entries.length }
    const { items, last } = await ask(client, query, rest, call)
    for (const item of items) entries.push(...(await whole(client, query, item, call)))
    if (last === undefined || entries.length === page.limit) return { entries, last }
    after = last
  }
}

/** One request for a page. It is none if it says that there is more, and holds nothing. */
async function ask(
  client: Client,
  query: StoreQuery,
  page: QueryPage,
  call: CallOptions,
): Promise<{ readonly items: readonly ScanEntry<Bytes>[]; readonly last: Position | undefined }> {
  const body = wireQueryOf({ ...query, page })
  const told = Object(await post(client, '/find?canonical=true&bytes=true', body, call, false))
  const { items, last } = told as { readonly items?: unknown; readonly last?: unknown }
  const isList = Array.isArray(items) && items.length <= page.limit
  if (!isList || !(last === undefined || (items.length > 0 && isPosition(last, page.orderBy))))
    throw client.odd(false)
  return { items: items.map((item) => entryIn(client, item, true)), last }
}

/** A value for which the answer had no room is found again, alone: the record may be another one by now. */
async function whole(
  client: Client,
  query: StoreQuery,
  found: ScanEntry<Bytes>,
  call: CallOptions,
): Promise<readonly ScanEntry<Bytes>[]> {
  const { key, entry } = found
  if (!isStoreError(entry) || entry.code !== 'VALUE_TOO_LARGE') return [found]
  const page = { orderBy: [], after: undefined, limit: 1 }
  return (await ask(client, { ...query, start: key, end: `${key}\u0000` }, page, call)).items
}

async function totals(client: Client, query: StoreQuery, call: CallOptions): Promise<Found<Bytes>['totals']> {
  const told = await post(client, '/aggregate?canonical=true', wireQueryOf(query), call, false)
  return understood(client, false, 1, [told], totalsIn)[0]
}
