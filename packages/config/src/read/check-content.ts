import type { ElementParts } from '../tree/element.ts'
import { wrong } from '../tree/wrong.ts'

/**
 * Check that an element has one content: text, a value, or children.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkContent({ place, text, attributes, children = [] }: ElementParts, path: string): void {
  const hasValue = attributes?.has('value') === true
  if (text !== undefined && children.length > 0)
    throw wrong(
      place,
      'it has text beside elements, which no rule reads. Put the text into an element of its own',
      path,
    )
  if (hasValue && (text !== undefined || children.length > 0))
    throw wrong(place, 'it has both a value and a content. Remove one of them', path)
}
