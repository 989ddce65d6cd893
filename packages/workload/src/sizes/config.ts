import { StoreError } from '@unikv/core'
import { z } from 'zod'

/** Encryption that can be measured. */
export const encryptionAlgorithms = ['aes-128-gcm', 'aes-256-gcm', 'chacha20-poly1305'] as const
/** Encryption that can be measured. */
export type EncryptionAlgorithm = (typeof encryptionAlgorithms)[number]

/** Compression that can be measured. `lz4` and `snappy` need a package, `zstd` one on older runtimes. */
export const compressionAlgorithms = ['gzip', 'brotli', 'deflate', 'zstd', 'lz4', 'snappy'] as const
/** Compression that can be measured. */
export type CompressionAlgorithm = (typeof compressionAlgorithms)[number]

/** What `benchSizes` does, fully resolved: it stands in the result as it is. */
export interface SizesConfig {
  /** Bytes, ascending; `'files'`: whole files as they are. */
  readonly sizes: readonly number[] | 'files'
  /** Distinct objects written, read and deleted in one run of one point; `'auto'`: 200, fewer above 100 KB. */
  readonly operations: number | 'auto'
  /** Measured runs of each point, after one that is not counted. */
  readonly runs: number
  /** Operations in flight in the second series of measurements; 1 leaves that series out. */
  readonly parallel: number
  /** Between 0 and 1, ascending. */
  readonly hitRates: readonly number[]
  /** Also measure each hit rate, with a cache driven to exactly that share of hits. */
  readonly measureHitRates: boolean
  readonly encryption: readonly EncryptionAlgorithm[]
  readonly compression: readonly CompressionAlgorithm[]
  readonly seed: number
  /** Deadline of every call. */
  readonly timeoutMs: number
  /** A phase ends early after this time, though not before 10 operations. */
  readonly maxPhaseMs: number
  /** Run in a store that holds records already (in a namespace apart from them). */
  readonly allowNonEmpty: boolean
}

/** What a configuration may hold, with the defaults of the command line. */
export const sizesConfigSchema: z.ZodType<SizesConfig> = z.strictObject({
  sizes: z.union([z.literal('files'), z.array(z.int().min(1)).min(1).max(100)]),
  operations: z.union([z.literal('auto'), z.int().min(1).max(1_000_000)]).default('auto'),
  runs: z.int().min(1).max(1_000).default(4),
  parallel: z.int().min(1).max(10_000).default(16),
  hitRates: z.array(z.number().min(0).max(1)).default([0, 0.25, 0.5, 0.75, 1]),
  measureHitRates: z.boolean().default(false),
  encryption: z.array(z.enum(encryptionAlgorithms)).default([]),
  compression: z.array(z.enum(compressionAlgorithms)).default([]),
  seed: z.int().min(0).max(0xffff_ffff).default(42),
  timeoutMs: z.number().positive().default(5_000),
  maxPhaseMs: z.number().positive().default(10_000),
  allowNonEmpty: z.boolean().default(false),
})

/**
 * A configuration with its defaults filled in.
 *
 * @throws {StoreError} `INVALID_CONFIG` naming the first thing that is wrong
 */
export function sizesConfig(input: unknown): SizesConfig {
  const parsed = sizesConfigSchema.safeParse(input)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const message = `${issue?.path.join('.') ?? 'configuration'}: ${issue?.message ?? 'invalid'}`
  throw new StoreError('INVALID_CONFIG', `The configuration is wrong at ${message}.`, { cause: parsed.error })
}

/** Objects of one run at this size: 200, above 100 KB as many as 20 MB hold (a multiple of 20), from 1 MB on 20 down to 4. */
export function operationsAt(size: number, operations: number | 'auto'): number {
  if (operations !== 'auto') return operations
  const affordable = Math.floor(20e6 / size)
  if (affordable >= 20) return Math.min(200, affordable - (affordable % 20))
  return Math.max(4, affordable)
}
