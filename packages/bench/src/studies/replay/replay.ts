import { judgeDriven } from '../../driven/judge.ts'
import { type DrivenCell, planRuns } from '../../driven/plan.ts'
import { type DrivenBody, drivenBodyShape } from '../../driven/result.ts'
import { type DrivenRecord, drivenBody } from '../../driven/target-results.ts'
import type { Study } from '../../study/study.ts'
import { check, checkData } from './check.ts'
import { type ReplayConfig, replayConfigSchema } from './config.ts'
import { configure } from './configure.ts'
import { report } from './report/report.ts'

/** A recorded trace over one or more stores, at its times, faster, or as fast as the stores can. */
export const replay: Study<ReplayConfig, DrivenCell, DrivenRecord, DrivenBody> = {
  name: 'replay',
  config: replayConfigSchema,
  configure,
  formatVersion: 1,
  body: drivenBodyShape,
  report,
  points: (config, data) => {
    checkData(config, data)
    return []
  },
  check,
  // Each run loads its own records, so run 0, which only loads, is left out.
  plan: ({ config, stores }) => planRuns(config.runs, stores).filter(({ run }) => run > 0),
  nameOf: ({ store }) => store,
  leastMsOf: (_cell, { speed, trace }) => (speed === 'max' ? 0 : (trace.lengthMs ?? 0) / speed),
  labelOf: ({ store }) => store,
  runner: async (context) => {
    const { ReplayRunner } = await import('./replay-runner.ts')
    return new ReplayRunner(context)
  },
  judge: judgeDriven,
  aggregate: ({ config, stores }, records) => drivenBody(stores, config.failIf, records),
}
