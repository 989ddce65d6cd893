import { isPlainObject } from '@unikv/core/platform'
import { must } from '@unikv/stores/documents'
import { z } from 'zod'
import type { Plain } from '../../../options/option.ts'
import type { JobEvent, JobMonitor } from '../config.ts'
import { type Place, shaped, wrongIn } from './shaped.ts'
import { fields, isSo, oneOf, optional, text, time, timeFrom, whole, wholeWithin } from './values.ts'

const command = z.string(must('a command')).min(1, must('a command'))

/** The schema of `name`. */
export const nameSchema: z.ZodType<string | undefined> = text.optional()

/** The schema of `database`. */
export const databaseSchema = fields({
  url: z.string(must('the URL of a store')).min(1, must('the URL of a store')),
  name: optional(z.string()),
  access: optional(oneOf(['entities', 'transactions', 'sql'])),
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
const monitorSchema = fields({
  name: text,
  command: optional(command),
  /** The store tells of its servers, in the place of a command. */
  statistics: optional(isSo),
  every: optional(often),
})

/** The schema of one event. */
const eventSchema = fields({ at: time, command })

/** The events of a job: a list, or an element `event` for each. */
export function eventsIn(given: unknown, place: Place): readonly JobEvent[] {
  return listIn(given, 'event', place).map((one, index) => {
    const { at, command } = shaped(eventSchema, one, `events.${index}`, place)
    return { atMs: at, command }
  })
}

/** The monitors of a job: a list, or an element `monitor` for each. */
export function monitorsIn(given: unknown, place: Place): readonly JobMonitor[] {
  const names = new Set<string>()
  return listIn(given, 'monitor', place).map((one, index) => {
    const {
      name,
      command,
      statistics = false,
      every = 1_000,
    } = shaped(monitorSchema, one, `monitors.${index}`, place)
    if (statistics === (command !== undefined))
      throw wrongIn(place, `monitors.${index}.command`, 'there must be either a command or statistics: true')
    if (names.has(name))
      throw wrongIn(place, `monitors.${index}.name`, `there are two monitors with the name '${name}'`)
    names.add(name)
    return { name, ...(command !== undefined && { command }), everyMs: every }
  })
}

/** One element is as good as a list of one. */
function listIn(given: unknown, element: string, place: Place): readonly unknown[] {
  if (given === undefined || given === null) return []
  if (Array.isArray(given)) return given
  const right = `a list, or an element ${element} for each`
  if (!isPlainObject(given)) throw wrongIn(place, `${element}s`, `it must be ${right}`)
  const other = Object.keys(given as object).find((name) => name !== element)
  if (other !== undefined)
    throw wrongIn(place, `${element}s.${other}`, `it is unknown: there must be ${right}`)
  const inside = (given as Readonly<Record<string, unknown>>)[element] ?? []
  return Array.isArray(inside) ? inside : [inside]
}
