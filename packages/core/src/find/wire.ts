import { StoreError } from '../contract/errors.ts'
import type { Predicate, StoreQuery } from '../contract/query.ts'
import { isPosition } from './cursor.ts'
import { limitOf } from './finding.ts'
import type { Where } from './options.ts'
import { orderOf, pathOf, pathText, predicateOf } from './parse.ts'

// A query of a store as JSON, for a store behind a server: in the words of an application, so that both sides check the same.

/** Levels of conditions: one of an application is up to three here. */
const mostLevels = 100

/** A query as JSON. */
export type WireQuery = Readonly<
  Partial<Record<'start' | 'end' | 'where' | 'of' | 'orderBy' | 'after' | 'limit', unknown>>
>

/** The JSON of a query. */
export function wireQueryOf({ start, end, where, of, page }: StoreQuery): WireQuery {
  const orderBy = page?.orderBy.map(({ path, descending }) =>
    descending ? { desc: pathText(path) } : pathText(path),
  )
  return {
    start,
    end,
    where: whereOf(where),
    of: of && pathText(of),
    orderBy,
    after: page?.after,
    limit: page?.limit,
  }
}

function whereOf(predicate: Predicate): Where {
  if ('parts' in predicate) return { [predicate.kind]: predicate.parts.map(whereOf) }
  const { kind, path } = predicate
  const condition = kind === 'exists' ? { exists: predicate.exists } : { [predicate.by]: predicate.value }
  return { [pathText(path)]: condition }
}

/**
 * The query of such JSON, from anywhere: for totals, or for a page.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function storeQueryIn(wire: WireQuery, wanted: 'totals' | 'page'): StoreQuery {
  const { start, end, where, of, after } = wire
  if (!isKey(start) || !(end === undefined || isKey(end)))
    throw wrong('`start` and `end` of a query must be well-formed strings.')
  const query = { start, end, where: predicateOf(where, mostLevels) }
  if (wanted === 'totals') return { ...query, of: of === undefined ? undefined : pathOf(of) }
  const orderBy = orderOf(wire.orderBy)
  if (!(after === undefined || isPosition(after, orderBy)))
    throw wrong('`after` is not a place in the order of this query.')
  return { ...query, page: { orderBy, after, limit: limitOf(wire.limit) } }
}

function isKey(given: unknown): given is string {
  return typeof given === 'string' && given.isWellFormed()
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}
