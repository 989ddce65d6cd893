import type { Given } from '../../options/option.ts'
import type { Study } from '../../study/study.ts'
import { aggregate } from './aggregate.ts'
import { check } from './check.ts'
import { type OverheadConfig, overheadConfigSchema } from './config.ts'
import { checkLayers } from './layers.ts'
import type { OverheadRecord } from './overhead-runner.ts'
import { type OverheadCell, plan } from './plan.ts'
import { report } from './report/report.ts'
import { type OverheadBody, overheadBodyShape } from './result.ts'

/** The cost of unikv beside the native client of a store, operation by operation, as the number of records grows. */
export const overhead: Study<OverheadConfig, OverheadCell, OverheadRecord, OverheadBody> = {
  name: 'overhead',
  config: overheadConfigSchema,
  configure: async (config: Given<typeof overheadConfigSchema>) => {
    if (config.layers !== undefined) await checkLayers(config.layers)
    return { config, warnings: [] }
  },
  formatVersion: 2,
  removesRecords: true,
  body: overheadBodyShape,
  report,
  points: () => [],
  check,
  plan,
  nameOf: ({ store, volume, measured }) =>
    `${store} ${volume} ${measured?.operation ?? 'load'} ${measured?.side ?? ''}`,
  leastMsOf: () => 0,
  labelOf: ({ store, volume, measured }) =>
    measured === null
      ? `${store} · ${volume} records`
      : `${store} · ${measured.operation} by ${measured.side}`,
  runner: async (context) => {
    const { OverheadRunner } = await import('./overhead-runner.ts')
    return new OverheadRunner(context)
  },
  aggregate,
}
