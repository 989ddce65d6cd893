import { StoreError } from '../contract/errors.ts'
import type { Position, QueryPage, StoreQuery, Totals } from '../contract/query.ts'
import type { Entry, Found } from '../contract/store.ts'
import { cursorOf, positionIn } from '../find/cursor.ts'
import type { AggregateOptions, FindOptions } from '../find/options.ts'
import { orderOf, pathOf, predicateOf } from '../find/parse.ts'
import { matches, orderValueAt, PageOf, positionOf, TotalsOf } from '../find/reference.ts'
import { keyBounds } from '../keys/key-bounds.ts'
import { kindOf } from '../options/check-options.ts'
import { checkCallOptions } from './call-settings.ts'
import type { Direct } from './direct.ts'
import type { ScanPage } from './key-value.ts'
import { entryItem, shown } from './listing.ts'
import { firstUserKey } from './range.ts'
import type { scanOf } from './scanning.ts'
import type { CallSettings } from './settings.ts'

const defaultLimit = 100
const mostRecords = 10_000

type Item<K, V> = readonly [K, Entry<V>]

/** `KeyValue.find`. `list` lists records where the store cannot run the query. */
export async function find<K, V>(
  direct: Direct<K, V>,
  options: FindOptions,
  list: typeof scanOf,
): Promise<ScanPage<Item<K, V>>> {
  const page = { orderBy: orderOf(options?.orderBy), limit: limitOf(options?.limit) }
  const query = queryOf(direct, 'find', options)
  const bound = { store: direct.engine.store.name, query, orderBy: page.orderBy }
  const after = options.after === undefined ? undefined : positionIn(bound, options.after)
  const whole = { ...query, page: { ...page, after } }
  const { items, last } = isByScan(direct, 'find', options)
    ? await scanned(direct, whole, whole.page, options, list)
    : await asked(direct, whole, options)
  return { items, cursor: last && cursorOf(bound, last) }
}

/** `KeyValue.aggregate`. */
export async function aggregate<K, V>(
  direct: Direct<K, V>,
  options: AggregateOptions,
  list: typeof scanOf,
): Promise<Totals> {
  const query = {
    ...queryOf(direct, 'aggregate', options),
    of: options.of === undefined ? undefined : pathOf(options.of),
  }
  if (!isByScan(direct, 'aggregate', options))
    return (await ask(direct, 'aggregate', query, options)).totals as Totals
  const totals = new TotalsOf()
  for await (const [, value] of matching(direct, 'aggregate', query, options, list))
    totals.add(query.of && orderValueAt(value, query.of))
  return totals.end()
}

function queryOf<K, V>(
  direct: Direct<K, V>,
  operation: 'find' | 'aggregate',
  options: FindOptions | AggregateOptions,
): StoreQuery {
  if (options === undefined)
    throw new StoreError('INVALID_ARGUMENT', `${operation}() takes an object; {} means all records.`)
  checkCallOptions(operation, options)
  const { prefix } = direct
  const { start, end } = keyBounds({ prefix, gte: firstUserKey(prefix) })
  return { start, end, where: predicateOf(options.where) }
}

/** Whether all records are read for it. */
function isByScan<K, V>(
  direct: Direct<K, V>,
  operation: 'find' | 'aggregate',
  { scan = false }: { readonly scan?: unknown },
): boolean {
  if (typeof scan !== 'boolean')
    throw new StoreError('INVALID_ARGUMENT', `\`scan\` must be true or false, got ${kindOf(scan)}.`)
  const canFind = direct.engine.store.capabilities.find === true
  if (!canFind && !scan) direct.demand('find', operation)
  return !canFind
}

/** Ask the store, after the writes before it. */
async function ask<K, V>(
  { engine, prefix }: Direct<K, V>,
  operation: string,
  query: StoreQuery,
  options: CallSettings,
): Promise<Found<V>> {
  const call = engine.call(engine.readSettings(callOf(options)))
  const find = engine.store.find as NonNullable<typeof engine.store.find>
  try {
    const answer =
      engine.underWay.all().length === 0
        ? find(query, call)
        : engine.written([prefix]).then(() => find(query, call))
    return (await engine.bounded(operation, answer, call)) as Found<V>
  } catch (error) {
    throw engine.located(error, operation)
  }
}

async function asked<K, V>(
  direct: Direct<K, V>,
  query: StoreQuery,
  options: CallSettings,
): Promise<Answer<K, V>> {
  const { entries, last } = await ask(direct, 'find', query, options)
  return { items: entries.flatMap((found) => shown(direct, 'find', found, entryItem<K, V>)), last }
}

interface Answer<K, V> {
  readonly items: readonly Item<K, V>[]
  readonly last?: Position | undefined
}

async function scanned<K, V>(
  direct: Direct<K, V>,
  query: StoreQuery,
  page: QueryPage,
  options: CallSettings,
  list: typeof scanOf,
): Promise<Answer<K, V>> {
  const records = new PageOf<Item<K, V>>(page)
  for await (const [item, value, key] of matching(direct, 'find', query, options, list))
    records.add(positionOf(key, value, page.orderBy), item)
  return records.end()
}

/** The records of the namespace for which the conditions hold. */
async function* matching<K, V>(
  direct: Direct<K, V>,
  operation: string,
  { where }: StoreQuery,
  options: CallSettings,
  list: typeof scanOf,
): AsyncGenerator<readonly [Item<K, V>, unknown, string]> {
  for await (const item of list(direct, operation, callOf(options), true, entryItem<K, V>)) {
    const [key, { value }] = item
    if (matches(value, where)) yield [item, value, direct.canonical(key)]
  }
}

/** The settings of a call among those of a query. */
function callOf({ timeoutMs, signal, consistency }: CallSettings): CallSettings {
  return { timeoutMs, signal, consistency }
}

function limitOf(limit: unknown = defaultLimit): number {
  if (Number.isSafeInteger(limit) && (limit as number) > 0 && (limit as number) <= mostRecords)
    return limit as number
  throw new StoreError(
    'INVALID_ARGUMENT',
    `\`limit\` must be a whole number from 1 to 10,000, got ${typeof limit === 'number' ? limit : kindOf(limit)}.`,
  )
}
