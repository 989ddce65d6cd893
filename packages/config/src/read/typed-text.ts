import type { Scalar } from 'yaml'
import { jsonNumber } from '../tree/numbers.ts'
import { type Place, wrong } from '../tree/wrong.ts'

/** A scalar of YAML or JSON as text, with the type that brings it back. */
export interface TypedText {
  readonly text?: string | undefined
  readonly type?: 'number' | 'bool' | undefined
}

/**
 * The text of a scalar. Digits of numbers stay as they are written.
 *
 * @throws {StoreError} `INVALID_CONFIG` for numbers without digits, and for other kinds of scalars
 */
export function typedText({ value, source = '' }: Scalar, place: Place): TypedText {
  if (value === null) return {}
  if (typeof value === 'boolean') return { text: String(value), type: 'bool' }
  if (typeof value === 'number' || typeof value === 'bigint') {
    const text = jsonNumber.test(source) ? source : String(value)
    if (jsonNumber.test(text)) return { text, type: 'number' }
    throw wrong(place, 'the number has no digits. Put it in quotes if it is a text')
  }
  if (typeof value !== 'string')
    throw wrong(place, 'a value of this kind cannot stand here. Put it in quotes')
  if (!value.isWellFormed()) throw wrong(place, 'the text holds half of a character (a lone surrogate)')
  return { text: value }
}
