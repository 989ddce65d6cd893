import { z } from 'zod'
import { rowSchema } from '../cube/row.ts'
import { runResultShape } from '../run/result.ts'
import type { AnyResult, AnyStudy } from '../study/study.ts'

/** Checks `rows.json`: the rows of a result, with its environment, configuration and stores once. */
export const rowsJsonSchema: z.ZodType = z.strictObject({
  format: z.literal('unikv.rows'),
  /** A reader of another version refuses the file. */
  formatVersion: z.literal(1),
  study: z.string().min(1),
  ...runResultShape,
  config: z.record(z.string(), z.unknown()),
  rows: z.array(rowSchema),
})

/** `rows.json` of a result: the same form for every study, one row a line. */
export function rowsJson({ name: study, report }: AnyStudy, result: AnyResult): string {
  const own = Object.fromEntries(
    Object.keys(runResultShape).map((name) => [name, result[name as keyof typeof runResultShape]]),
  )
  const head = { format: 'unikv.rows', formatVersion: 1, study, ...own, config: result.config }
  const rows = report.rows(result).map((row) => `\n    ${JSON.stringify(row)}`)
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "rows": [${rows.join(',')}\n  ]\n}\n`
}
