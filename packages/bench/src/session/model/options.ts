import { invalidConfig, kindOf } from '@unikv/core/adapter'
import type { Share } from '../../drive/share.ts'

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
  throw invalidConfig(`${option} must be true or false; got ${kindOf(value)}.`)
}

/**
 * Refuse counts that are not whole numbers of at least so much. Those that are `undefined` pass.
 *
 * @param whose the function that has the options, such as `populate`
 * @param isEndless whether `Infinity`, which means without limit, is right, too
 * @throws {StoreError} `INVALID_CONFIG` naming the option
 */
export function checkCounts(
  whose: string,
  counts: Readonly<Record<string, unknown>>,
  least: number,
  isEndless = false,
): void {
  for (const [name, count] of Object.entries(counts)) {
    if (count === undefined || (isEndless && count === Infinity)) continue
    if (Number.isSafeInteger(count) && (count as number) >= least) continue
    const got = typeof count === 'number' ? String(count) : kindOf(count)
    throw invalidConfig(`${name} of ${whose}() must be a whole number of at least ${least}, got ${got}.`)
  }
}

/**
 * Refuse what is not a part of a run: its number must be below that of the parts.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkShare(whose: string, share: Share | undefined): void {
  if (share === undefined) return
  const { index, of } = Object(share) as Share
  if (Number.isSafeInteger(index) && Number.isSafeInteger(of) && index >= 0 && index < of) return
  const got = typeof share === 'object' ? JSON.stringify({ index, of }) : kindOf(share)
  throw invalidConfig(
    `share of ${whose}() must be { index, of }, whole numbers with an index from 0 to below \`of\`; got ${got}.`,
  )
}
