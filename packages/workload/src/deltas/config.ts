import { StoreError } from '@unikv/core'
import { z } from 'zod'

/** How a value changes from one update to the next. */
export const editPatterns = ['append', 'scattered', 'moves', 'random'] as const
/** How a value changes from one update to the next. */
export type EditPattern = (typeof editPatterns)[number]

/** What `benchDeltas` does, fully resolved: it stands in the result as it is. */
export interface DeltasConfig {
  /** Bytes, ascending; `'files'`: whole files as they are. */
  readonly sizes: readonly number[] | 'files'
  readonly edits: readonly EditPattern[]
  /** Shares of a value that one update changes, above 0 and at most 1. `random` always changes all of it. */
  readonly shares: readonly number[]
  /** Updates of a key in a run. */
  readonly updates: number
  /** Keys that are updated in a run of a point, one after the other; `'auto'`: 5, fewer above 60 KB. */
  readonly keys: number | 'auto'
  /** Measured runs of each point, after one that is not counted. */
  readonly runs: number
  /** What the recommendation is for. */
  readonly use: UseOfDeltas
  /** `maxDeltas` of the layer: most deltas of a base. */
  readonly maxDeltas: number
  readonly seed: number
  /** Deadline of every call. */
  readonly timeoutMs: number
  /** In a run of a point no further key begins after this time. */
  readonly maxCellMs: number
  /** Run in a store that holds records already (in a namespace apart from them). */
  readonly allowNonEmpty: boolean
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
  reads: z.number().min(0).max(1e6).default(1),
  knownReads: z.number().min(0).max(1).default(0),
  mbits: z.number().positive().nullable().default(null),
  roundTripMs: z.number().min(0).default(0),
})

/** What a configuration may hold, with the defaults of the command line. */
const deltasConfigSchema: z.ZodType<DeltasConfig> = z.strictObject({
  sizes: z.union([z.literal('files'), z.array(z.int().min(1)).min(1).max(100)]),
  edits: z
    .array(z.enum(editPatterns))
    .min(1)
    .default([...editPatterns]),
  shares: z.array(z.number().positive().max(1)).min(1).default([0.01, 0.1]),
  updates: z.int().min(2).max(10_000).default(66),
  keys: z.union([z.literal('auto'), z.int().min(1).max(10_000)]).default('auto'),
  runs: z.int().min(1).max(1_000).default(5),
  use: useSchema.prefault({}),
  maxDeltas: z.int().min(1).max(1_024).default(32),
  seed: z.int().min(0).max(0xffff_ffff).default(42),
  timeoutMs: z.number().positive().default(5_000),
  maxCellMs: z.number().positive().default(5_000),
  allowNonEmpty: z.boolean().default(false),
})

/**
 * A configuration with its defaults filled in.
 *
 * @throws {StoreError} `INVALID_CONFIG` naming the first thing that is wrong
 */
export function deltasConfig(input: unknown): DeltasConfig {
  const parsed = deltasConfigSchema.safeParse(input)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const message = `${issue?.path.join('.') ?? 'configuration'}: ${issue?.message ?? 'invalid'}`
  throw new StoreError('INVALID_CONFIG', `The configuration is wrong at ${message}.`, { cause: parsed.error })
}

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
      `Shares: '${part.trim()}' is no share of a value: above 0 and at most 100 per cent.`,
    )
  })
  return [...new Set(shares)].sort((a, b) => a - b)
}
