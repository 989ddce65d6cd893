import { eachRun, figures, type OwnRow, type Row, rowsAt } from '../../../cube/row.ts'
import type { CachePoint, CodecPoint, Measured, SizesResult } from '../result.ts'

/** Times of operations by size: of stores, through caches, and of encodings. */
export function rows(result: SizesResult): readonly Row[] {
  const { latency, cache, encryption, compression } = result
  return [
    ...latency.flatMap(({ store, operation, mode, inFlight, points }) =>
      points.flatMap(({ size, ...measured }) =>
        rowsAt({ store, dimensions: { operation, mode, inFlight, size } }, timeRows(measured)),
      ),
    ),
    ...cache.flatMap(({ store, cache: name, points }) =>
      points.flatMap((point) => cacheRows(store, name, point)),
    ),
    ...[...encryption, ...compression].flatMap(({ algorithm, points }) =>
      points.flatMap((point) => codecRows(algorithm, point)),
    ),
  ]
}

function cacheRows(store: string, cache: string, point: CachePoint): readonly Row[] {
  const { size, hit, miss, measured } = point
  const ways = { hit, miss, 'without cache': point.store }
  return [
    ...Object.entries(ways).flatMap(([way, times]) =>
      rowsAt({ store, dimensions: { operation: 'read', cache, way, size } }, timeRows(times)),
    ),
    ...measured.flatMap(({ hitRate, hits, reads, ...times }) =>
      rowsAt({ store, dimensions: { operation: 'read', cache, hitRate, size } }, [
        ...timeRows(times),
        { measure: 'hits', unit: 'share', value: hits / reads },
      ]),
    ),
  ]
}

/** Encodings are measured over a store that costs nothing. */
function codecRows(algorithm: string, { size, encode, decode, ratio }: CodecPoint): readonly Row[] {
  const at = (operation: string, own: readonly OwnRow[]): readonly Row[] =>
    rowsAt({ store: 'none', dimensions: { operation, algorithm, size } }, own)
  return [
    ...at('encode', [...timeRows(encode), { measure: 'ratio', unit: 'times', value: ratio }]),
    ...at('decode', timeRows(decode)),
  ]
}

function timeRows({
  runsMs,
  runMediansMs,
  operationsPerSecond,
  p50Ms,
  p95Ms,
  p99Ms,
  maxMs,
}: Measured): readonly OwnRow[] {
  return [
    ...eachRun('service', 'ms', runsMs, 'mean'),
    ...eachRun('service', 'ms', runMediansMs, 'p50'),
    { measure: 'rate', unit: '1/s', value: operationsPerSecond },
    ...figures('service', 'ms', { p50: p50Ms, p95: p95Ms, p99: p99Ms, max: maxMs }),
  ]
}
