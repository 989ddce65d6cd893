import type { Bytes } from '@unikv/core'
import { z } from 'zod'
import { keyNamesSchema } from '../keys/key-names.ts'
import type { Plain } from '../options/plain.ts'
import { lengthLawSchema } from '../values/length-law.ts'

const schema = z.strictObject({
  formatVersion: z.literal(1),
  /** `loading`: until the last record is written, so that half a load is noticed. */
  state: z.enum(['loading', 'loaded']),
  records: z.int().min(1),
  /** The number of the first record. */
  firstRecord: z.int().min(0),
  keyNames: keyNamesSchema,
  /** Bytes of values. */
  values: lengthLawSchema,
  seed: z.int(),
  /** The data of the values, in words. */
  data: z.string(),
  /** ISO 8601. */
  loadedAt: z.string(),
  /** How long the load took; 0 until it has ended. */
  elapsedMs: z.number().min(0),
  /** The run that inserts or counts in the table, which has not cleaned up yet; `null`: the table is as it was loaded. */
  changedBy: z.string().nullable(),
})

/** A record of what was loaded into a table. */
export type TableRecord = Plain<typeof schema>

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
