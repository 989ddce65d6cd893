import type { StoreError } from '@unikv/core'
import { checkThreads } from '../../drive/driver-of.ts'
import { checkWorkload, largestValue, recordsBytes } from '../../driven/check-workload.ts'
import { checkClients } from '../../driven/given/loop-options.ts'
import { workloadOf } from '../../driven/given/workload-of.ts'
import { type WorkloadSources, workloadSources } from '../../driven/given/ycsb-base.ts'
import type { Workload } from '../../operations/workload.ts'
import { type Given, option } from '../../options/option.ts'
import { invalidBy, wrong } from '../../study/faults.ts'
import type { Configured, Judgement, Study, StudySubject } from '../../study/study.ts'
import { type AxisField, defaultAxis } from './axis.ts'
import { type SweepBody, type SweepConfig, sweepBodyShape, sweepConfigSchema } from './config.ts'
import { curvesOf, type SweepRecord } from './curves.ts'
import { loadsOf } from './loads.ts'
import { report } from './report/report.ts'
import { loopOf, planSweep, type Setting, type SweepCell, settingOf } from './setting.ts'

type GivenSweep = Given<typeof sweepConfigSchema>

/** Options that an axis sets itself. */
const ownOf: Readonly<Record<AxisField, (given: GivenSweep) => unknown>> = {
  concurrency: ({ concurrency }) => concurrency,
  threads: ({ threads }) => threads,
  records: ({ workload }) => workload?.records,
  'value-size': ({ workload }) => workload?.values,
  batch: ({ workload }) => workload?.batch,
  'scan-length': ({ workload }) => workload?.scan,
  'read-share': ({ workload }) => workload?.mix,
}

/** The input of a configuration. */
async function configure(given: GivenSweep, sources: WorkloadSources): Promise<Configured> {
  const { over = defaultAxis } = given as { readonly over?: typeof defaultAxis }
  if (ownOf[over.field](given) !== undefined) throw besideAxis(over.field)
  const { workload, loop, warnings } = await workloadOf(sources, given.workload)
  if ('rate' in loop) throw wrong('A sweep has no rate: each caller waits for its answer. Leave target out.')
  const loads = loadsOf(over.field, { given, sources }, workload as unknown as Workload)
  const config = { ...loop, ...given, over, loads, workload: { ...workload, mix: loads[0]?.mix } }
  return { config, warnings }
}

function besideAxis(field: AxisField): StoreError {
  const flag = field === 'read-share' ? 'mix' : field
  return wrong(`--${flag} says nothing beside --over ${field}.`)
}

/** Runs that say nothing about their store. */
function judge({ curves }: SweepBody): Judgement | undefined {
  const reasons = curves.flatMap(({ store, load, points }) =>
    points.flatMap(({ value, invalid }) => invalid.map((why) => `${store}, ${load} at ${value}, ${why}.`)),
  )
  return invalidBy(reasons)
}

const sweepSources = workloadSources.extend({
  preset: option(workloadSources.shape.preset, {
    help: 'workload of YCSB, from a to f, in the place of reads and writes apart',
    preset: null,
  }),
})

/** Throughput and latency over a range of callers, or of another parameter. */
export const sweep: Study<SweepConfig, SweepCell, SweepRecord, SweepBody> = {
  name: 'sweep',
  config: sweepConfigSchema,
  sources: sweepSources,
  configure,
  isResumable: true,
  formatVersion: 1,
  body: sweepBodyShape,
  report,
  checkData: (config, data) => settings(config).map(({ workload }) => largestValue(workload, data)),
  check,
  leastBytes,
  plan: planSweep,
  nameOf: ({ store, load, value, run }) => `${store} ${run === 0 ? 'load' : load.name} ${value}`,
  labelOf: ({ store, load, value }) => `${store} · ${load.name} at ${value}`,
  runner: async (context) => new (await import('./sweep-runner.ts')).SweepRunner(context),
  judge,
  aggregate: ({ config, stores }, records) => ({ curves: curvesOf(config, stores, records) }),
}

/** Refuse, before anything is sent, what a store cannot do at any value. */
function check({ config, stores }: StudySubject<SweepConfig>): void {
  const { operations } = config
  checkClients(config, settings(config).map(loopOf), stores)
  for (const setting of settings(config)) {
    checkWorkload(setting.workload, stores)
    checkThreads(setting.threads, { loop: loopOf(setting), operations }, stores)
  }
}

/** Bytes of the largest set of records. */
function leastBytes(config: SweepConfig): number {
  return Math.max(...settings(config).map(({ workload }) => recordsBytes(workload)))
}

function settings(config: SweepConfig): readonly Setting[] {
  const { loads, over } = config
  return loads.flatMap((load) => over.values.map((value) => settingOf(config, load, value)))
}
