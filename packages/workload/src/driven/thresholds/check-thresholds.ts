import { StoreError } from '@unikv/core'
import type { OperationName } from '../../operations.ts'
import type { Threshold } from './threshold.ts'

/** @throws {StoreError} `INVALID_ARGUMENT` for a threshold about an operation that is not among these */
export function checkThresholds(
  thresholds: readonly Threshold[],
  operations: readonly OperationName[],
): void {
  const idle = thresholds.find(({ operation }) => operation !== null && !operations.includes(operation))
  if (idle === undefined) return
  const message = `The threshold '${idle.text}' is about an operation that the workload does not have; it has ${operations.join(', ')}.`
  throw new StoreError('INVALID_ARGUMENT', message)
}
