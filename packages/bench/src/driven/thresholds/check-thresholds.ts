import { StoreError } from '@unikv/core'
import type { Threshold } from './threshold.ts'

/**
 * @param hasChecks whether reads are checked
 * @throws {StoreError} `INVALID_ARGUMENT` for a threshold about something that the workload does not have
 */
export function checkThresholds(
  thresholds: readonly Threshold[],
  operations: readonly string[],
  hasChecks: boolean,
): void {
  const idle = thresholds.find(({ operation }) => operation !== null && !operations.includes(operation))
  if (idle !== undefined)
    throw wrong(
      idle,
      `is about an operation that the workload does not have; it has ${operations.join(', ')}`,
    )
  const unchecked = thresholds.find(({ metric }) => metric === 'wrong')
  if (unchecked !== undefined && !hasChecks) throw wrong(unchecked, 'needs reads that are checked (--check)')
}

function wrong({ text }: Threshold, why: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', `The threshold '${text}' ${why}.`)
}
