import { either, must, names } from '@unikv/stores/documents'
import { parseDuration } from '@unikv/workload/driven'
import { ycsbPresetNames } from '@unikv/workload/ycsb'
import { z } from 'zod'
import type {
  ClusterPart,
  DatabasePart,
  EventPart,
  LoadPart,
  MeasurePart,
  MonitorPart,
  PopulatePart,
  SessionPart,
  TransitionsPart,
  YcsbPart,
} from './parts.ts'

// XML has texts alone: numbers, booleans and times may be written as such.

const mostCount = 100_000
const mostRecords = 1e9
const beWhole = must(`a whole number from 1 to ${mostCount}`)
const whole = z.preprocess(numberOf, z.int(beWhole).min(1, beWhole).max(mostCount, beWhole))
const amount = z.preprocess(numberOf, z.number(must('a number')))
const isSo = z.preprocess(
  (given) => (given === 'true' ? true : given === 'false' ? false : given),
  z.boolean(must('true or false')),
)
const beTime = must('a time such as 500ms, 30s or 5m')
const timeText = z.string(beTime).regex(/^\s*\d+(\.\d+)?\s*(ms|s|m|h)?\s*$/, beTime)
const time = z
  .preprocess((given) => (typeof given === 'number' ? String(given) : given), timeText)
  .transform(parseDuration)
const command = z.string(must('a command')).min(1, must('a command'))

function numberOf(given: unknown): unknown {
  if (typeof given !== 'string' || given.trim() === '') return given
  const number = Number(given)
  return Number.isNaN(number) ? given : number
}

/** An object with these fields and no others. */
function fields<T extends z.ZodRawShape>(shape: T): z.ZodObject<T, z.core.$strict> {
  return z.strictObject(shape, names(Object.keys(shape), 'elements in it'))
}

/** One of some words. */
function oneOf<const T extends readonly string[]>(words: T): z.ZodType<T[number]> {
  return z.enum(words, must(either(words)))
}

/** An element without content is `null`, and stands for none. */
function optional<T extends z.ZodType>(schema: T): z.ZodType<z.output<T> | undefined> {
  return z.preprocess((given) => given ?? undefined, schema.optional())
}

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

/** The schema of `name`: YAML and JSON may have a number there. */
export const nameSchema: z.ZodType<string | undefined> = z
  .union([z.string().min(1), z.number().transform(String)], must('a text'))
  .optional()

/** The schema of `database`. */
export const databaseSchema: z.ZodType<DatabasePart> = fields({
  url: z.string(must('the URL of a store')).min(1, must('the URL of a store')),
  name: optional(z.string()),
  access: optional(oneOf(['entities', 'sql'])),
  transactions: optional(oneOf(['auto', 'records', 'native'])),
  retry: optional(oneOf(['default', 'optimistic', 'pessimistic'])),
  joins: optional(oneOf(['batch', 'each'])),
  start: optional(command),
  stop: optional(command),
})

const next = fields({ prob: optional(amount), weight: optional(amount) }).nullable()
const transitions: z.ZodType<TransitionsPart> = z.record(
  z.string(),
  z.record(z.string(), next, must('states, each with its `prob`')),
  must('states, each with those that follow it'),
)

const limits = z
  .strictObject({ maxCount: optional(amount), maxTime: optional(time), minTime: optional(time) })
  .transform(({ maxCount, maxTime, minTime }) => ({ maxCount, maxTimeMs: maxTime, minTimeMs: minTime }))

/** The schema of `workload/session`. */
export const sessionSchema: z.ZodType<SessionPart> = fields({
  benchmark: oneOf(['auction', 'micro']),
  model: optional(z.string()),
  Transitions: optional(transitions),
  parameters: optional(z.record(z.string(), parameter)),
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

const lowered = (given: unknown): unknown => (typeof given === 'string' ? given.toLowerCase() : given)
const recordCount = must(`a whole number from 1 to ${mostRecords}`)
const records = z.preprocess(numberOf, z.int(recordCount).min(1, recordCount).max(mostRecords, recordCount))

/** The schema of `workload/ycsb`. */
export const ycsbSchema: z.ZodType<YcsbPart> = fields({
  workload: z.preprocess(lowered, oneOf(ycsbPresetNames)),
  records: optional(records),
  properties: optional(z.record(z.string(), z.union([z.string(), z.number()], must('a single value')))),
  numOfThreads: optional(whole),
})

/** The schema of `workload/load`. */
export const loadSchema: z.ZodType<LoadPart> = fields({
  records,
  size: optional(
    z.union([z.string(), z.number().transform(String)], must('bytes such as 1000, 16K or 100..1K')),
  ),
  batch: optional(whole),
  numOfThreads: optional(whole),
})

/** The schema of `workload/measure`. */
export const measureSchema: z.ZodType<MeasurePart> = fields({
  rampUp: optional(time),
  duration: optional(time),
  runs: optional(whole),
  seed: optional(amount),
  timeout: optional(time),
})

/** The schema of `workload/populate`. */
export const populateSchema: z.ZodType<PopulatePart> = fields({
  threads: optional(whole),
  check: optional(isSo),
})

/** The schema of `cluster`. */
export const clusterSchema: z.ZodType<ClusterPart> = fields({
  threads: optional(whole),
  workers: optional(whole),
  queue: optional(z.string(must('the URL of Redis or Valkey')).min(1, must('the URL of Redis or Valkey'))),
  wait: optional(time),
})

/** The schema of `report`, which has nothing to say here: options of the command say where results go. */
export const emptySchema: z.ZodType<object> = z.strictObject(
  {},
  { error: 'it must be empty: options of the command say where results go' },
)

const often = time.refine((ms) => ms >= 100, must('a time of 100ms or more'))

/** The schema of one monitor. */
export const monitorSchema: z.ZodType<MonitorPart> = fields({
  name: z.union([z.string().min(1), z.number().transform(String)], must('a text')),
  command,
  every: optional(often),
})

/** The schema of one event. */
export const eventSchema: z.ZodType<EventPart> = fields({ at: time, command })
