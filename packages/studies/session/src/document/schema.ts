import { parseDuration } from '@unikv/workload/driven'
import { z } from 'zod'
import type {
  DatabasePart,
  EventPart,
  MeasurePart,
  PopulatePart,
  SessionPart,
  TransitionsPart,
} from './parts.ts'

// XML has texts alone: numbers, booleans and times may be written as such.

const whole = z.preprocess(numberOf, z.int().min(1))
const amount = z.preprocess(numberOf, z.number())
const isSo = z.preprocess(
  (given) => (given === 'true' ? true : given === 'false' ? false : given),
  z.boolean(),
)
const timeText = z
  .string()
  .regex(/^\s*\d+(\.\d+)?\s*(ms|s|m|h)?\s*$/, 'it must be a time such as 500ms, 30s or 5m')
const time = z
  .preprocess((given) => (typeof given === 'number' ? String(given) : given), timeText)
  .transform(parseDuration)
const command = z.string().min(1)

function numberOf(given: unknown): unknown {
  return typeof given === 'string' && given.trim() !== '' ? Number(given) : given
}

/** An element without content is `null`, and stands for none. */
function optional<T extends z.ZodType>(schema: T): z.ZodType<z.output<T> | undefined> {
  return z.preprocess((given) => given ?? undefined, schema.optional())
}

const thinkTime = z.union([
  z.strictObject({ avg: time, max: time }).transform(({ avg, max }) => ({ avgMs: avg, maxMs: max })),
  time.transform((ms) => ({ ms })),
])
const around = { before: optional(thinkTime), after: optional(thinkTime) }

const parameter = z.union([
  z.strictObject({
    random: z.enum(['int', 'double']),
    min: amount,
    max: amount,
    partition: optional(isSo),
  }),
  amount,
  z.string(),
])

/** The schema of `database`. */
export const databaseSchema: z.ZodType<DatabasePart> = z.strictObject({
  url: z.string().min(1),
  name: optional(z.string()),
  access: optional(z.enum(['entities', 'sql'])),
  transactions: optional(z.enum(['auto', 'records', 'native'])),
  retry: optional(z.enum(['default', 'optimistic', 'pessimistic'])),
  joins: optional(z.enum(['batch', 'each'])),
  start: optional(command),
  stop: optional(command),
})

const next = z.strictObject({ prob: optional(amount), weight: optional(amount) }).nullable()
const transitions: z.ZodType<TransitionsPart> = z.record(z.string(), z.record(z.string(), next))

const limits = z
  .strictObject({ maxCount: optional(amount), maxTime: optional(time), minTime: optional(time) })
  .transform(({ maxCount, maxTime, minTime }) => ({ maxCount, maxTimeMs: maxTime, minTimeMs: minTime }))

/** The schema of `workload/session`. */
export const sessionSchema: z.ZodType<SessionPart> = z.strictObject({
  benchmark: z.enum(['auction', 'micro']),
  model: optional(z.string()),
  Transitions: optional(transitions),
  parameters: optional(z.record(z.string(), parameter)),
  limits: optional(limits),
  think: optional(
    z.strictObject({ ...around, interactions: optional(z.record(z.string(), z.strictObject(around))) }),
  ),
  users: optional(
    z.strictObject({
      first: optional(amount),
      count: optional(amount),
      newRatio: optional(amount),
      partition: optional(isSo),
    }),
  ),
  sessions: optional(whole),
  numOfThreads: optional(whole),
})

/** The schema of `workload/measure`. */
export const measureSchema: z.ZodType<MeasurePart> = z.strictObject({
  rampUp: optional(time),
  duration: optional(time),
  runs: optional(whole),
  seed: optional(amount),
  timeout: optional(time),
})

/** The schema of `workload/populate`. */
export const populateSchema: z.ZodType<PopulatePart> = z.strictObject({
  threads: optional(whole),
  check: optional(isSo),
})

/** The schema of `cluster` and `report`, which have nothing to say here: all workers are in this process. */
export const emptySchema: z.ZodType<object> = z.strictObject({})

/** The schema of one event. */
export const eventSchema: z.ZodType<EventPart> = z.strictObject({ at: time, command })
