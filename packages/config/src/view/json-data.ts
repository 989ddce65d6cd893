import { limits } from '../tree/limits.ts'
import { type Trail, wrongAt } from '../tree/trail.ts'
import type { Data } from './data-kinds.ts'

/**
 * The data in a text with a type of several values, which is JSON. Numbers keep their digits.
 *
 * @throws {StoreError} `INVALID_CONFIG` if the text is not JSON of this type
 */
export function jsonData(trail: Trail, type: 'array' | 'object', text: string): Data {
  if (!isJson(text)) throw wrongAt(trail, `type="${type}" does not fit: its text is not JSON`)
  const value: unknown = JSON.parse(marked(text))
  if (typeof value === 'object' && value !== null && Array.isArray(value) === (type === 'array'))
    return unmarked(trail, value, 0)
  throw wrongAt(trail, `type="${type}" does not fit: its text is another kind of JSON`)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const [numberMark, textMark] = ['n', 's']

/** JSON in which numbers are texts with a mark, as reading them would change them, and so have texts and keys another mark. */
function marked(json: string): string {
  return json.replace(/"((?:[^"\\]|\\.)*)"|-?\d[\d.eE+-]*/g, (token, inside?: string) =>
    inside === undefined ? `"${numberMark}${token}"` : `"${textMark}${inside}"`,
  )
}

function unmarked(trail: Trail, value: unknown, depth: number): Data {
  if (depth > limits.depth) throw wrongAt(trail, `its JSON has more than ${limits.depth} levels`)
  if (typeof value === 'string')
    return value.startsWith(numberMark) ? { digits: value.slice(1), trail } : value.slice(1)
  if (Array.isArray(value)) return value.map((one) => unmarked(trail, one, depth + 1))
  if (typeof value !== 'object' || value === null) return value as Data
  const entries = Object.entries(value).map(
    ([key, one]) => [key.slice(1), unmarked(trail, one, depth + 1)] as const,
  )
  return new Map(entries)
}
