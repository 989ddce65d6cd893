import { StoreError } from '@unikv/core'
import type { StudySubject } from '@unikv/workload'
import { type DataSource, formatSize } from '@unikv/workload/data'
import { checkThreads } from '@unikv/workload/drive'
import { checkThresholds } from '@unikv/workload/driven'
import { mixOf, operationKinds } from '@unikv/workload/operations'
import { greatestLength } from '@unikv/workload/values'
import type { RunConfig } from './config.ts'

/** Refuse, before anything is sent, what a store cannot do. */
export function check({ config, stores }: StudySubject<RunConfig>): void {
  const { workload, failIf, operations: most } = config
  checkThreads(config.threads, { loop: config, operations: most }, stores)
  const operations = mixOf(workload).map(([operation]) => operation)
  checkThresholds(failIf, operations)
  const largest = greatestLength(workload.values)
  for (const { name, store } of stores) {
    for (const operation of operations) {
      const missing = operationKinds[operation].missing?.(store.capabilities)
      if (missing !== undefined)
        throw new StoreError('UNSUPPORTED', `${name} cannot do the operation ${operation}: ${missing}.`)
    }
    const { maxValueBytes } = store.capabilities
    if (largest > maxValueBytes) throw tooLarge(name, largest, maxValueBytes)
  }
}

/**
 * The largest value that the workload may write.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if the data cannot give it
 */
export function largestValue({ workload }: RunConfig, { largestBytes = Infinity }: DataSource): number {
  const largest = greatestLength(workload.values)
  if (largest <= largestBytes) return largest
  const message = `The data holds ${largestBytes} bytes, too few for values of ${formatSize(largest)}. Use more data or smaller values; data is not padded.`
  throw new StoreError('INVALID_ARGUMENT', message)
}

function tooLarge(name: string, largest: number, most: number): StoreError {
  const message = `Values of ${formatSize(largest)} are too large for ${name}, which allows ${formatSize(most)}.`
  return new StoreError('INVALID_ARGUMENT', message)
}
