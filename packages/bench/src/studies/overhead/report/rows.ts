import { figures, type Row, rowsAt } from '../../../cube/row.ts'
import type { OverheadResult } from '../result.ts'

/** Times of each side, and what it adds to the native client: medians over the runs. */
export function rows({ rows: measured }: OverheadResult): readonly Row[] {
  return measured.flatMap(({ store, volume, operation, sides }) =>
    sides.flatMap(({ side, meanMs, p50Ms, p99Ms, calls, adds }) =>
      rowsAt({ store, dimensions: { operation, records: volume, side } }, [
        { measure: 'operations', unit: 'count', value: calls },
        ...figures('service', 'ms', { mean: meanMs, p50: p50Ms, p99: p99Ms }),
        ...(adds === null ? [] : figures('added', 'ms', { ...adds.ms })),
        ...(adds === null ? [] : figures('added share', 'share', { median: adds.percent / 100 })),
      ]),
    ),
  )
}
