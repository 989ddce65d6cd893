import { StoreError } from '@unikv/core'
import type { DataSource } from '../../data/data-source.ts'
import { formatSize } from '../../data/size-list.ts'
import { checkThresholds } from '../../driven/thresholds/check-thresholds.ts'
import { builtIn } from '../../operations/kinds.ts'
import { mixOf } from '../../operations/workload.ts'
import type { StudySubject } from '../../study/study.ts'
import type { ReplayConfig } from './config.ts'

/** Refuse, before anything is sent, what a store cannot do. */
export function check({ config, stores }: StudySubject<ReplayConfig>): void {
  const { trace, failIf } = config
  const operations = mixOf(trace).map(([operation]) => operation)
  checkThresholds(failIf, operations, false)
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
export function checkData({ trace }: ReplayConfig, { largestBytes = Infinity }: DataSource): void {
  const [, most] = trace.sizes
  if (most <= largestBytes) return
  const message = `The data holds ${largestBytes} bytes, too few for the values of ${formatSize(most)} in the trace. Use more data; it is not padded.`
  throw new StoreError('INVALID_ARGUMENT', message)
}

function tooLarge(name: string, largest: number, most: number): StoreError {
  const message = `The trace has values of ${formatSize(largest)}, too large for ${name}, which allows ${formatSize(most)}.`
  return new StoreError('INVALID_ARGUMENT', message)
}
