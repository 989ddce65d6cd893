import { z } from 'zod'
import { maxSizes } from '../../data/size-list.ts'
import { milliseconds, type StudyConfig, studyShape } from '../../study/study-config.ts'

/** Encryption that can be measured. */
export const encryptionAlgorithms = ['aes-128-gcm', 'aes-256-gcm', 'chacha20-poly1305'] as const
/** Encryption that can be measured. */
export type EncryptionAlgorithm = (typeof encryptionAlgorithms)[number]

/** Compression that can be measured. `lz4` and `snappy` need a package, `zstd` one on older runtimes. */
export const compressionAlgorithms = ['gzip', 'brotli', 'deflate', 'zstd', 'lz4', 'snappy'] as const
/** Compression that can be measured. */
export type CompressionAlgorithm = (typeof compressionAlgorithms)[number]

/** The full configuration of the study, as it appears in the result. */
export interface SizesConfig extends StudyConfig {
  /** Bytes, ascending; `'files'`: whole files as they are. */
  readonly sizes: readonly number[] | 'files'
  /** Distinct objects written, read and deleted in one run of one point; `'auto'`: 200, fewer above 100 KB. */
  readonly operations: number | 'auto'
  /** Operations in flight in the second series of measurements; 1 leaves that series out. */
  readonly parallel: number
  /** Between 0 and 1, ascending. */
  readonly hitRates: readonly number[]
  /** Also measure each hit rate, with a cache driven to exactly that share of hits. */
  readonly measureHitRates: boolean
  readonly encryption: readonly EncryptionAlgorithm[]
  readonly compression: readonly CompressionAlgorithm[]
  /** A phase ends early after this time, though not before 10 operations. */
  readonly maxPhaseMs: number
}

/** The schema of a configuration, with defaults; descriptions are the help of the command line. */
export const sizesConfigSchema: z.ZodType<SizesConfig> = z.strictObject({
  sizes: z
    .union([z.literal('files'), z.array(z.int().min(1)).min(1).max(maxSizes)])
    .describe('list or range of bytes, such as 100,1K,10K or 1K..1M:2; "files": whole files'),
  operations: z
    .union([z.literal('auto'), z.int().min(1).max(1_000_000)])
    .default('auto')
    .describe('objects in a run (default: 200, fewer above 100 KB)'),
  runs: z.int().min(1).max(1_000).default(4).describe('measured runs of each point'),
  parallel: z
    .int()
    .min(1)
    .max(10_000)
    .default(16)
    .describe('calls in flight in the second series; 1 skips it'),
  hitRates: z
    .array(z.number().min(0).max(1))
    .default([0, 0.25, 0.5, 0.75, 1])
    .describe('percentages, for --cache (default: 0,25,50,75,100)'),
  measureHitRates: z.boolean().default(false).describe('also measure a cache at each hit rate'),
  encryption: z.array(z.enum(encryptionAlgorithms)).default([]).describe(encryptionAlgorithms.join(', ')),
  compression: z.array(z.enum(compressionAlgorithms)).default([]).describe(compressionAlgorithms.join(', ')),
  maxPhaseMs: milliseconds.default(10_000).describe('end a phase early after this time'),
  ...studyShape,
})

/** Objects of one run at this size: 200, above 100 KB as many as 20 MB hold (a multiple of 20), from 1 MB on 20 down to 4. */
export function operationsAt(size: number, operations: number | 'auto'): number {
  if (operations !== 'auto') return operations
  const affordable = Math.floor(20e6 / size)
  if (affordable >= 20) return Math.min(200, affordable - (affordable % 20))
  return Math.max(4, affordable)
}
