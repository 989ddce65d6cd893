import type { CurvePoint } from './result.ts'

/** Whether every operation failed: then the throughput is missing, not zero. */
export function isMissing({ rate, errors }: Pick<CurvePoint, 'rate' | 'errors'>): boolean {
  return rate.mean === 0 && errors > 0
}
