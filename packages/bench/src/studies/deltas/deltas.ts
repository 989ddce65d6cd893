import { sizePoints } from '../../data/size-points.ts'
import type { Study } from '../../study/study.ts'
import { type DeltaRecord, deltaPoints } from './aggregate.ts'
import { check } from './check.ts'
import { type DeltasConfig, deltasConfigSchema } from './config.ts'
import { type DeltaCell, deltaCellName, planDeltas } from './plan.ts'
import { report } from './report/report.ts'
import { type DeltasBody, deltasBodyShape } from './result.ts'

/**
 * Updates and reads of stores with and without the delta layer, by size, kind of edit and share, and where deltas pay.
 */
export const deltas: Study<DeltasConfig, DeltaCell, DeltaRecord, DeltasBody> = {
  name: 'deltas',
  config: deltasConfigSchema,
  formatVersion: 1,
  body: deltasBodyShape,
  report,
  points: sizePoints,
  check,
  plan: ({ config, points, stores }) =>
    planDeltas(
      config,
      points.length,
      stores.map(({ name }) => name),
    ),
  nameOf: deltaCellName,
  leastMsOf: () => 0,
  labelOf: ({ store, edit }) => `${store}, ${edit}`,
  runner: async (context) => {
    const { UpdatesRunner } = await import('./updates-runner.ts')
    return new UpdatesRunner(context)
  },
  aggregate: ({ config, points, stores }, records) => ({
    points: deltaPoints(
      config,
      points.map(({ size }) => size),
      stores.map(({ name }) => name),
      records,
    ),
  }),
}
