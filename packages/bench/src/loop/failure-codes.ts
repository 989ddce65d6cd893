import { isStoreError } from '@unikv/core'
import { isError } from '@unikv/core/platform'
import { firstCause } from './first-cause.ts'

/** Failures of one kind of operation by the codes of their errors. */
export type FailureCodes = Readonly<Record<string, number>>

/** Codes may be anything that an operation of a user throws. */
const mostCodes = 50
const longestCode = 60
const others = 'others'

/** Count a failure by the code of its error, such as `TIMEOUT`; without one by its name, such as `TypeError`. */
export function countCode(counts: Map<string, number>, error: unknown): void {
  const code = failureCode(error)
  const counted = counts.has(code) || counts.size < mostCodes ? code : others
  counts.set(counted, (counts.get(counted) ?? 0) + 1)
}

/** The code of an error, or its name. A batch has that of the first item that failed. */
export function failureCode(error: unknown): string {
  const cause = firstCause(error)
  if (isStoreError(cause)) return cause.code
  if (!isError(cause)) return typeof cause
  const { code } = cause as NodeJS.ErrnoException
  return (typeof code === 'string' && code !== '' ? code : cause.name).slice(0, longestCode)
}

/** The same codes together. */
export function addedCodes(parts: readonly FailureCodes[]): FailureCodes {
  const sums = new Map<string, number>()
  for (const [code, count] of parts.flatMap(Object.entries)) sums.set(code, (sums.get(code) ?? 0) + count)
  return Object.fromEntries(sums)
}
