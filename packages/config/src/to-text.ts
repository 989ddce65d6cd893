import { StoreError } from '@unikv/core'
import type { Document } from './document.ts'
import type { Element } from './tree/element.ts'
import { dataOf } from './view/data.ts'
import { jsonText } from './view/json-text.ts'
import { plainData } from './view/plain-data.ts'
import { propertiesText } from './view/properties-text.ts'
import { xmlText } from './view/xml-text.ts'
import { yamlText } from './view/yaml-text.ts'

/** The formats that a document is written in. */
export type TextFormat = 'xml' | 'json' | 'yaml' | 'properties'

const writers: Readonly<Record<TextFormat, (root: Element) => string>> = {
  xml: xmlText,
  json: (root) => `${jsonText(dataOf(root))}\n`,
  yaml: (root) => yamlText(dataOf(root)),
  properties: propertiesText,
}

/** The names of the formats. */
export const textFormats: readonly TextFormat[] = Object.keys(writers) as TextFormat[]

/**
 * A document, or one element of it, as plain data: keys are names or tags, and `type` makes numbers, booleans, lists and
 * objects of texts.
 *
 * @throws {StoreError} `INVALID_CONFIG` if a type does not fit, or a number has more digits than JavaScript can hold
 */
export function toJson(of: Document | Element): unknown {
  return plainData(rootOf(of))
}

/**
 * A document, or one element of it, as text that ends with a line end. XML is the tree, the other formats are the data of
 * `toJson`, with all digits of numbers. JSON is one line.
 *
 * @throws {StoreError} `INVALID_CONFIG` if a type does not fit, or XML does not have a character; `INVALID_ARGUMENT` for
 * another format
 */
export function toText(of: Document | Element, format: TextFormat): string {
  if (Object.hasOwn(writers, format)) return writers[format](rootOf(of))
  throw new StoreError('INVALID_ARGUMENT', `The format must be ${textFormats.join(', ')}.`)
}

function rootOf(of: Document | Element): Element {
  return 'root' in of ? of.root : of
}
