import { z } from 'zod'
import { sizeAxis } from '../../data/data-source.ts'
import { percentages, sharesIn } from '../../options/forms.ts'
import { option, type Plain } from '../../options/option.ts'
import { wrong } from '../../study/faults.ts'
import { milliseconds, runsSchema, studyShape } from '../../study/study-config.ts'

/** How a value changes from one update to the next. */
export const editPatterns = ['append', 'scattered', 'moves', 'random'] as const
/** How a value changes from one update to the next. */
export type EditPattern = (typeof editPatterns)[number]

/** How the values are used, as far as it was not measured. */
const use = z.strictObject({
  /** Reads for each update. */
  reads: option(z.number().min(0).max(1e6).default(1), {
    help: 'reads for each update, for the recommendation',
  }),
  /** Share of reads, 0 to 1, by processes that know the value before the last update. */
  knownReads: option(z.number().min(0).max(1).default(0), {
    help: 'percentage of reads by processes that already have the value',
    argument: '<n>',
    parse: parsePercent,
  }),
  /** Speed of the network to the store in Mbit/s, if it is another than the one that is measured over. */
  mbits: option(z.number().min(0.001).max(1e6).nullable().default(null), {
    help: 'recommend for a network of this speed, in Mbit/s',
    preset: 'as measured',
  }),
  /** So much longer takes a round trip to the store there. */
  roundTripMs: option(z.number().min(0).max(1e5).default(0), {
    help: 'recommend for a store with this much extra latency',
  }),
})

/** The schema of a configuration, with defaults. */
export const deltasConfigSchema = z.strictObject({
  /** Bytes, ascending; `'files'`: whole files as they are. */
  sizes: sizeAxis.default([2_000, 10_000, 100_000]),
  edits: option(
    z
      .array(z.enum(editPatterns))
      .min(1)
      .default([...editPatterns]),
    {
      help: editPatterns.join(', '),
      preset: 'all',
    },
  ),
  /** Shares of a value that one update changes, above 0 and at most 1. `random` always changes all of it. */
  shares: option(z.array(z.number().positive().max(1)).min(1).default([0.01, 0.1]), {
    help: 'percentage of a value that an update changes',
    argument: '<list>',
    parse: parseShares,
    textOf: percentages,
  }),
  /** Updates of a key in a run. */
  updates: option(z.int().min(2).max(10_000).default(66), {
    help: 'updates of each key in a run',
    guide: 'The default is twice around a chain of 32 deltas.',
  }),
  /** Keys that are updated in a run of a point, one after the other; `'auto'`: 5, fewer above 60 KB. */
  keys: option(z.union([z.literal('auto'), z.int().min(1).max(10_000)]).default('auto'), {
    help: 'keys updated in a run',
    preset: '5, fewer above 60 KB',
    guide: 'Odd numbers are best.',
  }),
  runs: option(runsSchema.default(5), { help: 'measured runs of each point' }),
  /** The use that the recommendation is for. */
  use: use.prefault({}),
  /** `maxDeltas` of the layer: most deltas of a base. */
  maxDeltas: option(z.int().min(1).max(1_024).default(32), {
    help: 'longest chain of deltas (maxDeltas of the layer)',
    guide: 'Shorter chains are faster to read, and need a new base more often.',
  }),
  /** In a run of a point no further key begins after this time. */
  maxCellMs: option(milliseconds.default(5_000), { help: 'start no further key of a point after this time' }),
  ...studyShape,
})

/** The full configuration of the study, as it appears in the result. */
export type DeltasConfig = Plain<typeof deltasConfigSchema>

/** How the values are used, as far as it was not measured. */
export type UseOfDeltas = DeltasConfig['use']

/** Keys of one run at this size: 5, and fewer where 20 MB of values would be written otherwise. */
export function keysAt(size: number, { keys, updates }: Pick<DeltasConfig, 'keys' | 'updates'>): number {
  if (keys !== 'auto') return keys
  return Math.max(1, Math.min(5, Math.floor(20e6 / (size * updates))))
}

/**
 * Shares between 0 and 1, ascending and without repetition, from per cent such as `0.5,1,10`.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` naming the part that is wrong
 */
export function parseShares(text: string): number[] {
  return sharesIn(text, (part, percent) => {
    if (percent > 0 && percent <= 100) return
    throw wrong(`Shares: '${part}' is not a share of a value. Write a percentage above 0 and at most 100.`)
  })
}

/** A share between 0 and 1 from per cent. */
function parsePercent(text: string): number {
  const percent = text.trim() === '' ? Number.NaN : Number(text)
  if (percent >= 0 && percent <= 100) return percent / 100
  throw wrong(`'${text}' is not a share in per cent: write a number from 0 to 100.`)
}
