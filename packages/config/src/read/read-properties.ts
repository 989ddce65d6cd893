import { type Pair, parseLines } from 'dot-properties'
import { type Element, element } from '../tree/element.ts'
import { taggedBy } from '../tree/names.ts'
import { wrong } from '../tree/wrong.ts'
import { Lines } from './lines.ts'
import { rootTag } from './root-tag.ts'

/**
 * The tree of a properties file: an element for each key.
 *
 * @throws {StoreError} `INVALID_CONFIG` if a key is there twice
 */
export function readProperties(text: string, file: string): Element {
  const lines = new Lines(text)
  const seen = new Set<string>()
  const pairs = parseLines(text, true).filter(({ type }) => type === 'PAIR') as unknown as Required<Pair>[]
  const children = pairs.map(({ key, value, range }) => {
    const place = { file, line: lines.at(range[0]) }
    if (seen.has(key)) throw wrong(place, `the key ${key} is there twice`)
    seen.add(key)
    return element({ ...taggedBy(key), place, text: value === '' ? undefined : value })
  })
  return element({ tag: rootTag, place: { file, line: 1 }, children })
}
