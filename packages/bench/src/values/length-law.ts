import { z } from 'zod'
import { maxObjectBytes } from '../data/size-list.ts'
import { bucketsSchema, zipfFits, zipfMisfit, zipfShape } from '../keys/key-law.ts'
import type { Plain } from '../options/option.ts'

const length = z.int().min(1).max(maxObjectBytes)
/** Draws that make one length, as the fields of a YCSB record do: 1 if it is left out. */
const fields = z.int().min(1).max(100_000).optional()
const inOrder = { path: ['least'], error: 'must not be above `most`' }

/** The schema of a `LengthLaw`. */
export const lengthLawSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('constant'), length }),
  z
    .strictObject({ kind: z.literal('uniform'), least: length, most: length, fields })
    .refine(({ least, most }) => least <= most, inOrder),
  /** The shortest length is the most common one. */
  z
    .strictObject({
      kind: z.literal('zipfian'),
      least: length,
      most: length,
      ...zipfShape,
      fields,
    })
    .refine(({ least, most }) => least <= most, inOrder)
    .refine(zipfFits, zipfMisfit),
  /** Lengths whose logarithm is normal: most are near the median, a few are far longer. */
  z
    .strictObject({
      kind: z.literal('lognormal'),
      median: length,
      /** Standard deviation of the natural logarithm: with 0.5, two thirds are from 0.6 to 1.65 times the median. */
      sigma: z.number().min(0).max(5),
      /** Longer ones are drawn again; left out: 1,000 times the median, at most 1 GiB. */
      most: length.optional(),
    })
    .transform((law) => ({ ...law, most: law.most ?? Math.min(1_000 * law.median, maxObjectBytes) }))
    .refine(({ median, most }) => median <= most, { path: ['most'], error: 'must not be below the median' }),
  /** Bucket i counts the length (i + 1) × `blockSize`. */
  z.strictObject({
    kind: z.literal('histogram'),
    blockSize: length,
    buckets: bucketsSchema,
    fields,
  }),
])

/** The law of lengths: of values in bytes, or of scans in records. Plain data, as it stands in a result. */
export type LengthLaw = Plain<typeof lengthLawSchema>

/** A law as the command line takes it, such as `1000` or `1..100`; `undefined`: a law of another kind. */
export function lengthText(given: unknown): string | undefined {
  const law = given as LengthLaw
  if (law.kind === 'constant') return String(law.length)
  return law.kind === 'uniform' ? `${law.least}..${law.most}` : undefined
}

/** The greatest length that a law can draw, to compare with what a store takes. */
export function greatestLength(law: LengthLaw): number {
  switch (law.kind) {
    case 'constant':
      return law.length
    case 'lognormal':
      return law.most
    case 'histogram':
      return (law.buckets.findLastIndex((count) => count > 0) + 1) * law.blockSize * (law.fields ?? 1)
    default:
      return law.most * (law.fields ?? 1)
  }
}

/** A length that the mean of many draws is not below, to compare with the space that there is. */
export function leastMeanLength(law: LengthLaw): number {
  switch (law.kind) {
    case 'constant':
      return law.length
    case 'lognormal':
      return law.median
    case 'uniform':
      return ((law.least + law.most) / 2) * (law.fields ?? 1)
    case 'zipfian':
      return law.least * (law.fields ?? 1)
    case 'histogram':
      return law.blockSize * (law.fields ?? 1)
  }
}
