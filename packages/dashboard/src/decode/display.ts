import { types } from 'node:util'

/** Longest text of a value, in characters. */
export const mostText = 1_048_576

/** Stands for all that does not fit. */
const cutMark = '"… more than is shown"'

/** Levels of a value that are shown. */
const mostDepth = 200

/**
 * A value as JSON for people, with what JSON cannot say in words: bytes as hexadecimal digits, times as ISO 8601. It ends where it is
 * too long or too deep, so a value that refers to itself does no harm.
 */
export function displayOf(value: unknown): string {
  const parts: string[] = []
  const budget = { left: mostText }
  write(value, 1, budget, parts)
  return parts.join('')
}

interface Budget {
  left: number
}

function write(value: unknown, depth: number, budget: Budget, parts: string[]): void {
  const put = (text: string): void => {
    budget.left -= text.length
    parts.push(text)
  }
  const plain = plainText(value)
  if (plain !== undefined) return put(plain)
  if (depth > mostDepth) return put('"… deeper than is shown"')
  const indent = `\n${'  '.repeat(depth)}`
  const isList = Array.isArray(value) || types.isSet(value)
  const entries = isList ? valuesOf(value) : entriesOf(value as object)
  put(isList ? '[' : '{')
  let count = 0
  for (const [name, one] of entries) {
    put(count === 0 ? indent : `,${indent}`)
    count += 1
    if (budget.left <= 0) {
      put(isList ? cutMark : `${cutMark}: ${cutMark}`)
      break
    }
    if (!isList) put(`${JSON.stringify(name)}: `)
    write(one, depth + 1, budget, parts)
  }
  put(`${count === 0 ? '' : `\n${'  '.repeat(depth - 1)}`}${isList ? ']' : '}'}`)
}

/** The text of a value without parts; `undefined`: it has parts. */
function plainText(value: unknown): string | undefined {
  if (value === null || value === undefined) return String(value ?? null)
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : `"${value}"`
  if (typeof value !== 'object') return JSON.stringify(value) ?? `"<${typeof value}>"`
  if (types.isDate(value)) return JSON.stringify(Number.isNaN(value.getTime()) ? 'Invalid Date' : value)
  if (types.isRegExp(value) || types.isNativeError(value)) return JSON.stringify(String(value))
  if (types.isAnyArrayBuffer(value)) return bytesText(new Uint8Array(value))
  if (ArrayBuffer.isView(value))
    return bytesText(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
  return undefined
}

function bytesText(bytes: Uint8Array): string {
  const digits = Buffer.from(bytes.subarray(0, 64)).toString('hex')
  return JSON.stringify(`<${bytes.length} bytes> ${digits}${bytes.length > 64 ? '…' : ''}`)
}

type Entries = Iterable<readonly [name: string, value: unknown]>

function* valuesOf(values: Iterable<unknown>): Entries {
  for (const value of values) yield ['', value]
}

function* entriesOf(value: object): Entries {
  if (types.isMap(value)) {
    for (const [name, one] of value)
      yield [typeof name === 'string' ? name : (plainText(name) ?? displayOf(name)), one]
  } else for (const name of Object.keys(value)) yield [name, (value as Record<string, unknown>)[name]]
}
