import { must } from '@unikv/stores/documents'
import { z } from 'zod'
import type { Plain } from '../../../options/option.ts'
import { fields, oneOf, optional } from './fields.ts'
import { transitionsSchema } from './transitions-schema.ts'
import { amount, isSo, time, whole } from './values.ts'

const thinkTime = z.union(
  [
    fields({ avg: time, max: time }).transform(({ avg, max }) => ({ avgMs: avg, maxMs: max })),
    time.transform((ms) => ({ ms })),
  ],
  must('a time such as 500ms, or `avg` and `max`'),
)
const around = { before: optional(thinkTime), after: optional(thinkTime) }

const parameter = z.union(
  [
    fields({
      random: oneOf(['int', 'double']),
      min: amount,
      max: amount,
      partition: optional(isSo),
      each: optional(oneOf(['session', 'interaction'])),
    }),
    amount,
    z.string(),
  ],
  must('a value, or `random` (int or double) with `min` and `max`'),
)

const limits = fields({
  maxCount: optional(amount),
  maxTime: optional(time),
  minTime: optional(time),
}).transform(({ maxCount, maxTime, minTime }) => ({ maxCount, maxTimeMs: maxTime, minTimeMs: minTime }))

/** The schema of `workload/session`. */
export const sessionSchema = fields({
  benchmark: oneOf(['auction', 'micro']),
  model: optional(z.string()),
  Transitions: optional(transitionsSchema),
  parameters: optional(z.record(z.string(), parameter, must('parameters by their names'))),
  limits: optional(limits),
  think: optional(fields({ ...around, interactions: optional(z.record(z.string(), fields(around))) })),
  users: optional(
    fields({
      first: optional(amount),
      count: optional(amount),
      newRatio: optional(amount),
      partition: optional(isSo),
    }),
  ),
  sessions: optional(whole),
  numOfThreads: optional(whole),
})

/** The part `workload/session` of a job. */
export type SessionPart = Plain<typeof sessionSchema>
