import { z } from 'zod'
import { parseSize } from '../../data/size-list.ts'
import { callers, mostInFlight, thresholds } from '../../driven/given/loop-options.ts'
import type { DrivenBody } from '../../driven/result.ts'
import { operationNames } from '../../operations/mix.ts'
import { text } from '../../options/forms.ts'
import { type Idle, option, type Plain } from '../../options/option.ts'
import { wrong } from '../../study/faults.ts'
import type { StudyResult } from '../../study/study.ts'
import { runsSchema, studyShape } from '../../study/study-config.ts'

interface Speed {
  readonly speed: number | 'max'
}

const atSpeed: Idle = {
  when: ({ speed }: Speed) => speed !== 'max',
  why: 'is for --speed max: at a speed, requests begin at the times of the trace.',
}
const atMost: Idle = {
  when: ({ speed }: Speed) => speed === 'max',
  why: 'is for a speed: with --speed max, --concurrency bounds what is in flight.',
}
const count = z.int().min(0)

/** The trace of a replay: where it lies, and what it holds. */
const traceFacts = z.strictObject({
  file: option(z.string(), {
    help: 'CSV or JSON lines, also compressed by gzip, or - for standard input: time, operation, key, size',
    flag: 'trace',
    ...text('<file>'),
    isArgument: true,
  }),
  /** Names of its columns, if it has no line that names them. */
  columns: option(z.array(z.string()).nullable().default(null), {
    help: 'columns of a file without a first line that names them, such as time,key,-,size',
    argument: '<names>',
    parse: (given) => given.split(',').map((name) => name.trim()),
  }),
  /** Only so many of its first requests. */
  limit: option(z.int().min(1).nullable().default(null), {
    help: 'replay only so many of its first requests',
  }),
  /** Bytes of values whose sizes it does not tell. */
  defaultSize: option(count.default(1_000), {
    flag: 'value-size',
    help: 'bytes of a value whose size the trace does not tell',
    argument: '<size>',
    parse: parseSize,
  }),
  requests: z.int().min(1),
  /** Distinct keys. */
  keys: z.int().min(1),
  /** Requests of each operation. */
  mix: z.partialRecord(z.enum(operationNames), count),
  /** Smallest and largest value in bytes. */
  sizes: z.tuple([count, count]),
  /** Time from the first request to the last one; `null` if it has no times. */
  lengthMs: z.number().min(0).nullable(),
  /** Records that it reads or deletes before it has written them. */
  startRecords: count,
  /** SHA-256 of its requests. */
  sha256: z.string(),
})

/** The trace of a replay: where it lies, and what it holds. */
export type TraceFacts = Plain<typeof traceFacts>

/** The schema of a configuration, with defaults. */
export const replayConfigSchema = z.strictObject({
  trace: option(traceFacts, { alike: 'requests', agreeing: (trace) => (trace as TraceFacts).sha256 }),
  /** Times as fast as the trace; `max`: as fast as the callers can. */
  speed: option(z.union([z.number().positive().max(1e6), z.literal('max')]), {
    help: 'times as fast as the trace, or max',
    argument: '<times|max>',
    parse: parseSpeed,
    preset: '1, and max for a trace without times',
    alike: 'speed',
  }),
  /** With the speed `max`: callers that each wait for their answer. */
  concurrency: option(callers, {
    help: 'with the speed max: callers that each wait for their answer',
    idle: [atSpeed],
  }),
  /** At a speed: most requests in flight. Further ones wait. */
  maxInFlight: option(mostInFlight, {
    help: 'at a speed: most requests in flight; further ones wait',
    guide: 'Their response times hold the wait.',
    idle: [atMost],
  }),
  /** The records at the start: those that the trace expects, or none. */
  start: option(z.enum(['loaded', 'empty']).default('loaded'), {
    help: 'loaded with what the trace expects, or empty',
    alike: 'start',
  }),
  /** The end of a read that found nothing: it is counted, or its value is written, as the user of a cache does. */
  onMiss: option(z.enum(['count', 'fill']).default('count'), {
    help: 'a read that finds nothing: count it, or fill as a cache does',
    guide: 'The time of a read that fills holds the write.',
    alike: 'misses',
  }),
  failIf: thresholds,
  runs: option(runsSchema.default(1), {
    help: 'runs of each store',
    guide: 'Three or more for intervals and comparisons.',
  }),
  ...studyShape,
})

/** The full configuration of the study, as it appears in the result. */
export type ReplayConfig = Plain<typeof replayConfigSchema>

function parseSpeed(given: string): number | 'max' {
  if (given === 'max') return given
  const speed = /^\d+(\.\d+)?x?$/.test(given) ? Number.parseFloat(given) : Number.NaN
  if (speed > 0 && speed <= 1e6) return speed
  throw wrong(`The speed '${given}' is not one. Write a number such as 1, 0.5 or 100, or max.`)
}

/** The whole result of `unikv bench replay`: `result.json`. */
export type ReplayResult = StudyResult<ReplayConfig, DrivenBody>
