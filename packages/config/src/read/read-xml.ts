import {
  parseXml,
  type XmlDeclaration,
  type XmlDocument,
  type XmlElement,
  type XmlNode,
  type XmlText,
} from '@rgrove/parse-xml'
import { type Element, element } from '../tree/element.ts'
import { limits } from '../tree/limits.ts'
import { isTag } from '../tree/names.ts'
import { textIn } from '../tree/trimmed.ts'
import { wrong } from '../tree/wrong.ts'
import { checkContent } from './check-content.ts'
import { Lines } from './lines.ts'
import { isDeeper } from './xml-depth.ts'

/**
 * The tree of an XML document. Comments and processing instructions are left out, and white space around a text does not
 * count.
 *
 * @param file for places
 * @throws {StoreError} `INVALID_CONFIG` if it is not well-formed, has a DOCTYPE, an entity of its own or namespaces, or text
 * beside elements
 */
export function readXml(text: string, file: string): Element {
  const document = parsed(text, file)
  const { root } = document
  const [declaration, doctype] = ['xmldecl', 'doctype'].map((type) =>
    document.children.find((node) => (node as XmlNode).type === type),
  )
  const lines = new Lines(text)
  if (doctype !== undefined)
    throw wrong(
      { file, line: lines.at((doctype as XmlNode).start) },
      'a document type (DOCTYPE) is not allowed. Remove it; entities other than &lt; &gt; &amp; &quot; &apos; do not exist here',
    )
  const { encoding } = (declaration ?? {}) as Partial<XmlDeclaration>
  if (encoding !== undefined && encoding !== null && !/^(utf-8|us-ascii)$/i.test(encoding))
    throw wrong({ file, line: 1 }, `the encoding ${encoding} is not read. Save the file in UTF-8`)
  return new Reader(file, lines).element(root as XmlElement, '')
}

function parsed(text: string, file: string): XmlDocument {
  if (isDeeper(text, limits.depth)) throw wrong({ file, line: 1 }, tooDeep)
  try {
    return parseXml(text, {
      includeOffsets: true,
      preserveDocumentType: true,
      preserveXmlDeclaration: true,
    })
  } catch (error) {
    const { message, line } = error as Error & { readonly line?: number }
    throw wrong({ file, line: line ?? 1 }, `it is not well-formed XML: ${withoutExcerpt(message)}`)
  }
}

const tooDeep = `the document has more than ${limits.depth} levels of elements`

/** The parser appends the place and the lines around it. */
function withoutExcerpt(message: string): string {
  return (message.split('\n')[0] as string).replace(/ \(line \d+, column \d+\)$/, '')
}

class Reader {
  readonly #file: string
  readonly #lines: Lines

  constructor(file: string, lines: Lines) {
    this.#file = file
    this.#lines = lines
  }

  element(node: XmlElement, above: string): Element {
    const place = { file: this.#file, line: this.#lines.at(node.start) }
    const tag = node.name
    const path = above === '' ? tag : `${above}/${tag}`
    for (const name of [tag, ...Object.keys(node.attributes)])
      if (!isTag(name))
        throw wrong(
          place,
          `'${name}' has a colon or is a namespace. Namespaces are not part of the language`,
          path,
        )
    const attributes = new Map(Object.entries(node.attributes))
    if (attributes.has('xmlns'))
      throw wrong(place, 'namespaces are not part of the language. Remove xmlns', path)
    const children = node.children.filter((child) => child.type === 'element')
    const parts = {
      tag,
      place,
      attributes,
      text: textIn(textOf(node)),
      children: children.map((child) => this.element(child as XmlElement, path)),
    }
    checkContent(parts, path)
    return element(parts)
  }
}

/** The text of a node, without what stands in elements. */
function textOf({ children }: XmlElement): string {
  return children.flatMap((child) => (child.type === 'text' ? [(child as XmlText).text] : [])).join('')
}
