import { StoreError } from '@unikv/core'
import { kindOf } from '@unikv/core/adapter'

/** An object without the keys that are `undefined`: they mean the same as keys that are left out, and hide no default. */
export function defined<T extends object>(given: T): Partial<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>
}

/**
 * Refuse what is neither `true` nor `false`, since texts such as `'false'` would count as true. `undefined` passes.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkFlag(option: string, value: unknown): void {
  if (value === undefined || typeof value === 'boolean') return
  throw new StoreError('INVALID_CONFIG', `${option} must be true or false; got ${kindOf(value)}.`)
}

/** The numbers that a count may be. */
interface CountRange {
  readonly least: number
  /** Whether `Infinity`, which means without limit, is one of them. @default false */
  readonly isEndless?: boolean
}

/**
 * Refuse counts that are not whole numbers of at least so much. Those that are `undefined` pass.
 *
 * @param whose the function that has the options, such as `populate`
 * @throws {StoreError} `INVALID_CONFIG` naming the option
 */
export function checkCounts(
  whose: string,
  counts: Readonly<Record<string, unknown>>,
  { least, isEndless = false }: CountRange,
): void {
  for (const [name, count] of Object.entries(counts)) {
    if (count === undefined || (isEndless && count === Infinity)) continue
    if (Number.isSafeInteger(count) && (count as number) >= least) continue
    const got = typeof count === 'number' ? String(count) : kindOf(count)
    throw new StoreError(
      'INVALID_CONFIG',
      `${name} of ${whose}() must be a whole number of at least ${least}, got ${got}.`,
    )
  }
}
