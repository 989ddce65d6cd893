import { StoreError } from '../contract/errors.ts'
import type { StoreQuery, Totals } from '../contract/query.ts'
import type { Entry, Found } from '../contract/store.ts'
import { Aggregating, Finding } from '../find/finding.ts'
import type { AggregateOptions, FindOptions } from '../find/options.ts'
import { keyBounds } from '../keys/key-bounds.ts'
import { checkOptions, kindOf, type OptionNames } from '../options/check-options.ts'
import { aliases, call } from './call-settings.ts'
import type { Direct } from './direct.ts'
import type { ScanPage } from './key-value.ts'
import { entryItem, shown } from './listing.ts'
import { firstUserKey } from './range.ts'
import { listed } from './scanning.ts'
import type { CallSettings } from './settings.ts'

const common = { where: true, scan: true, ...call } as const
const names: Readonly<Record<'find' | 'aggregate', Readonly<Record<string, true>>>> = {
  find: { ...common, orderBy: true, limit: true, after: true } satisfies OptionNames<FindOptions>,
  aggregate: { ...common, of: true } satisfies OptionNames<AggregateOptions>,
}
const alsoMeant = { ...aliases, filter: 'where', sort: 'orderBy', order: 'orderBy', cursor: 'after' }

type Item<K, V> = readonly [K, Entry<V>]

/** `KeyValue.find`. */
export async function find<K, V>(direct: Direct<K, V>, options: FindOptions): Promise<ScanPage<Item<K, V>>> {
  check('find', options)
  const finding = new Finding<Item<K, V>>(direct.engine.store.name, boundsOf(direct), options)
  if (!isByScan(direct, 'find', options)) {
    const { entries, last } = await ask(direct, 'find', finding.query, options)
    const items = entries.flatMap((found) => shown(direct, 'find', found, entryItem<K, V>))
    return { items, cursor: finding.cursorAt(last) }
  }
  for await (const { items } of records(direct, 'find', options))
    for (const item of items) finding.see(direct.canonical(item[0]), item[1].value, item)
  return finding.end()
}

/** `KeyValue.aggregate`. */
export async function aggregate<K, V>(direct: Direct<K, V>, options: AggregateOptions): Promise<Totals> {
  check('aggregate', options)
  const aggregating = new Aggregating(boundsOf(direct), options)
  if (!isByScan(direct, 'aggregate', options))
    return (await ask(direct, 'aggregate', aggregating.query, options)).totals as Totals
  for await (const { items } of records(direct, 'aggregate', options))
    for (const [, { value }] of items) aggregating.see(value)
  return aggregating.end()
}

/** Refuse options that are none. */
function check(operation: 'find' | 'aggregate', options: unknown): void {
  if (options === undefined)
    throw new StoreError('INVALID_ARGUMENT', `${operation}() takes an object; {} means all records.`)
  checkOptions(operation, options, names[operation], 'INVALID_ARGUMENT', alsoMeant)
}

function boundsOf<K, V>({ prefix }: Direct<K, V>): Pick<StoreQuery, 'start' | 'end'> {
  const { start, end } = keyBounds({ prefix, gte: firstUserKey(prefix) })
  return { start, end }
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
export async function ask<K, V>(
  { engine, prefix }: Direct<K, V>,
  operation: string,
  query: StoreQuery,
  options: CallSettings,
): Promise<Found<V>> {
  const call = engine.step(engine.readSettings(callOf(options)) as CallSettings)
  const find = engine.store.find as NonNullable<typeof engine.store.find>
  const answer =
    engine.underWay.all().length === 0
      ? find(query, call)
      : engine.written([prefix]).then(() => find(query, call))
  return (await engine.bounded(operation, answer, call)) as Found<V>
}

/** All records of the namespace, page by page. */
function records<K, V>(
  direct: Direct<K, V>,
  operation: string,
  options: CallSettings,
): AsyncIterable<ScanPage<Item<K, V>>> {
  return listed(direct, operation, callOf(options), true, entryItem<K, V>)
}

/** The settings of a call among those of a query. */
function callOf({ timeoutMs, signal, consistency }: CallSettings): CallSettings {
  return { timeoutMs, signal, consistency }
}
