import { StoreError } from '@unikv/core'
import type { DataSource } from '../../data/data-source.ts'
import { formatSize } from '../../data/size-list.ts'
import { type DrivenBody, drivenBodyShape } from '../../driven/result.ts'
import { type DrivenCell, judgeDriven, planRuns } from '../../driven/runs.ts'
import { type DrivenRecord, drivenBody } from '../../driven/target-results.ts'
import { checkThresholds } from '../../driven/thresholds/threshold.ts'
import { builtIn } from '../../operations/kinds.ts'
import { mixOf } from '../../operations/mix.ts'
import type { Given } from '../../options/option.ts'
import { formatExact, formatLength } from '../../report/words.ts'
import { wrong } from '../../study/faults.ts'
import type { Configured, Study, StudySubject } from '../../study/study.ts'
import type { TraceTimes } from '../../trace/trace-request.ts'
import { type ReplayConfig, replayConfigSchema, type TraceFacts } from './config.ts'
import { report } from './report.ts'
import { factsOf, traceOf } from './traces.ts'

/** A recorded trace over one or more stores, at its times, faster, or as fast as the stores can. */
export const replay: Study<ReplayConfig, DrivenCell, DrivenRecord, DrivenBody> = {
  name: 'replay',
  config: replayConfigSchema,
  configure,
  formatVersion: 1,
  body: drivenBodyShape,
  report,
  checkData,
  check,
  // Each run loads its own records, so run 0, which only loads, is left out.
  plan: ({ config, stores }) => planRuns(config.runs, stores).filter(({ run }) => run > 0),
  nameOf: ({ store }) => store,
  leastMsOf: (_cell, { speed, trace }) => (speed === 'max' ? 0 : (trace.lengthMs ?? 0) / speed),
  labelOf: ({ store }) => store,
  runner: async (context) => new (await import('./replay-runner.ts')).ReplayRunner(context),
  judge: judgeDriven,
  aggregate: ({ config, stores }, records) => drivenBody(stores, config.failIf, records),
}

/** Refuse, before anything is sent, what a store cannot do. */
function check({ config, stores }: StudySubject<ReplayConfig>): void {
  const { trace, failIf } = config
  const operations = mixOf(trace).map(([operation]) => operation)
  checkThresholds(failIf, { operations, hasChecks: false, tellsStale: false })
  for (const { name, store } of stores) {
    for (const operation of operations) {
      const missing = builtIn(operation)?.missing?.(store.capabilities)
      if (missing !== undefined)
        throw new StoreError('UNSUPPORTED', `${name} cannot do the operation ${operation}: ${missing}.`)
    }
    const [, most] = trace.sizes
    const { maxValueBytes } = store.capabilities
    if (most > maxValueBytes) throw tooLarge(name, most, maxValueBytes)
  }
}

/** @throws {StoreError} `INVALID_ARGUMENT` if the data cannot give the largest value of the trace */
function checkData({ trace }: ReplayConfig, { largestBytes = Infinity }: DataSource): void {
  const [, most] = trace.sizes
  if (most <= largestBytes) return
  const message = `The data holds ${largestBytes} bytes, too few for the values of ${formatSize(most)} in the trace. Use more data; it is not padded.`
  throw wrong(message)
}

function tooLarge(name: string, largest: number, most: number): StoreError {
  const message = `The trace has values of ${formatSize(largest)}, too large for ${name}, which allows ${formatSize(most)}.`
  return wrong(message)
}

type GivenReplay = Given<typeof replayConfigSchema>

/** The input of a configuration: the trace is read once here, so that a fault in it is found before anything is sent. */
async function configure(given: GivenReplay): Promise<Configured> {
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
