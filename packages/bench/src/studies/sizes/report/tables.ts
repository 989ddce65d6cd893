import { FileNames } from '../../../report/files/file-names.ts'
import type { Table } from '../../../report/table.ts'
import { percent } from '../../../report/words/percent.ts'
import { median } from '../../../statistics/median.ts'
import { summarise } from '../../../statistics/summary.ts'
import type { CodecSeries, LatencySeries, Measured, RatedLatency, SizesResult } from '../result.ts'

const operationNames = { read: 'Read', write: 'Write', delete: 'Delete' } as const

/** Every table of a result, in the order of the report. */
export function tables(result: SizesResult): Table[] {
  const all = [
    ...latencyTables(result),
    ...result.cache.flatMap((series) => cacheTables(result, series)),
    ...result.encryption.map((series) => codecTable('encryption', series, ['encrypt', 'decrypt'])),
    ...result.compression.map((series) => codecTable('compression', series, ['compress', 'decompress'])),
  ]
  const names = new FileNames()
  return all
    .filter((table) => table.rows.length > 0)
    .map((table) => ({ ...table, name: names.claim(table.name) }))
}

/** Key of a table of a cache. */
export function cacheKey(store: string, cache: string, model: 'paper' | 'full' | 'measured'): string {
  return `cache/${store}/${cache}/${model}`
}

/** Name of the table of an operation. */
function latencyTableName({ operation, mode }: Pick<LatencySeries, 'operation' | 'mode'>): string {
  return mode === 'parallel' ? `${operation}-latency-parallel` : `${operation}-latency`
}

function latencyTables({ latency }: SizesResult): Table[] {
  const names = [...new Set(latency.map(latencyTableName))]
  return names.map((name) => {
    const drawn = name.endsWith('-parallel') ? meanAndHalfWidth : medianAndHalfWidth
    const series = latency.filter((one) => latencyTableName(one) === name)
    const { operation, inFlight } = series[0] as LatencySeries
    const center = inFlight === 1 ? 'median' : 'mean'
    const how = inFlight === 1 ? 'each call awaited before the next' : `${inFlight} calls in flight`
    return {
      key: name,
      name,
      title: `${operationNames[operation]} latency by object size, ${how}: ${center} of the runs and half-width of its 95 % confidence interval`,
      columns: [
        'size_bytes',
        ...series.flatMap(({ store }) => [`${store}_${center}_ms`, `${store}_halfwidth_ms`]),
      ],
      rows: bySize(
        series.map(({ points }) => points.map((point) => [point.size, ...drawn(point)] as const)),
        2,
      ),
    }
  })
}

function cacheTables(
  { config }: SizesResult,
  { store, cache, points }: SizesResult['cache'][number],
): Table[] {
  const columns = ['size_bytes', ...config.hitRates.map((rate) => `hit_${percent(rate)}_percent_ms`)]
  const name = `cache-${store}-${cache}`
  const table = (
    model: 'paper' | 'full' | 'measured',
    suffix: string,
    title: string,
    rated: (point: (typeof points)[number]) => readonly RatedLatency[],
  ): Table => ({
    key: cacheKey(store, cache, model),
    name: name + suffix,
    title: `Read latency of ${store} behind the cache ${cache} by object size and hit rate: ${title}`,
    columns,
    rows: points
      .map((point) => [point.size, ...rated(point).map(({ ms }) => ms)])
      .filter((row) => row.length > 1),
  })
  return [
    table(
      'paper',
      '',
      'model of the paper without the cost of misses, hit · h + store · (1 − h)',
      (point) => point.paper,
    ),
    table('full', '-full', 'full cost, hit · h + miss through the cache · (1 − h)', (point) => point.full),
    table('measured', '-measured', 'measured with this share of hits', (point) =>
      point.measured.map(({ hitRate, runsMs }) => ({ hitRate, ms: median(runsMs) })),
    ),
  ]
}

function codecTable(
  kind: 'encryption' | 'compression',
  { algorithm, points }: CodecSeries,
  verbs: readonly [string, string],
): Table {
  return {
    key: `${kind}/${algorithm}`,
    name: `${kind}-${algorithm}`,
    title: `Time to ${verbs[0]} and ${verbs[1]} by object size with ${algorithm}: median of the runs, half-width of its 95 % confidence interval, and original over ${verbs[0]}ed bytes`,
    columns: [
      'size_bytes',
      ...verbs.flatMap((verb) => [`${verb}_median_ms`, `${verb}_halfwidth_ms`]),
      'ratio_original_per_encoded',
    ],
    rows: points.map((point) => [
      point.size,
      ...medianAndHalfWidth(point.encode),
      ...medianAndHalfWidth(point.decode),
      point.ratio,
    ]),
  }
}

/** As the findings compare stores. Fewer than three runs have no interval. */
function medianAndHalfWidth({ p50Ms, halfWidthMs, runMediansMs }: Measured): [number, number | null] {
  return [p50Ms, halfWidthMs === null ? null : summarise(runMediansMs).halfWidth]
}

/** The mean of calls in flight makes calls a second. */
function meanAndHalfWidth({ meanMs, halfWidthMs }: Measured): [number, number | null] {
  return [meanMs, halfWidthMs]
}

/** Join the points of several series by their sizes. */
function bySize(
  series: readonly (readonly (readonly (number | null)[])[])[],
  width: number,
): (number | null)[][] {
  const sizes = [...new Set(series.flatMap((points) => points.map(([size]) => size as number)))].sort(
    (a, b) => a - b,
  )
  const missing = Array.from({ length: width }, () => null)
  return sizes.map((size) => [
    size,
    ...series.flatMap((points) => points.find(([own]) => own === size)?.slice(1) ?? missing),
  ])
}
