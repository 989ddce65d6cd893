import { type Data, isDataMap, isList, isNumberText } from './data-kinds.ts'

/**
 * JSON of a view, with all digits of its numbers.
 *
 * @param indent spaces for each level; 0 for one line
 */
export function jsonText(data: Data, indent = 0): string {
  return written(data, indent, '\n')
}

function written(data: Data, indent: number, line: string): string {
  if (isNumberText(data)) return data.digits
  const inner = line + ' '.repeat(indent)
  if (isList(data))
    return enclosed(
      '[]',
      data.map((one) => written(one, indent, inner)),
      indent,
      line,
    )
  if (!isDataMap(data)) return JSON.stringify(data)
  const colon = indent === 0 ? ':' : ': '
  const pairs = [...data].map(([key, value]) => JSON.stringify(key) + colon + written(value, indent, inner))
  return enclosed('{}', pairs, indent, line)
}

function enclosed(marks: string, parts: readonly string[], indent: number, line: string): string {
  const [open, close] = marks as unknown as [string, string]
  if (parts.length === 0) return marks
  if (indent === 0) return `${open}${parts.join(',')}${close}`
  const inner = line + ' '.repeat(indent)
  return `${open}${inner}${parts.join(`,${inner}`)}${line}${close}`
}
