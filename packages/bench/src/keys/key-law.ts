import { z } from 'zod'
import type { Plain } from '../options/plain.ts'

/** The formula of a Zipf law: YCSB's, which is slightly off and needs θ below 1, or the exact one. */
type ZipfFormula = 'ycsb' | 'exact'

const formula = z.enum(['ycsb', 'exact']).default('ycsb')
const theta = z.number().positive().max(20).default(0.99)
const share = z.number().min(0).max(1)

const fits = ({ law, theta }: { law: ZipfFormula; theta: number }): boolean => law === 'exact' || theta < 1
const misfit = { path: ['theta'], error: 'must be below 1 for the law of YCSB: take the law "exact"' }

/** The schema of a `KeyLaw`; the defaults are YCSB's. */
export const keyLawSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('uniform') }),
  z.strictObject({ kind: z.literal('sequential') }),
  /** A few keys are drawn most of the time: the key of rank r with weight r^−θ. */
  z
    .strictObject({
      kind: z.literal('zipfian'),
      /** Above 0, and below 1 for YCSB's law. */
      theta,
      law: formula,
      /**
       * Popular keys are scattered over the key space, as in YCSB; otherwise the first keys are the most popular. YCSB draws
       * ranks of 10^10 + 1 items and hashes them, so its keys are less skewed than the law says.
       */
      scrambled: z.boolean().default(true),
    })
    .refine(fits, misfit),
  /** The newest keys are the most popular. YCSB never draws the first key. */
  z.strictObject({ kind: z.literal('latest'), theta, law: formula }).refine(fits, misfit),
  /** The first keys get most of the operations, all of them alike. */
  z.strictObject({
    kind: z.literal('hotspot'),
    /** Share of the keys that are hot. */
    dataFraction: share.default(0.2),
    /** Share of the operations on hot keys. */
    operationFraction: share.default(0.8),
  }),
  /** Older keys are ever less popular. */
  z.strictObject({
    kind: z.literal('exponential'),
    /** So many per cent of the operations are on the newest `fraction` of the loaded keys. */
    percentile: z.number().positive().max(99.999999).default(95),
    fraction: z.number().positive().default(0.8571428571),
  }),
  /** Bucket i counts operations on `blockSize` neighbouring keys, from number i × `blockSize` after the first. */
  z.strictObject({
    kind: z.literal('histogram'),
    blockSize: z.int().min(1),
    buckets: z
      .array(z.number().min(0))
      .min(1)
      .refine((buckets) => buckets.some((count) => count > 0), 'need a count above 0'),
  }),
])

/** The law by which the keys of operations are chosen: plain data, as it stands in a result. */
export type KeyLaw = Plain<typeof keyLawSchema>
