import { Cell, type Estimate } from '../../../cube/cell.ts'
import { cellText, percentile } from '../../../cube/columns.ts'
import type { Column, Dimension, View } from '../../../cube/view.ts'
import { formatSize } from '../../../data/size-list.ts'
import { formatInterval, formatMs, formatTimes, percent, variesTooMuch } from '../../../report/words.ts'
import { median } from '../../../statistics/summary.ts'
import { type CacheInfo, encryptionAlgorithms, type SizesResult } from '../config.ts'
import { breakEvenHitRate, costsOf, fullLatency, meanCostsOf, paperLatency } from '../hit-rate.ts'
import { inOrder, numbered } from '../iyengar/drawn.ts'
import { isVague, type Standing, standings } from './ranking.ts'

export const size: Dimension = { name: 'size', key: 'size_bytes', text: (value) => formatSize(Number(value)) }
export const store: Dimension = { name: 'store' }
/** How calls are made. */
export type Mode = 'sequential' | 'parallel'
/** How calls are made: one after the other, or several in flight. */
export const mode: Dimension = { name: 'mode', values: ['sequential', 'parallel'] }
export const operation: Dimension = { name: 'operation', values: ['read', 'write', 'delete'] }

const middle: Column = { ...percentile('service', 'p50', { head: 'median' }), key: 'median_ms' }
const perSecond: Column = { head: 'calls a second', of: (cell) => cell.figure('rate') }
const mean: Column = { head: 'mean ± 95 % CI', text: (cell) => intervalText(meanOf(cell)) }

/** Fewer than three runs have no interval. */
export function meanOf(cell: Cell): Estimate {
  return ofThree(cell.mean('service', 'mean'))
}

/** Fewer than three runs have no interval. */
export function ofThree(found: Estimate): Estimate {
  return { ...found, halfWidth: (found.runs ?? 0) < 3 ? null : found.halfWidth }
}

function intervalText({ value, halfWidth = null }: Estimate): string {
  return value === null ? '–' : formatInterval(value, halfWidth)
}

/** The result as tables for people, for terminals and Markdown. */
export function summary(result: SizesResult): readonly View[] {
  return [
    numbered(result, latencyView(result, 'sequential')),
    latencyView(result, 'parallel'),
    ...cacheViews(result),
    ...(['encryption', 'compression'] as const).flatMap((kind) =>
      algorithmsOf(result, kind).map((algorithm) =>
        numbered(result, codecView(kind, algorithm), { codec: kind }),
      ),
    ),
  ]
}

function latencyView(result: SizesResult, its: Mode): View {
  const times = standingColumn(result, 'times the fastest')
  const compared = result.stores.length > 1 ? [times] : []
  const p99 = percentile('service', 'p99')
  return {
    each: [mode, operation, { name: 'inFlight' }],
    within: { mode: its },
    names: [size, store],
    columns: its === 'parallel' ? [perSecond, ...compared, middle, p99] : [middle, ...compared, p99, mean],
    title: (place) =>
      `${place['operation']}, ${its === 'parallel' ? `${place['inFlight']} in flight` : 'one call at a time'}`,
  }
}

/** How many times as long as the fastest store at this place. */
function standingColumn({ rows, stores }: SizesResult, head: string): Column {
  const results = [...new Set(stores.map(({ name }) => resultIn(name)))]
  const cells = new Map(
    results.map((name) => [
      name,
      new Cell(
        rows.filter((row) => resultIn(row.store) === name),
        {},
      ),
    ]),
  )
  return {
    head,
    text: ({ place: { store: own = '', ...place } }) => {
      const all = cells.get(resultIn(String(own)))?.at(place)
      return all === undefined || all.valuesOf('store').length < 2
        ? ''
        : standingText(standings(all).find((one) => one.store === own))
    },
  }
}

/** The name of the result that a store is of, on a page of several: their runs were not in turn, so no ratio of them is told. */
function resultIn(store: string): string {
  return store.split(' ').slice(1).join(' ')
}

/** Beside a plot: the time of each store at each size. */
export function besideLatency(result: SizesResult, its: Mode): readonly Column[] {
  const times = standingColumn(result, '×')
  if (its === 'parallel')
    return [{ ...perSecond, text: (cell) => `${cellText({ ...perSecond }, cell)}/s` }, middle, times]
  return [middle, { ...mean, head: 'mean' }, percentile('service', 'p95'), times]
}

function standingText(standing: Standing | undefined): string {
  if (standing === undefined) return '–'
  const { mean: times, low, high } = standing.ratio
  if (times === 1 && (low === null || low === 1)) return '1'
  if (low === null || high === null) return formatTimes(times)
  if (isVague(standing)) return `${formatTimes(times)} (${variesTooMuch})`
  return `${formatTimes(times)} (${formatTimes(low)}–${formatTimes(high)})`
}

/** Times that are extrapolated from both ends, and below them those that were measured. */
function cacheViews(result: SizesResult): readonly View[] {
  const extrapolated =
    result.config.preset === null
      ? cacheTable(result, fullAt, ': extrapolated from medians, misses at full cost')
      : numbered(result, asInPaper(result))
  return isDriven(result) ? [extrapolated, measuredTable(result)] : [extrapolated]
}

/** Whether hit rates were measured, not only computed. */
export function isDriven({ rows }: SizesResult): boolean {
  return rows.some(({ dimensions }) => dimensions['hitRate'] !== undefined)
}

/** The tables of a cache that stand beside its plot. */
export function besideCache(result: SizesResult): readonly View[] {
  const full = cacheTable(result, fullAt, ': extrapolated from medians by hit rate, misses at full cost')
  const models = result.config.preset === null ? [full, asInPaper(result)] : [asInPaper(result), full]
  return isDriven(result) ? [measuredTable(result), ...models] : models
}

