import { type Bytes, type Entry, isEntry, type ReadResult, StoreError } from '@unikv/core'
import { isFrame, lengthIn } from './frame.ts'

/** A call may have this many times the bytes that the store gave: values of such growth are honest, of any length. */
const honestGrowth = 32

type Result = ReadResult<Bytes>

/**
 * Results of one call, with an error in the place of what would make all values together too long. The shortest values
 * come first, so that large ones spoil no others that are read with them.
 */
export function withinBudget<R extends Result>(
  results: readonly R[],
  { maxCallBytes, maxOutputBytes }: { readonly maxCallBytes: number; readonly maxOutputBytes: number },
): readonly (R | StoreError)[] {
  let told = 0
  let given = 0
  for (const result of results) {
    if (!isEntry(result)) continue
    given += result.value.length
    told += grownBytes(result, maxOutputBytes)
  }
  const budget = Math.max(maxCallBytes, honestGrowth * given)
  return told <= budget ? results : cut(results, budget, maxOutputBytes)
}

/** Bytes that a value takes besides its record; none for what is refused anyway. */
function grownBytes({ value }: Entry<Bytes>, maxOutputBytes: number): number {
  if (!isFrame(value)) return 0
  const length = lengthIn(value)
  return length > maxOutputBytes ? 0 : length
}

function cut<R extends Result>(
  results: readonly R[],
  budget: number,
  maxOutputBytes: number,
): readonly (R | StoreError)[] {
  const sizes = results.map((result) => (isEntry(result) ? grownBytes(result, maxOutputBytes) : 0))
  const refused = new Set<number>()
  let left = budget
  for (const i of Array.from(results.keys()).toSorted(
    (a, b) => (sizes[a] as number) - (sizes[b] as number),
  )) {
    left -= sizes[i] as number
    if (left < 0) refused.add(i)
  }
  return results.map((result, i) => (refused.has(i) ? tooMuch(budget) : result))
}

function tooMuch(budget: number): StoreError {
  return new StoreError(
    'VALUE_TOO_LARGE',
    `The values of this call have more than ${budget} bytes in total. Read fewer at a time, or raise maxCallBytes.`,
  )
}
