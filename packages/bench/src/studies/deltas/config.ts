import { StoreError } from '@unikv/core'
import { z } from 'zod'
import { maxSizes } from '../../data/size-list.ts'
import { milliseconds, type StudyConfig, studyShape } from '../../study/study-config.ts'

/** How a value changes from one update to the next. */
export const editPatterns = ['append', 'scattered', 'moves', 'random'] as const
/** How a value changes from one update to the next. */
export type EditPattern = (typeof editPatterns)[number]

/** The full configuration of the study, as it appears in the result. */
export interface DeltasConfig extends StudyConfig {
  /** Bytes, ascending; `'files'`: whole files as they are. */
  readonly sizes: readonly number[] | 'files'
  readonly edits: readonly EditPattern[]
  /** Shares of a value that one update changes, above 0 and at most 1. `random` always changes all of it. */
  readonly shares: readonly number[]
  /** Updates of a key in a run. */
  readonly updates: number
  /** Keys that are updated in a run of a point, one after the other; `'auto'`: 5, fewer above 60 KB. */
  readonly keys: number | 'auto'
  /** What the recommendation is for. */
  readonly use: UseOfDeltas
  /** `maxDeltas` of the layer: most deltas of a base. */
  readonly maxDeltas: number
  /** In a run of a point no further key begins after this time. */
  readonly maxCellMs: number
}

/** How the values are used, as far as it was not measured. */
export interface UseOfDeltas {
  /** Reads for each update. */
  readonly reads: number
  /** Share of reads, 0 to 1, by processes that know the value before the last update. */
  readonly knownReads: number
  /** Speed of the network to the store in Mbit/s, if it is another than the one that is measured over. */
  readonly mbits: number | null
  /** What a round trip to the store takes there in addition. */
  readonly roundTripMs: number
}

const useSchema: z.ZodType<UseOfDeltas> = z.strictObject({
  reads: z.number().min(0).max(1e6).default(1).describe('reads for each update, for the recommendation'),
  knownReads: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('percentage of reads by processes that already have the value (default: 0)'),
  mbits: z
    .number()
    .min(0.001)
    .max(1e6)
    .nullable()
    .default(null)
    .describe('recommend for a network of this speed'),
  roundTripMs: z
    .number()
    .min(0)
    .max(1e5)
    .default(0)
    .describe('recommend for a store with this much extra latency'),
})

/** The schema of a configuration, with defaults; descriptions are the help of the command line. */
export const deltasConfigSchema: z.ZodType<DeltasConfig> = z.strictObject({
  sizes: z
    .union([z.literal('files'), z.array(z.int().min(1)).min(1).max(maxSizes)])
    .describe('list or range of bytes, such as 100,1K,10K or 1K..1M:2; "files": whole files'),
  edits: z
    .array(z.enum(editPatterns))
    .min(1)
    .default([...editPatterns])
    .describe(`${editPatterns.join(', ')} (default: all)`),
  shares: z
    .array(z.number().positive().max(1))
    .min(1)
    .default([0.01, 0.1])
    .describe('percentage of a value that an update changes (default: 1,10)'),
  updates: z.int().min(2).max(10_000).default(66).describe('updates of each key in a run'),
  keys: z
    .union([z.literal('auto'), z.int().min(1).max(10_000)])
    .default('auto')
    .describe('keys updated in a run (default: 5, fewer above 60 KB)'),
  runs: z.int().min(1).max(1_000).default(5).describe('measured runs of each point'),
  use: useSchema.prefault({}),
  maxDeltas: z
    .int()
    .min(1)
    .max(1_024)
    .default(32)
    .describe('longest chain of deltas (maxDeltas of the layer)'),
  maxCellMs: milliseconds.default(5_000).describe('start no further key of a point after this time'),
  ...studyShape,
})

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
  const shares = text.split(',').map((part) => {
    const trimmed = part.trim().replace(/%$/, '')
    const percent = trimmed === '' ? Number.NaN : Number(trimmed)
    if (percent > 0 && percent <= 100) return percent / 100
    throw new StoreError(
      'INVALID_ARGUMENT',
      `Shares: '${part.trim()}' is not a share of a value. Write a percentage above 0 and at most 100.`,
    )
  })
  return [...new Set(shares)].sort((a, b) => a - b)
}

/**
 * A share between 0 and 1 from per cent.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function parsePercent(text: string): number {
  const percent = text.trim() === '' ? Number.NaN : Number(text)
  if (percent >= 0 && percent <= 100) return percent / 100
  throw new StoreError(
    'INVALID_ARGUMENT',
    `'${text}' is not a share in per cent: write a number from 0 to 100.`,
  )
}
