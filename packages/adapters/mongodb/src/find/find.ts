import { type CallOptions, type Found, isEntry, type ScanEntry, type StoreQuery } from '@unikv/core'
import { foundOf, positionOf, totalsOf } from '@unikv/core/adapter'
import type { Backend } from '../backend.ts'
import { entriesOf } from '../scan.ts'
import { stagesOf, totalNames } from './stages.ts'

/** Records by the fields of their documents: one aggregation, and one more for each 16 MiB of the answer. */
export async function find<V>(backend: Backend<V>, query: StoreQuery, call: CallOptions): Promise<Found<V>> {
  const { page } = query
  if (page === undefined) return { entries: [], totals: await totals(backend, query, call) }
  const found: ScanEntry<V>[] = []
  for (let { after } = page; ; ) {
    const rest = { ...page, after, limit: page.limit - found.length }
    const { documents, isPart } = await ask(backend, { ...query, page: rest }, rest.limit, call)
    const entries = entriesOf(documents, true, backend)
    found.push(...entries)
    const last = entries.at(-1)
    if (!isPart || last === undefined || found.length === page.limit) return foundOf(query, found)
    after = positionOf(last.key, isEntry(last.entry) ? last.entry.value : undefined, page.orderBy)
  }
}

async function totals<V>(
  backend: Backend<V>,
  query: StoreQuery,
  call: CallOptions,
): Promise<Found<V>['totals']> {
  const [total = { count: 0 }] = (await ask(backend, query, 1, call)).documents
  return totalsOf(totalNames.map((name) => total[name]))
}

function ask<V>(
  { commands, indexes }: Backend<V>,
  query: StoreQuery,
  limit: number,
  call: CallOptions,
): ReturnType<Backend<V>['commands']['find']> {
  return commands.find(stagesOf(query, indexes), limit, call)
}
