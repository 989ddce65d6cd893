import { type Row, rowsAt } from '../../../cube/row.ts'
import type { LoadResult } from '../result.ts'

/** The records of each table, and how long they took. */
export function rows({ tables }: LoadResult): readonly Row[] {
  return tables.flatMap(({ store, table, records, elapsedMs }) =>
    rowsAt({ store, dimensions: { table } }, [
      { measure: 'records', unit: 'count', value: records },
      { measure: 'elapsed', unit: 'ms', value: elapsedMs },
    ]),
  )
}
