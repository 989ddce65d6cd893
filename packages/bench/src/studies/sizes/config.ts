import { z } from 'zod'
import { rowSchema } from '../../cube/row.ts'
import { sizeAxis } from '../../data/data-source.ts'
import { percentages } from '../../options/forms.ts'
import { option, type Plain, type PlainShape } from '../../options/option.ts'
import type { StudyResult } from '../../study/study.ts'
import { milliseconds, runsSchema, studyShape } from '../../study/study-config.ts'
import { parseHitRates } from './hit-rate.ts'

/** Encryption that can be measured. */
export const encryptionAlgorithms = ['aes-128-gcm', 'aes-256-gcm', 'chacha20-poly1305'] as const
/** Encryption that can be measured. */
export type EncryptionAlgorithm = (typeof encryptionAlgorithms)[number]

/** Compression that can be measured. `lz4` and `snappy` need a package, `zstd` one on older runtimes. */
export const compressionAlgorithms = ['gzip', 'brotli', 'deflate', 'zstd', 'lz4', 'snappy'] as const
/** Compression that can be measured. */
export type CompressionAlgorithm = (typeof compressionAlgorithms)[number]

/** The schema of a configuration, with defaults. */
export const sizesConfigSchema = z.strictObject({
  /** The paper after whose figures those of the report are numbered. The command takes its settings for options that are not given. */
  preset: option(z.enum(['iyengar']).nullable().default(null), {
    help: 'draw the figures of a paper, with its settings; without --store on files and SQLite',
    guide: 'See [below](#the-figures-of-the-paper).',
    alike: null,
  }),
  /** Bytes, ascending; `'files'`: whole files as they are. */
  sizes: sizeAxis.default([100, 1_000, 10_000, 100_000, 1_000_000]),
  /** Distinct objects written, read and deleted in one run of one point; `'auto'`: 200, fewer above 100 KB. */
  operations: option(z.union([z.literal('auto'), z.int().min(1).max(1_000_000)]).default('auto'), {
    help: 'objects in a run',
    preset: '200, fewer above 100 KB',
  }),
  runs: option(runsSchema.default(4), { help: 'measured runs of each point' }),
  /** Operations in flight in the second series of measurements; 1 leaves that series out. */
  parallel: option(z.int().min(1).max(10_000).default(16), {
    help: 'calls in flight in the second series; 1 skips it',
  }),
  /** Between 0 and 1, ascending. */
  hitRates: option(z.array(z.number().min(0).max(1)).default([0, 0.25, 0.5, 0.75, 1]), {
    help: 'percentages of hits in a cache',
    argument: '<list>',
    parse: parseHitRates,
    textOf: percentages,
    needsCache: true,
  }),
  /** Also measure each hit rate, with a cache driven to exactly that share of hits. */
  measureHitRates: option(z.boolean().default(false), {
    help: 'also measure a cache at each hit rate',
    needsCache: true,
  }),
  encryption: option(z.array(z.enum(encryptionAlgorithms)).default([]), {
    help: encryptionAlgorithms.join(', '),
  }),
  /** `lz4` and `snappy` need a package, `zstd` one on older runtimes. */
  compression: option(z.array(z.enum(compressionAlgorithms)).default([]), {
    help: compressionAlgorithms.join(', '),
    guide: 'Some need [packages](../../packages/middleware/compression/README.md#algorithms).',
  }),
  /** A phase ends early after this time, though not before 10 operations. */
  maxPhaseMs: option(milliseconds.default(10_000), { help: 'end a phase early after this time' }),
  ...studyShape,
})

/** The full configuration of the study, as it appears in the result. */
export type SizesConfig = Plain<typeof sizesConfigSchema>

/** Objects of one run at this size: 200, above 100 KB as many as 20 MB hold (a multiple of 20), from 1 MB on 20 down to 4. */
export function operationsAt(size: number, operations: number | 'auto'): number {
  if (operations !== 'auto') return operations
  const affordable = Math.floor(20e6 / size)
  if (affordable >= 20) return Math.min(200, affordable - (affordable % 20))
  return Math.max(4, affordable)
}

const size = z.int().min(1)

/** The fields of a result that are its own. */
export const sizesBodyShape = {
  caches: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.enum(['in-process', 'remote']),
      /** How an in-process cache shares its objects. */
      share: z.enum(['freeze', 'reference', 'copy']).nullable(),
      /** Where a remote one is, without user info. */
      url: z.string().nullable(),
      /** Facts that its server reports about itself. */
      server: z.record(z.string(), z.string()),
    }),
  ),
  points: z.array(
    z.strictObject({
      size,
      minBytes: size,
      maxBytes: size,
      /** Distinct objects that every store wrote in every run: fewer than planned where phases ended early. */
      operations: size,
      /** Original bytes over bytes after gzip: how compressible the objects are. */
      gzipRatio: z.number().positive(),
    }),
  ),
  /** All that was measured. */
  rows: z.array(rowSchema),
}

/** Everything that one run of the study found: `result.json`. Times are in milliseconds, shares between 0 and 1. */
export type SizesResult = StudyResult<SizesConfig, SizesBody>

/** The fields of a result beyond those of every study. */
export type SizesBody = PlainShape<typeof sizesBodyShape>

/** A cache that was measured in front of the stores. */
export type CacheInfo = SizesBody['caches'][number]

/** A place on the size axis. */
export type PointInfo = SizesBody['points'][number]
