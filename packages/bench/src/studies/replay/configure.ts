import { StoreError } from '@unikv/core'
import type { Given } from '../../options/option.ts'
import { formatExact, formatLength } from '../../report/words.ts'
import type { Configured } from '../../study/study.ts'
import type { TraceTimes } from '../../trace/trace-request.ts'
import type { replayConfigSchema, TraceFacts } from './config.ts'
import { factsOf, traceOf } from './traces.ts'

type GivenReplay = Given<typeof replayConfigSchema>

/** The input of a configuration: the trace is read once here, so that a fault in it is found before anything is sent. */
export async function configure(given: GivenReplay): Promise<Configured> {
  const { file = '', columns = null, limit = null, defaultSize = 1_000 } = given.trace ?? {}
  if (file === '') throw wrong('Name the file with the trace.')
  const source = { file, columns, limit, defaultSize }
  const trace = await traceOf(source)
  const facts = factsOf(source, trace)
  const warnings = trace.times === undefined ? [] : [timesText(facts, trace.times)]
  return { config: { ...given, trace: facts, speed: speedOf(given, facts) }, warnings }
}

function timesText({ file, requests, lengthMs }: TraceFacts, times: TraceTimes): string {
  const name = file === '-' ? 'standard input' : file
  return `The times of ${name} are taken for ${times} since 1970, as they are too large for seconds: its ${formatExact(requests)} requests last ${formatLength(lengthMs ?? 0)}.`
}

function speedOf(given: GivenReplay, { lengthMs, file }: TraceFacts): number | 'max' {
  const { speed = lengthMs === null ? 'max' : 1 } = given
  if (speed !== 'max' && lengthMs === null)
    throw wrong(`${file} has no times, so that no speed can be kept. Leave out --speed, or give max.`)
  return speed
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}
