import type { Bytes, GroupEntry } from '@unikv/core'
import { corrupt } from '@unikv/core/adapter'
import type { FoundRecord } from '../found-record.ts'
import { bytesForm } from '../values.ts'

/** The value in a row. */
export function valueOf({ body }: FoundRecord): Bytes {
  if (body === null) throw corrupt('The row of a group', 'has no value')
  return bytesForm.fromColumn(body)
}

/** The key in a row, which has bytes as characters. */
export function keyOf({ key }: FoundRecord): string {
  return Buffer.from(key, 'latin1').toString()
}

/** Values by the places of the keys that were asked for. */
export function placed(rows: readonly FoundRecord[], count: number): readonly (Bytes | undefined)[] {
  const values: (Bytes | undefined)[] = Array.from({ length: count }, () => undefined)
  for (const row of rows) values[(row.expiresAt ?? 0) - 1] = valueOf(row)
  return values
}

/** The records of a list. */
export function entriesOf(rows: readonly FoundRecord[]): readonly GroupEntry[] {
  return rows.map((row) => ({ key: keyOf(row), value: valueOf(row) }))
}
