import { types } from 'node:util'
import { isStoreError, StoreError } from '@unikv/core'
import { readWhole } from '@unikv/core/files'
import { isBytes } from '@unikv/core/platform'
import type { Terminal } from '../terminal.ts'
import type { Form } from './place.ts'

/** Where the value of `set` comes from. */
export interface ValueSource {
  readonly value: string | undefined
  readonly file: string | undefined
}

/**
 * The value to be stored, as bytes: from the argument, a file, or standard input (`-`).
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for several sources or none
 */
export async function bytesOf({ value, file }: ValueSource, { readInput }: Terminal): Promise<Buffer> {
  if (value !== undefined && file !== undefined)
    throw new StoreError('INVALID_ARGUMENT', 'Give a value or --file, not both.')
  if (file !== undefined) return contents(file)
  if (value === undefined) throw new StoreError('INVALID_ARGUMENT', noValue)
  if (value !== '-') return Buffer.from(value, 'utf8')
  if (readInput === undefined)
    throw new StoreError('INVALID_ARGUMENT', 'There is no standard input: give a value, or --file FILE.')
  return readInput()
}

const noValue = `There is no value: give one, --file FILE, or - for standard input. An empty one is "" in quotes.`

/** A value as a line of text: JSON, text as it is, bytes as base64. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value
  return isBytes(value) ? base64(value) : jsonText(value)
}

/**
 * A value in JSON. Values that JSON cannot hold stand in an object that names their kind: `{"base64":"…"}`, `{"bigint":"5"}`,
 * `{"map":[[1,2]]}`, `{"set":[1]}`, `{"number":"NaN"}`.
 *
 * @throws {StoreError} `UNSUPPORTED` for a value that contains itself
 */
export function jsonText(value: unknown): string {
  try {
    // Before `toJSON`, which Buffers have.
    return JSON.stringify(value, function (this: Record<string, unknown>, name: string, given: unknown) {
      return inJson(this[name], given)
    })
  } catch (cause) {
    throw new StoreError('UNSUPPORTED', 'A value contains itself, so it cannot be shown as JSON.', { cause })
  }
}

function inJson(value: unknown, given: unknown): unknown {
  if (isBytes(value)) return { base64: base64(value) }
  if (typeof value === 'bigint') return { bigint: String(value) }
  if (typeof value === 'number' && !Number.isFinite(value)) return { number: String(value) }
  if (types.isMap(value)) return { map: [...value] }
  if (types.isSet(value)) return { set: [...value] }
  return given
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

async function contents(file: string): Promise<Buffer> {
  return readWhole(file).catch((cause: NodeJS.ErrnoException) => {
    throw new StoreError('INVALID_ARGUMENT', `The file ${file} cannot be read (${cause.code}).`, { cause })
  })
}

/**
 * The value in the form that a place has.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for bytes that are not of the form
 */
export function formed(bytes: Buffer, form: Form): unknown {
  if (form === 'bytes') return bytes
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let decoded: string
  try {
    decoded = text.decode(bytes)
  } catch (cause) {
    throw new StoreError('INVALID_ARGUMENT', 'The value is not text in UTF-8. Store bytes by --as bytes.', {
      cause,
    })
  }
  return form === 'text' ? decoded : parsed(decoded)
}

/** Every text in JSON, or a number outside of texts. */
const tokens = /"(?:[^"\\]+|\\.)*"|(-?\d+(?![\d.eE]))|-?\d[\d.eE+-]*/g

/** Refuse whole numbers that `JSON.parse` would change without a word. */
function checkNumbers(json: string): void {
  for (const [, whole] of json.matchAll(tokens))
    if (whole !== undefined && !isExact(whole))
      throw new StoreError(
        'INVALID_ARGUMENT',
        'A whole number in the value is too large for JSON in JavaScript and would be rounded. Store it as text, in quotes.',
      )
}

function isExact(whole: string): boolean {
  const value = Number(whole)
  return Number.isSafeInteger(value) || (Number.isFinite(value) && BigInt(value) === BigInt(whole))
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    checkNumbers(text)
    return value
  } catch (cause) {
    if (isStoreError(cause)) throw cause
    // The message of JSON.parse may quote the value.
    const at = /position \d+/.exec((cause as Error).message)?.[0]
    const where = at === undefined ? '' : ` (see ${at})`
    throw new StoreError(
      'INVALID_ARGUMENT',
      `The value is not JSON${where}. A text in JSON has quotes: '"hello"'.`,
    )
  }
}
