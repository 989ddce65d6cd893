import { StoreError } from '@unikv/core'
import { formatExact, formatLength } from '../../report/words/units.ts'
import type { Configured } from '../../study/study.ts'
import type { TraceTimes } from '../../trace/trace-request.ts'
import type { TraceFacts } from './config.ts'
import { factsOf, traceOf } from './traces.ts'

/** The fields of the command line, parsed. */
interface Given {
  readonly trace: string
  readonly columns?: readonly string[] | undefined
  readonly limit?: number | undefined
  readonly valueSize?: number | undefined
  readonly speed?: number | 'max' | undefined
  readonly concurrency?: number | undefined
  readonly maxInFlight?: number | undefined
}

/** The input of a configuration: the trace is read once here, so that a fault in it is found before anything is sent. */
export async function configure(fields: Readonly<Record<string, unknown>>): Promise<Configured> {
  const {
    trace: file,
    columns = null,
    limit = null,
    valueSize = 1_000,
    ...given
  } = fields as unknown as Given
  if (typeof file !== 'string' || file === '') throw noTrace()
  const source = { file, columns, limit, defaultSize: valueSize }
  const trace = await traceOf(source)
  const facts = factsOf(source, trace)
  const warnings = trace.times === undefined ? [] : [timesText(facts, trace.times)]
  return { config: { ...given, trace: facts, speed: speedOf(given, facts) }, warnings }
}

function timesText({ file, requests, lengthMs }: TraceFacts, times: TraceTimes): string {
  const name = file === '-' ? 'standard input' : file
  return `The times of ${name} are taken for ${times} since 1970, as they are too large for seconds: its ${formatExact(requests)} requests last ${formatLength(lengthMs ?? 0)}.`
}

function speedOf(given: Omit<Given, 'trace'>, { lengthMs, file }: TraceFacts): number | 'max' {
  const { speed = lengthMs === null ? 'max' : 1, concurrency, maxInFlight } = given
  if (speed !== 'max' && lengthMs === null)
    throw wrong(`${file} has no times, so that no speed can be kept. Leave out --speed, or give max.`)
  if (speed !== 'max' && concurrency !== undefined)
    throw wrong('--concurrency is for --speed max: at a speed, requests begin at the times of the trace.')
  if (speed === 'max' && maxInFlight !== undefined)
    throw wrong('--max-in-flight is for a speed: with --speed max, --concurrency bounds what is in flight.')
  return speed
}

function noTrace(): StoreError {
  return wrong('Name the file with the trace.')
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}
