import { z } from 'zod'
import { rowSchema } from '../../cube/row.ts'
import type { PlainShape } from '../../options/option.ts'
import type { StudyResult } from '../../study/study.ts'
import type { SizesConfig } from './config.ts'

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
