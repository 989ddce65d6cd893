import type { Bytes } from '@unikv/core'
import { corrupt, StoreError } from '@unikv/core/adapter'
import type { AnyEntityType } from '../definition/entity-type.ts'

/**
 * The number after the one that a counter holds: from 1.
 *
 * @throws {StoreError} `CORRUPT` if it is not a counter, `INVALID_VALUE` after the last safe integer
 */
export function nextNumber({ name, generated }: AnyEntityType, stored: Bytes | undefined): number {
  const text = stored === undefined ? '0' : Buffer.from(stored).toString('latin1')
  const next = Number(text) + 1
  if (!/^\d{1,16}$/.test(text)) throw corrupt(`The counter of \`${generated}\` of ${name}`, 'is not a number')
  if (Number.isSafeInteger(next)) return next
  const message = `${name} has no number left for \`${generated}\`: the largest safe integer was given already. Nothing was created.`
  throw new StoreError('INVALID_VALUE', message, { operation: 'create' })
}

/** A number as a counter holds it. */
export function counterOf(number: number): Bytes {
  return Buffer.from(String(number))
}