function asInPaper(result: SizesResult): View {
  return cacheTable(
    result,
    (cell, rate) => formatMs(paperLatency(rate, costsOf(cell))),
    ': extrapolated as in the paper, as if a miss cost no more than the store',
  )
}

/** Stores and their caches, in the order of the figures of a preset. */
export function behindCaches(result: SizesResult): readonly Dimension[] {
  const { stores, caches } = inOrder(result)
  const isOrdered = result.config.preset !== null
  return [
    { name: 'store', ...(isOrdered && { values: stores }) },
    { name: 'cache', ...(isOrdered && { values: caches }) },
  ]
}

function cacheTable(result: SizesResult, at: (cell: Cell, rate: number) => string, how: string): View {
  return {
    each: behindCaches(result),
    names: [size],
    columns: [
      { head: 'no cache', text: (cell) => formatMs(costsOf(cell).storeMs) },
      ...result.config.hitRates.map((rate) => ({
        head: `${percent(rate)} %`,
        text: (cell: Cell) => at(cell, rate),
      })),
      { head: 'pays from', text: paysFrom },
    ],
    title: (place) => `read ${place['store']} behind ${place['cache']}${how}`,
  }
}

function fullAt(cell: Cell, rate: number): string {
  return formatMs(fullLatency(rate, costsOf(cell)))
}

/** A line for each hit rate that was measured: few objects cannot make every one that was asked for. */
function measuredTable(result: SizesResult): View {
  const { rows } = result
  const all = new Cell(rows, {})
  const extrapolated = (cell: Cell): number => {
    const { store: name = '', cache = '', size: bytes = '' } = cell.place
    return fullLatency(
      cell.figure('hits') ?? Number.NaN,
      meanCostsOf(all.at({ store: name, cache, size: bytes })),
    )
  }
  const measured = (cell: Cell): number => median(cell.runs('service', 'mean'))
  return {
    each: behindCaches(result),
    within: { operation: 'read' },
    names: [size, { name: 'hitRate', head: 'hit rate', text: (rate) => `${percent(Number(rate))} %` }],
    of: 'hits',
    columns: [
      { head: 'hits', isOptional: true, text: otherHits },
      { head: 'extrapolated', text: (cell) => formatMs(extrapolated(cell)) },
      { head: 'measured', text: (cell) => formatMs(measured(cell)) },
      { head: 'difference', text: (cell) => differenceText(extrapolated(cell), measured(cell)) },
    ],
    title: (place) =>
      `read ${place['store']} behind ${place['cache']}: means of the middle run, extrapolated and measured`,
  }
}

/** The share of hits where it is another than the one that was asked for. */
function otherHits(cell: Cell): string {
  const share = cell.figure('hits') ?? Number.NaN
  return Math.abs(share - Number(cell.place['hitRate'])) < 0.005 ? '' : `${percent(share)} %`
}

/** How far an extrapolated time is off. */
function differenceText(extrapolated: number, measured: number): string {
  const share = extrapolated / measured - 1
  if (!Number.isFinite(share)) return '–'
  return `${share < 0 ? '−' : '+'}${Number(Math.abs(100 * share).toPrecision(2))} %`
}

/** From which hit rate on a read through the cache takes less time than one without it. */
function paysFrom(cell: Cell): string {
  const rate = breakEvenHitRate(costsOf(cell))
  if (Number.isNaN(rate)) return '–'
  return rate > 1 ? 'never' : `${Math.round(rate * 100)} %`
}

/** The algorithms that were measured; a joined result has the name of its own beside each. */
export function algorithmsOf({ rows }: SizesResult, kind: keyof typeof verbs): readonly string[] {
  const all = new Cell(rows, {}).valuesOf('algorithm').map(String)
  const isEncryption = (one: string): boolean =>
    encryptionAlgorithms.some((name) => one.split(' ')[0] === name)
  return all.filter((one) => isEncryption(one) === (kind === 'encryption'))
}

/** The two ways of an encoding. */
export const verbs = { encryption: ['encrypt', 'decrypt'], compression: ['compress', 'decompress'] } as const

/** An encoding by size. */
export function codecView(kind: keyof typeof verbs, algorithm: string): View {
  const [encode, decode] = verbs[kind]
  const way = (head: string, its: string): readonly Column[] => [
    { ...percentile('service', 'p50', { head, at: { operation: its } }) },
    { ...mean, text: (cell) => intervalText(meanOf(cell.at({ operation: its }))) },
  ]
  const change: Column = {
    head: kind === 'encryption' ? 'adds' : 'times smaller',
    text: (cell) => {
      const ratio = cell.at({ operation: 'encode' }).figure('ratio')
      if (ratio === null) return '–'
      const bytes = Number(cell.place['size'])
      return kind === 'encryption' ? `${Math.round(bytes / ratio - bytes)} B` : ratio.toFixed(2)
    },
  }
  return {
    each: [{ name: 'algorithm', values: [algorithm] }],
    within: { algorithm },
    names: [size],
    columns: [...way(encode, 'encode'), ...way(decode, 'decode'), change],
    title: () => `${kind} ${algorithm}, medians and means`,
  }
}

const modes = {
  reference: 'in process, by reference: as the default mode hands out objects of json()',
  freeze: 'in process, default mode over raw bytes: bytes are copied on a hit',
  copy: 'in process, copied on a hit',
} as const

/** A cache in words. */
export function describeCache({ kind, share }: Pick<CacheInfo, 'kind' | 'share'>): string {
  return kind === 'remote' ? 'remote' : modes[share ?? 'freeze']
}
