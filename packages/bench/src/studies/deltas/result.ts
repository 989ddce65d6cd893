import { z } from 'zod'
import { rowSchema } from '../../cube/row.ts'
import type { PlainShape } from '../../options/option.ts'
import type { StudyResult } from '../../study/study.ts'
import { type DeltasConfig, editPatterns } from './config.ts'
import { recommendationSchema } from './recommend.ts'

/** The fields of a result that are its own. */
export const deltasBodyShape = {
  points: z.array(
    z.strictObject({
      store: z.string(),
      /** Place on the size axis, in bytes. */
      size: z.int().min(1),
      edit: z.enum(editPatterns),
      share: z.number().min(0).max(1),
      recommendation: recommendationSchema,
    }),
  ),
  /** All that was measured. */
  rows: z.array(rowSchema),
}

/** All that a run of the study found: `result.json`. */
export type DeltasResult = StudyResult<DeltasConfig, DeltasBody>

/** The fields of a result beyond those of every study. */
export type DeltasBody = PlainShape<typeof deltasBodyShape>

/** The recommendation for updates of one store, at one size, by one pattern. */
export type DeltaPoint = DeltasBody['points'][number]
