import { z } from 'zod'
import type { Plain } from '../../options/option.ts'

const amount = z.number().min(0)

/** Hours of a month: a twelfth of a year of 365 days. */
export const monthHours = 730

/** The schema of prices in a configuration. */
export const pricesShape = z.strictObject({
  currency: z.string(),
  /** The day on which they held. */
  date: z.string(),
  source: z.string().nullable(),
  /** The load of the month. */
  load: z.string(),
  /** Operations a second, all month; `null`: the highest throughput of each candidate. */
  rate: amount.nullable(),
  /** Gigabytes that are stored; `null`: not known. */
  stored: amount.nullable(),
  /** Reads and writes of an operation of the load, by name; one that is left out is not known. */
  asks: z.record(z.string(), z.strictObject({ reads: amount, writes: amount })),
  /** Prices by the names of candidates; one that is left out is not known. */
  candidates: z.record(
    z.string(),
    z.strictObject({
      nodes: z.int().min(1).optional(),
      /** An hour of one node. */
      nodeHour: amount.optional(),
      millionReads: amount.optional(),
      millionWrites: amount.optional(),
      /** A month of a gigabyte. */
      gbMonth: amount.optional(),
    }),
  ),
})

/** Prices of candidates, as the author of the evaluation gives them. */
export type Prices = Plain<typeof pricesShape>
