import { z } from 'zod'
import type { PlainShape } from '../../options/option.ts'
import type { StudyResult } from '../../study/study.ts'
import type { LoadConfig } from './config.ts'

const count = z.int().min(0)

/** The schema of `LoadBody`. */
export const loadBodyShape = {
  tables: z.array(
    z.strictObject({
      store: z.string(),
      table: z.string(),
      /** Records that it holds now; 0: it was deleted. */
      records: count,
      /** Records that it held before; `null`: it was not there. */
      before: count.nullable(),
      elapsedMs: z.number().min(0),
    }),
  ),
}

/** The whole result of `unikv bench load`: `result.json`. */
export type LoadResult = StudyResult<LoadConfig, LoadBody>

/** The table of one store. */
export type TableResult = LoadBody['tables'][number]

/** The fields of a result that are its own. */
export type LoadBody = PlainShape<typeof loadBodyShape>
