import type { CurvePoint } from './result.ts'

/** Whether every operation failed: that is no throughput of zero, but none that was measured. */
export function isMissing({ rate, errors }: Pick<CurvePoint, 'rate' | 'errors'>): boolean {
  return rate.mean === 0 && errors > 0
}
