import { eachRun, figures, type OwnRow, type Row, rowsAt } from '../../../cube/row.ts'
import type { DeltaPoint, DeltasResult, Timed, Way } from '../result.ts'

/** Times and bytes of updates and reads, with whole values and with deltas. */
export function rows({ points }: DeltasResult): readonly Row[] {
  return points.flatMap((point) => [
    ...wayRows(point, 'plain'),
    ...wayRows(point, 'delta'),
    ...rowsAt(placeOf(point, {}), [
      { measure: 'value', unit: 'bytes', statistic: 'mean', value: point.valueBytes },
    ]),
    ...rowsAt(placeOf(point, { way: 'delta', operation: 'update' }), [
      { measure: 'sent as a delta', unit: 'share', value: point.deltaShare },
    ]),
  ])
}

function placeOf(
  { store, size, edit, share }: DeltaPoint,
  more: Row['dimensions'],
): Pick<Row, 'store' | 'dimensions'> {
  return { store, dimensions: { size, edit, share, ...more } }
}

function wayRows(point: DeltaPoint, way: 'plain' | 'delta'): readonly Row[] {
  const its: Way = point[way]
  const at = (operation: string, time: Timed, bytes: number, trips: number): readonly Row[] =>
    rowsAt(placeOf(point, { way, operation }), [
      ...timeRows(time),
      { measure: 'moved', unit: 'bytes', statistic: 'mean', value: bytes },
      { measure: 'round trips', unit: 'count', statistic: 'mean', value: trips },
    ])
  return [
    ...at('update', its.update, its.sentBytes, its.updateTrips),
    ...at('read', its.read, its.readBytes, its.readTrips),
    ...at('known read', its.knownRead, its.knownReadBytes, its.knownReadTrips),
    ...rowsAt(placeOf(point, { way, operation: 'update' }), [
      { measure: 'processor time a byte', unit: 'ns', statistic: 'mean', value: its.cpuNsPerByte },
    ]),
    ...rowsAt(placeOf(point, { way }), [
      { measure: 'stored', unit: 'bytes', statistic: 'mean', value: its.storedBytes },
    ]),
  ]
}

function timeRows({ runsMs, p50Ms, p99Ms }: Timed): readonly OwnRow[] {
  return [
    ...eachRun('service', 'ms', runsMs, 'mean'),
    ...figures('service', 'ms', { p50: p50Ms, p99: p99Ms }),
  ]
}
