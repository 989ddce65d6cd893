import { z } from 'zod'

/** A payment, as it is kept: a JSON document. */
export interface Transaction {
  readonly card: string
  readonly ip: string
  readonly device: string
  readonly country: string
  readonly cents: number
  /** Milliseconds since the epoch. */
  readonly at: number
}
export const Transaction: z.ZodType<Transaction> = z.object({
  card: z.string(),
  ip: z.string(),
  device: z.string(),
  country: z.string(),
  cents: z.number().int(),
  at: z.number().int(),
})

/** Payments that belong together have one of these in common. */
export type Attribute = 'card' | 'ip' | 'device'

/** Keys in the order of time, so that history is read in its order. */
export function keyOf(at: number, sequence: number): string {
  return `${String(at).padStart(14, '0')}-${sequence.toString(36)}`
}
