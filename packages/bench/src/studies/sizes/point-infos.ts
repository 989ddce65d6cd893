import type { CellRecord, Series } from './aggregate.ts'
import type { PointInfo } from './result.ts'

/** The points that were met, as it happened: phases that ended early wrote fewer objects than planned. */
export function pointInfos(records: readonly CellRecord[], series: Series): readonly PointInfo[] {
  const met = new Map(records.map(({ cell, point }) => [cell.point, point]))
  return [...met].sort(([a], [b]) => a - b).map(([, point]) => asItHappened(point, series))
}

function asItHappened(point: PointInfo, { latency }: Series): PointInfo {
  const written = latency
    .filter(({ operation }) => operation === 'write')
    .flatMap(({ points }) => points.filter(({ size }) => size === point.size))
  return { ...point, operations: Math.min(point.operations, ...written.map(({ objects }) => objects)) }
}
