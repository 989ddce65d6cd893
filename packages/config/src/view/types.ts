import { type Trail, wrongAt } from '../tree/trail.ts'
import { instead } from '../tree/wrong.ts'

/** The kinds of values that an attribute `type` makes in the JSON view. */
export type ValueType = 'number' | 'bool' | 'text' | 'array' | 'object'

const types: readonly ValueType[] = ['number', 'bool', 'text', 'array', 'object']

/**
 * The type that an element has been given.
 *
 * @throws {StoreError} `INVALID_CONFIG` for another word
 */
export function typeOf(trail: Trail): ValueType | undefined {
  const text = trail.element.attributes.get('type')
  if (text === undefined) return undefined
  const type = types.find((one) => one === text.trim())
  if (type !== undefined) return type
  throw wrongAt(trail, `type="${text}" is not known. ${instead(text, types)}`)
}
