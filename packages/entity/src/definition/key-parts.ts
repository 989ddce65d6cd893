import { kindOf, StoreError } from '@unikv/core/adapter'
import { type KeyPart, tupleKey } from '@unikv/core/keys'

const tuple = tupleKey()

/**
 * A value that may stand in a key.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for anything else than a well-formed text, a number or a boolean
 */
export function keyPartOf(whose: string, property: string, value: unknown): KeyPart {
  if (isKeyPart(value)) return value
  if (typeof value === 'string')
    throw new StoreError(
      'INVALID_ARGUMENT',
      `\`${property}\` of ${whose} holds a lone surrogate, half of a character.`,
    )
  const got = typeof value === 'number' ? 'NaN' : kindOf(value)
  throw new StoreError(
    'INVALID_ARGUMENT',
    `\`${property}\` of ${whose} must be a text, a number or a boolean, got ${got}.`,
  )
}

/** Whether a value may stand in a key. */
export function isKeyPart(value: unknown): value is KeyPart {
  if (typeof value === 'string') return value.isWellFormed()
  return typeof value === 'boolean' || (typeof value === 'number' && !Number.isNaN(value))
}

/** The values of these properties, each fit for a key. */
export function keyPartsOf(whose: string, properties: readonly string[], from: unknown): readonly KeyPart[] {
  if (Object(from) !== from || Array.isArray(from))
    throw new StoreError(
      'INVALID_ARGUMENT',
      `${whose[0]?.toUpperCase()}${whose.slice(1)} must be an object with ${properties.map((name) => `\`${name}\``).join(', ')}, got ${kindOf(from)}.`,
    )
  const values = from as Readonly<Record<string, unknown>>
  return properties.map((property) => keyPartOf(whose, property, values[property]))
}

/** Parts as text, in the order of parts; nothing is the empty text. */
export function textOf(parts: readonly KeyPart[]): string {
  return parts.length === 0 ? '' : tuple.encode(parts)
}

/** The parts of such a text. */
export function partsOf(text: string): readonly KeyPart[] {
  return text === '' ? [] : tuple.decode(text)
}
