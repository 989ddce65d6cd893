import { z } from 'zod'
import { averagedSchema, drivenBodyShape } from '../../driven/result-schema.ts'
import { histogramJsonSchema } from '../../statistics/histogram-json.ts'
import type { JobResult, MonitorResult, SessionBody } from './result.ts'

const count = z.int().min(0)
const amount = z.number().min(0)

const monitor: z.ZodType<MonitorResult> = z.strictObject({
  name: z.string(),
  readings: count,
  failures: count,
  problem: z.string().nullable(),
  series: z.array(
    z.strictObject({ name: z.string(), points: z.array(z.tuple([amount, z.number()]).readonly()) }),
  ),
})

const job: z.ZodType<JobResult> = z.strictObject({
  name: z.string(),
  parameters: z.record(z.string(), z.string()),
  control: z.string(),
  unit: z.enum(['interactions', 'operations', 'records']),
  rate: averagedSchema,
  populateMs: amount,
  runs: z.array(
    z.strictObject({
      run: count,
      sessions: z.strictObject({
        begun: count,
        ended: count,
        interactions: count,
        mostInteractions: count,
        newUsers: count,
      }),
      modes: z.record(z.string(), z.record(z.string(), count)),
      waits: histogramJsonSchema,
      transactions: z.record(z.string(), amount),
      events: z.array(
        z.strictObject({
          atMs: amount,
          elapsedMs: amount,
          command: z.string(),
          problem: z.string().nullable(),
          output: z.string(),
        }),
      ),
      monitors: z.array(monitor).default([]),
    }),
  ),
  problems: z.array(z.string()).nullable(),
})

/** The fields of a result that are its own. */
export const sessionBodyShape: { readonly [K in keyof SessionBody]: z.ZodType<SessionBody[K]> } = {
  ...drivenBodyShape,
  jobs: z.array(job),
}
