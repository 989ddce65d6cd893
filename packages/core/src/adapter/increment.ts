import type { Bytes } from '../contract/bytes.ts'
import { StoreError } from '../contract/errors.ts'
import type { IncrementMutation } from '../contract/store.ts'

/**
 * The number after an increment of a counter's body (decimal text; `undefined`: no record), or the error for a
 * body that is not a counter or a result that is not a safe integer. For stores that compute it on the client's side
 * inside one atomic step.
 */
export function incremented(
  body: Bytes | undefined,
  { by, initial, key }: IncrementMutation,
): number | StoreError {
  const present = body === undefined ? initial : counterOf(body)
  if (present === undefined)
    return new StoreError(
      'INVALID_VALUE',
      'The record is not a counter: its value is not a safe integer in decimal.',
      { key },
    )
  const value = present + by
  if (Number.isSafeInteger(value)) return value
  return new StoreError(
    'INVALID_VALUE',
    'The counter would leave the range of safe integers; nothing was changed.',
    { key },
  )
}

/** The number of a counter's body, or `undefined` if it is none. */
function counterOf(body: Bytes): number | undefined {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')
  if (!/^(0|-?[1-9][0-9]{0,15})$/.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : undefined
}
