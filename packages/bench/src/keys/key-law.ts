import type { StoreError } from '@unikv/core'
import { nearest } from '@unikv/core/adapter'
import { z } from 'zod'
import { invalidArgument } from '../options/invalid.ts'
import type { Plain } from '../options/option.ts'
import type { ZipfLaw } from '../random/ranks.ts'
import { readNumberHistogram } from '../random/weighted.ts'

/** The schemas of a Zipf law: θ is above 0, and below 1 for YCSB's formula, which is slightly off. */
export const zipfShape = {
  theta: z.number().positive().max(20).default(0.99),
  law: z.enum(['ycsb', 'exact']).default('ycsb'),
}

/** Whether a formula takes its exponent. */
export const zipfFits = ({ law, theta }: ZipfLaw): boolean => law === 'exact' || theta < 1

/** An exponent that its formula does not take. */
export const zipfMisfit = {
  path: ['theta'],
  error: 'must be below 1 for the law of YCSB: take the law "exact"',
}

/** The schema of counts by bucket. */
export const bucketsSchema = z
  .array(z.number().min(0))
  .min(1)
  .refine((buckets) => buckets.some((count) => count > 0), 'need a count above 0')

const share = z.number().min(0).max(1)

/** The schema of a `KeyLaw`; the defaults are YCSB's. */
export const keyLawSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('uniform') }),
  z.strictObject({ kind: z.literal('sequential') }),
  /** A few keys are drawn most of the time: the key of rank r with weight r^−θ. */
  z
    .strictObject({
      kind: z.literal('zipfian'),
      ...zipfShape,
      /**
       * Popular keys are scattered over the key space, as in YCSB; otherwise the first keys are the most popular. YCSB draws
       * ranks of 10^10 + 1 items and hashes them, so its keys are less skewed than the law says.
       */
      scrambled: z.boolean().default(true),
    })
    .refine(zipfFits, zipfMisfit),
  /** The newest keys are the most popular. YCSB never draws the first key. */
  z.strictObject({ kind: z.literal('latest'), ...zipfShape }).refine(zipfFits, zipfMisfit),
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
    buckets: bucketsSchema,
  }),
])

/** The law by which the keys of operations are chosen: plain data, as it stands in a result. */
export type KeyLaw = Plain<typeof keyLawSchema>

/** A law as the command line takes it. */
interface Form {
  readonly fields: object
  /** The fields of the numbers behind the colon, in order. @default none */
  readonly numbers?: readonly string[]
  /** The part behind the colon. */
  readonly example?: string
}

const theta99 = { numbers: ['theta'], example: '0.99' }

const forms: Readonly<Record<string, Form>> = {
  uniform: { fields: { kind: 'uniform' } },
  sequential: { fields: { kind: 'sequential' } },
  zipfian: { fields: { kind: 'zipfian' }, ...theta99 },
  'zipfian-plain': { fields: { kind: 'zipfian', scrambled: false }, ...theta99 },
  'zipfian-exact': { fields: { kind: 'zipfian', law: 'exact' }, ...theta99 },
  'zipfian-exact-plain': { fields: { kind: 'zipfian', law: 'exact', scrambled: false }, ...theta99 },
  latest: { fields: { kind: 'latest' }, ...theta99 },
  'latest-exact': { fields: { kind: 'latest', law: 'exact' }, ...theta99 },
  hotspot: {
    fields: { kind: 'hotspot' },
    numbers: ['dataFraction', 'operationFraction'],
    example: '0.2,0.8',
  },
  exponential: { fields: { kind: 'exponential' }, numbers: ['percentile', 'fraction'], example: '95,0.857' },
  histogram: { fields: { kind: 'histogram' }, example: 'FILE' },
}

/** The names of all laws, for help texts. */
export const keyLawNames: readonly string[] = Object.keys(forms)

/**
 * A law from its text: a name, and numbers behind a colon, each of which may be left out. `zipfian`, `zipfian:0.8`,
 * `zipfian-exact:1.2` (the exact law), `zipfian-plain` (the first keys are the most popular), `latest`, `uniform`,
 * `sequential`, `hotspot:0.2,0.8` (shares of keys and operations), `exponential:95,0.857`, and `histogram:FILE` with a
 * file in the form of YCSB. From an exponent of 1 on, only the exact law is possible, so `zipfian:1.2` is
 * `zipfian-exact:1.2`.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with the nearest known law, or the part that is wrong
 */
export function parseKeyLaw(text: string): KeyLaw {
  const colon = text.indexOf(':')
  const name = (colon === -1 ? text : text.slice(0, colon)).trim()
  const rest = colon === -1 ? '' : text.slice(colon + 1).trim()
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined
  if (form === undefined) throw unknownLaw(name)
  const given = name === 'histogram' ? readNumberHistogram(rest) : numbersOf(rest, form, text, name)
  const parsed = keyLawSchema.safeParse({ ...form.fields, ...given })
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw invalid(`'${text}' is not possible: ${issue?.path.join('.')}: ${issue?.message}`)
}

function numbersOf(rest: string, { numbers = [], example }: Form, text: string, name: string): object {
  if (rest === '') return {}
  const given = rest.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  if (given.length > numbers.length || given.some((number) => !Number.isFinite(number)))
    throw invalid(
      `'${text}' cannot be read: write it as in ${example === undefined ? name : `${name}:${example}`}`,
    )
  const fields = Object.fromEntries(given.map((number, index) => [numbers[index], number]))
  return (fields['theta'] ?? 0) >= 1 ? { ...fields, law: 'exact' } : fields
}

function unknownLaw(name: string): StoreError {
  const meant = nearest(name, keyLawNames)
  const hint = meant === undefined ? `Choose one of ${keyLawNames.join(', ')}.` : `Did you mean '${meant}'?`
  return invalidArgument(`Keys: '${name}' is not a known law. ${hint}`)
}

function invalid(message: string): StoreError {
  return invalidArgument(`Keys: ${message}.`)
}
