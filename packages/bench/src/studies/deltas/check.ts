import { StoreError } from '@unikv/core'
import { aboutSize, formatSize } from '../../data/size-list.ts'
import type { StudySubject } from '../../study/study.ts'
import type { DeltasConfig } from './config.ts'
import { deltaWay } from './ways.ts'

/** Refuse, before anything is sent, what could only fail later. */
export function check({ config, stores, points }: StudySubject<DeltasConfig>): void {
  const largest = Math.max(...points.map(({ range }) => range[1]))
  const needed = config.edits.includes('append') ? 2 * largest : largest
  for (const { name, store } of stores) {
    const { writer } = deltaWay({ store, runId: 'check', timeoutMs: config.timeoutMs }, config.maxDeltas)
    const { maxValueBytes } = writer.keys.capabilities
    if (needed <= maxValueBytes) continue
    const how = needed > largest ? `, which grow to ${aboutSize(needed)} by append,` : ''
    const message = `Values of ${formatSize(largest)}${how} are too large for ${name} with deltas, which allows ${formatSize(maxValueBytes)}.`
    throw new StoreError('INVALID_ARGUMENT', message)
  }
}
