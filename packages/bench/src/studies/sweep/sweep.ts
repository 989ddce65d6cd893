import { workloadSources } from '../../driven/given/sources.ts'
import { option } from '../../options/option.ts'
import type { Study } from '../../study/study.ts'
import { check, checkData, leastBytes } from './check.ts'
import { type SweepConfig, sweepConfigSchema } from './config.ts'
import { configure } from './configure.ts'
import { curvesOf, type SweepRecord } from './curves.ts'
import { judge } from './judge.ts'
import { planSweep, type SweepCell } from './plan.ts'
import { report } from './report/report.ts'
import { type SweepBody, sweepBodyShape } from './result.ts'

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
  points: (config, data) => {
    checkData(config, data)
    return []
  },
  check,
  leastBytes,
  plan: planSweep,
  nameOf: ({ store, load, value, run }) => `${store} ${run === 0 ? 'load' : load.name} ${value}`,
  leastMsOf: () => 0,
  labelOf: ({ store, load, value }) => `${store} · ${load.name} at ${value}`,
  runner: async (context) => {
    const { SweepRunner } = await import('./sweep-runner.ts')
    return new SweepRunner(context)
  },
  judge,
  aggregate: ({ config, stores }, records) => ({ curves: curvesOf(config, stores, records) }),
}
