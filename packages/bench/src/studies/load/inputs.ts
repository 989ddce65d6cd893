import { z } from 'zod'
import { workloadInputs, workloadTexts } from '../../driven/given/workload-inputs.ts'
import type { TextForm } from '../../study/study.ts'
import { studyShape } from '../../study/study-config.ts'

const { preset, propertyFile, property, records, valueSize } = workloadInputs

/** The fields of the command line. */
export const loadInputs: z.ZodType = z.strictObject({
  table: z.string().optional().describe('name of the table (required)'),
  preset,
  propertyFile,
  property,
  workload: z.string().optional().describe('module with the workload that will use the table'),
  records: records.describe('records to load (default: 10000)'),
  valueSize,
  threads: z.int().min(1).max(256).optional().describe('threads that share the records (default: 1)'),
  workers: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('workers elsewhere that share the records: see bench worker (needs --queue)'),
  replace: z.boolean().optional().describe('load the table again if it is there'),
  delete: z.boolean().optional().describe('delete the table, and load nothing'),
  ...studyShape,
})

/** How the fields are written. */
export const loadTexts: Readonly<Record<string, TextForm>> = {
  ...workloadTexts,
  table: { argument: '<name>', parse: (given) => given },
  workload: { argument: '<file>', parse: (given) => given },
}
