import { stringify } from 'dot-properties'
import type { Element } from '../tree/element.ts'
import { keyOf } from '../tree/names.ts'
import { dataOf } from './data.ts'
import { type Data, isDataMap, isList, isNumberText } from './data-kinds.ts'

/** Properties of an element: a line for each value, with the keys above it joined by points. */
export function propertiesText(root: Element): string {
  const data = dataOf(root)
  const lines = isDataMap(data) || isList(data) ? [...linesOf('', data)] : [[keyOf(root), textOf(data)]]
  // Without folding: each value is one line.
  const text = stringify(lines, { keySep: '=', lineWidth: Number.MAX_SAFE_INTEGER })
  // Java reads these files as Latin-1, others as UTF-8.
  return `${text.replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
}

function* linesOf(above: string, data: Data): Iterable<[string, string]> {
  const inner = isList(data)
    ? data.map((one, at) => [String(at), one] as const)
    : isDataMap(data)
      ? [...data]
      : undefined
  if (inner === undefined) yield [above, textOf(data)]
  else for (const [key, value] of inner) yield* linesOf(above === '' ? key : `${above}.${key}`, value)
}

function textOf(data: Data): string {
  if (isNumberText(data)) return data.digits
  if (typeof data === 'string') return data
  return typeof data === 'boolean' ? String(data) : ''
}
