import type { Bytes } from '@unikv/core'
import { z } from 'zod'
import { type KeyNames, keyNamesSchema } from '../keys/key-names.ts'
import { type LengthLaw, lengthLawSchema } from '../values/length-law.ts'

/** A record of what was loaded into a table. */
export interface TableRecord {
  readonly formatVersion: 1
  /** `loading`: until the last record is written, so that half a load is noticed. */
  readonly state: 'loading' | 'loaded'
  readonly records: number
  /** The number of the first record. */
  readonly firstRecord: number
  readonly keyNames: KeyNames
  /** Bytes of values. */
  readonly values: LengthLaw
  readonly seed: number
  /** The data of the values, in words. */
  readonly data: string
  /** ISO 8601. */
  readonly loadedAt: string
  /** How long the load took; 0 until it has ended. */
  readonly elapsedMs: number
  /** The run that inserts or counts in the table, which has not cleaned up yet; `null`: the table is as it was loaded. */
  readonly changedBy: string | null
}

const schema: z.ZodType<TableRecord> = z.strictObject({
  formatVersion: z.literal(1),
  state: z.enum(['loading', 'loaded']),
  records: z.int().min(1),
  firstRecord: z.int().min(0),
  keyNames: keyNamesSchema,
  values: lengthLawSchema,
  seed: z.int(),
  data: z.string(),
  loadedAt: z.string(),
  elapsedMs: z.number().min(0),
  changedBy: z.string().nullable(),
})

/** The record as a value of a store. */
export function recordBytes(record: TableRecord): Bytes {
  return Buffer.from(JSON.stringify(record))
}

/** `undefined`: it is not a record that this version knows. */
export function parseRecord(value: Bytes): TableRecord | undefined {
  try {
    return schema.parse(JSON.parse(Buffer.from(value).toString('utf8')))
  } catch {
    return undefined
  }
}
