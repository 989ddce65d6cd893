import { type Bytes, type Feature, type Store, StoreError, supports } from '@unikv/core'
import type { DataSource } from '../data/data-source.ts'
import { formatSize } from '../data/size-list.ts'
import { builtIn } from '../operations/kinds.ts'
import { mixOf } from '../operations/mix.ts'
import type { Workload } from '../operations/workload.ts'
import { invalidArgument } from '../options/invalid.ts'
import type { StoreTarget } from '../run/target.ts'
import { greatestLength, leastMeanLength } from '../values/length-law.ts'

/**
 * Refuse operations and values that a store cannot take, before anything is sent.
 *
 * @throws {StoreError} `UNSUPPORTED` or `INVALID_ARGUMENT`
 */
export function checkWorkload(workload: Workload, stores: readonly StoreTarget[]): void {
  checkBatch(workload)
  const largest = greatestLength(workload.values)
  for (const { name, store } of stores) {
    for (const [operation] of mixOf(workload)) {
      const missing = missingOf(operation, workload, store)
      if (missing !== undefined)
        throw new StoreError('UNSUPPORTED', `${name} cannot do the operation ${operation}: ${missing}.`)
    }
    const { maxValueBytes } = store.capabilities
    if (largest > maxValueBytes)
      throw invalidArgument(
        `Values of ${formatSize(largest)} are too large for ${name}, which allows ${formatSize(maxValueBytes)}.`,
      )
  }
}

/** Why a store cannot do an operation. */
function missingOf(operation: string, { module }: Workload, store: Store<Bytes>): string | undefined {
  const own = module?.operations.find(({ name }) => name === operation)
  if (own === undefined) return builtIn(operation)?.missing?.(store.capabilities)
  const needed = own.needs.find((feature) => !supports(store, feature as Feature))
  return needed === undefined ? undefined : `it needs ${needed}`
}

/** The records of a batch are different ones. */
function checkBatch({ batch, records, mix }: Workload): void {
  const share = (mix['batch-read'] ?? 0) + (mix['batch-write'] ?? 0)
  if (share === 0 || batch <= records) return
  const message = `A batch of ${batch} needs as many records, but there are ${records}. Use --batch or --records.`
  throw invalidArgument(message)
}

/**
 * The largest value that a workload may write.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if the data cannot give it
 */
export function largestValue({ values }: Workload, { largestBytes = Infinity }: DataSource): number {
  const largest = greatestLength(values)
  if (largest <= largestBytes) return largest
  const message = `The data holds ${largestBytes} bytes, too few for values of ${formatSize(largest)}. Use more data or smaller values; data is not padded.`
  throw invalidArgument(message)
}

/** Bytes that the records of a workload take at least. */
export function recordsBytes({ records, values }: Pick<Workload, 'records' | 'values'>): number {
  return records * leastMeanLength(values)
}
