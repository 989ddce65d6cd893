import { z } from 'zod'
import { lengthTexts, workloadInputs, workloadTexts } from '../../driven/given/workload-inputs.ts'
import type { TextForm } from '../../study/study.ts'
import { studyShape } from '../../study/study-config.ts'
import { parseAxis } from './axis.ts'
import { parseLoad } from './loads.ts'

const text = (help: string): z.ZodOptional<z.ZodString> => z.string().optional().describe(help)
const whole = (help: string): z.ZodOptional<z.ZodInt> => z.int().min(1).max(1e9).optional().describe(help)

/** The fields of the command line. Without a mix, reads and writes are measured apart. */
export const sweepInputs: z.ZodType = z.strictObject({
  over: text('parameter and its values, such as value-size=100,1K,10K (default: concurrency=1,2,5,…,1000)'),
  workload: text('TypeScript or JavaScript module with operations of your own'),
  ...workloadInputs,
  load: text('operations that get a curve of their own, such as browse:read=95,update=5 (repeatable)'),
  preset: text('workload of YCSB, a to f, in the place of reads and writes apart'),
  concurrency: whole('callers that each wait for their answer (default: 16)'),
  threads: whole('threads that share callers, each with a store of its own (default: 1)'),
  duration: text('length of a run, such as 30s or 5m (default: 5s)'),
  operations: whole('most operations of a run'),
  warmup: text('length of the warm-up, such as 2s (default: 2s)'),
  runs: z.int().min(1).max(1_000).optional().describe('measured runs of each value (default: 3)'),
  ...studyShape,
})

/** How the fields are written. */
export const sweepTexts: Readonly<Record<string, TextForm>> = {
  ...workloadTexts,
  ...lengthTexts,
  workload: { argument: '<file>', parse: (given) => given },
  load: { argument: '<name:mix>', isRepeatable: true, parse: parseLoad },
  over: { argument: '<parameter=values>', parse: parseAxis },
}
