import type { Element } from '../tree/element.ts'
import { trimmed } from '../tree/trimmed.ts'
import { wrong } from '../tree/wrong.ts'

/**
 * XML of an element, with its declaration. Reading it gives the same tree; a text with white space around it becomes an
 * attribute `value`.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a character that XML does not have
 */
export function xmlText(root: Element): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${written(root, '')}\n`
}

function written(own: Element, indent: string): string {
  const { tag, children } = own
  const { attributes, text } = inXml(own)
  const start = `${indent}<${tag}${attributes.map(([name, value]) => ` ${name}="${escaped(own, value)}"`).join('')}`
  if (children.length > 0) {
    const inner = children.map((child) => written(child, `${indent}  `))
    return `${start}>\n${inner.join('\n')}\n${indent}</${tag}>`
  }
  return text === undefined ? `${start}/>` : `${start}>${escaped(own, text, false)}</${tag}>`
}

/** A text that XML would not give back stands in the attribute `value`. */
function inXml({ attributes, text }: Element): {
  readonly attributes: readonly (readonly [string, string])[]
  readonly text: string | undefined
} {
  if (text === undefined || (text !== '' && trimmed(text) === text))
    return { attributes: [...attributes], text }
  return { attributes: [...attributes, ['value', text]], text: undefined }
}

const marks: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }
const invalid = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u

/** A reader of XML would change line ends in attributes, and carriage returns. */
function escaped({ place, tag }: Element, text: string, isAttribute = true): string {
  if (invalid.test(text)) throw wrong(place, `<${tag}> has a character that XML does not have`)
  const pattern = isAttribute ? /[<>&"\t\n\r]/g : /[<>&\r]/g
  return text.replace(pattern, (mark) => marks[mark] ?? `&#${mark.charCodeAt(0)};`)
}
