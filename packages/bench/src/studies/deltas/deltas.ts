import { sizePoints } from '../../data/data-source.ts'
import { aboutSize, formatSize } from '../../data/size-list.ts'
import { wrong } from '../../study/faults.ts'
import type { Study, StudySubject } from '../../study/study.ts'
import { type DeltaRecord, deltasBody } from './aggregate.ts'
import { type DeltasConfig, deltasConfigSchema } from './config.ts'
import { type DeltaCell, type DeltasBody, deltasBodyShape, planDeltas } from './plan.ts'
import { report } from './report/report.ts'
import { deltaWay } from './ways.ts'

/**
 * Updates and reads of stores with and without the delta layer, by size, kind of edit and share, and where deltas pay.
 */
export const deltas: Study<DeltasConfig, DeltaCell, DeltaRecord, DeltasBody> = {
  name: 'deltas',
  config: deltasConfigSchema,
  formatVersion: 2,
  body: deltasBodyShape,
  report,
  points: sizePoints,
  check,
  plan: planDeltas,
  nameOf: ({ point, store, edit, share }) => `${point} ${store} ${edit} ${share}`,
  labelOf: ({ store, edit }) => `${store}, ${edit}`,
  runner: async (context) => new (await import('./updates-runner.ts')).UpdatesRunner(context),
  aggregate: deltasBody,
}

/** Refuse, before anything is sent, what could only fail later. */
function check({ config, stores, points }: StudySubject<DeltasConfig>): void {
  const largest = Math.max(...points.map(({ range }) => range[1]))
  const needed = config.edits.includes('append') ? 2 * largest : largest
  for (const { name, store } of stores) {
    const { writer } = deltaWay({ store, runId: 'check', timeoutMs: config.timeoutMs }, config.maxDeltas)
    const { maxValueBytes } = writer.keys.capabilities
    if (needed <= maxValueBytes) continue
    const how = needed > largest ? `, which grow to ${aboutSize(needed)} by append,` : ''
    const message = `Values of ${formatSize(largest)}${how} are too large for ${name} with deltas, which allows ${formatSize(maxValueBytes)}.`
    throw wrong(message)
  }
}
