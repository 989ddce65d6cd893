import { z } from 'zod'
import type { StudyResult } from '../../study/study.ts'
import type { LoadConfig } from './config.ts'

/** The table of one store. */
export interface TableResult {
  readonly store: string
  readonly table: string
  /** Records that it holds now; 0: it was deleted. */
  readonly records: number
  /** Records that it held before; `null`: it was not there. */
  readonly before: number | null
  readonly elapsedMs: number
}

/** The fields of a result that are its own. */
export interface LoadBody {
  readonly tables: readonly TableResult[]
}

/** The whole result of `unikv bench load`: `result.json`. */
export type LoadResult = StudyResult<LoadConfig, LoadBody>

const count = z.int().min(0)

/** The schema of `LoadBody`. */
export const loadBodyShape: { readonly [K in keyof LoadBody]: z.ZodType<LoadBody[K]> } = {
  tables: z.array(
    z.strictObject({
      store: z.string(),
      table: z.string(),
      records: count,
      before: count.nullable(),
      elapsedMs: z.number().min(0),
    }),
  ),
}
