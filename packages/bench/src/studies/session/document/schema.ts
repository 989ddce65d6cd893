import { must } from '@unikv/stores/documents'
import { z } from 'zod'
import type { Plain } from '../../../options/option.ts'
import { fields, oneOf, optional } from './fields.ts'
import { isSo, text, time, timeFrom, whole, wholeWithin } from './values.ts'

const command = z.string(must('a command')).min(1, must('a command'))

/** The schema of `name`. */
export const nameSchema: z.ZodType<string | undefined> = text.optional()

/** The schema of `database`. */
export const databaseSchema = fields({
  url: z.string(must('the URL of a store')).min(1, must('the URL of a store')),
  name: optional(z.string()),
  access: optional(oneOf(['entities', 'sql'])),
  transactions: optional(oneOf(['auto', 'records', 'native'])),
  retry: optional(oneOf(['default', 'optimistic', 'pessimistic'])),
  joins: optional(oneOf(['batch', 'each'])),
  start: optional(command),
  stop: optional(command),
})

/** The part `database` of a job. */
export type DatabasePart = Plain<typeof databaseSchema>

/** The schema of `workload/measure`. */
export const measureSchema = fields({
  rampUp: optional(timeFrom(0, '0s')),
  duration: optional(timeFrom(1, '1ms')),
  runs: optional(wholeWithin(1, 1_000)),
  seed: optional(wholeWithin(0, 0xffff_ffff)),
  timeout: optional(timeFrom(1, '1ms').transform(Math.ceil)),
})

/** The part `workload/measure` of a job; times in milliseconds. */
export type MeasurePart = Plain<typeof measureSchema>

/** The schema of `workload/populate`. */
export const populateSchema = fields({
  threads: optional(wholeWithin(1, 10_000)),
  check: optional(isSo),
})

/** The part `workload/populate` of a job. */
export type PopulatePart = Plain<typeof populateSchema>

/** The schema of `cluster`. */
export const clusterSchema = fields({
  /** Threads of this process. */
  threads: optional(whole),
  /** Workers elsewhere, which wait at a queue. */
  workers: optional(whole),
  queue: optional(z.string(must('the URL of Redis or Valkey')).min(1, must('the URL of Redis or Valkey'))),
  /** The longest wait for workers. */
  wait: optional(time),
})

/** The part `cluster` of a job: who runs its work. The wait for workers is in milliseconds. */
export type ClusterPart = Plain<typeof clusterSchema>

/** The schema of `report`, which has nothing to say here: options of the command say where results go. */
export const emptySchema = z.strictObject(
  {},
  { error: 'it must be empty: options of the command say where results go' },
)

const often = timeFrom(100, '100ms')

/** The schema of one monitor. */
export const monitorSchema = fields({
  name: text,
  command,
  every: optional(often),
})

/** The schema of one event. */
export const eventSchema = fields({ at: time, command })
