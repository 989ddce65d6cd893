import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { StoreError } from '@unikv/core'
import { readStream } from '@unikv/core/files'
import { invalidArgument } from '../options/invalid.ts'
import type { TraceFields } from './trace-request.ts'

const MOST_CHARACTERS = 1_048_576

/** The name that stands for standard input. */
const standardInput = '-'

/**
 * The lines of a text file in UTF-8, a pipe, or standard input (`-`), as it is or compressed by gzip, in chunks as they are read.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if it cannot be read, or is not a text
 */
export async function* linesOf(path: string): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let begun = ''
  let count = 0
  try {
    for await (const chunk of bytesOf(path)) {
      const lines = (begun + decoder.decode(chunk, { stream: true })).split(/\r?\n/)
      begun = lines.pop() as string
      if (begun.length > MOST_CHARACTERS) throw new LongLine()
      count += lines.length
      yield lines
    }
    yield [(begun + decoder.decode()).replace(/\r$/, '')]
  } catch (cause) {
    if (cause instanceof LongLine)
      throw invalidArgument(
        `The trace ${path} cannot be read after line ${count}: the next line is longer than 1 MiB.`,
        cause,
      )
    const { code } = cause as NodeJS.ErrnoException
    const isOfSystem = code !== undefined && /^E[A-Z]+$/.test(code) && !code.startsWith('ERR_')
    const message = isOfSystem
      ? `The trace ${path} cannot be opened (${code}).`
      : `The trace ${path} cannot be read after line ${count}: it must be a text in UTF-8, or that compressed by gzip.`
    throw invalidArgument(message, cause)
  }
}

class LongLine extends Error {}

/** The bytes of the file, inflated if they begin as gzip does. They are read once, as those of a pipe are gone then. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  const file = path === standardInput ? process.stdin : await readStream(path)
  try {
    const pieces: AsyncIterator<Buffer> = file[Symbol.asyncIterator]()
    const head = await headOf(pieces)
    const whole = chained(head, pieces)
    if (head[0] !== 0x1f || head[1] !== 0x8b) return yield* whole
    yield* pipeline(whole, createGunzip(), () => {}) as AsyncIterable<Buffer>
  } finally {
    file.destroy()
  }
}

/** Two bytes or more, if there are so many. */
async function headOf(pieces: AsyncIterator<Buffer>): Promise<Buffer> {
  let head = Buffer.alloc(0)
  while (head.length < 2) {
    const { done, value } = await pieces.next()
    if (done === true) return head
    head = Buffer.concat([head, value])
  }
  return head
}

async function* chained(head: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value
}

/** The names that fields have in traces, in lower case and without punctuation. */
const namesOfFields = {
  time: ['time', 'timestamp', 'ts'],
  timeMs: ['timems', 'timestampms'],
  operation: ['operation', 'op', 'command'],
  key: ['key', 'id', 'objectid', 'objid'],
  size: ['size', 'bytes', 'valuesize', 'objectsize', 'objsize'],
}

const fieldNames = new Map(
  Object.entries(namesOfFields).flatMap(([field, names]) =>
    names.map((name) => [name, field as keyof TraceFields] as const),
  ),
)

/** The field that a name means; `undefined`: none. */
export function fieldNamed(name: string): keyof TraceFields | undefined {
  return fieldNames.get(plainName(name))
}

/**
 * The fields that the columns of a line mean. If two names mean one field, such as `key` and `id`, the field's own name counts.
 *
 * @param wrong makes the error for two names of which neither is the field's own
 */
export function fieldsOfColumns(
  names: readonly string[],
  wrong: (message: string) => StoreError,
): readonly (keyof TraceFields | undefined)[] {
  const fields = names.map(fieldNamed)
  return fields.map((field, index) => {
    const rivals = names.filter((_, other) => field !== undefined && fields[other] === field)
    if (field === undefined || rivals.length === 1) return field
    const own = rivals.filter((name) => plainName(name) === field.toLowerCase())
    if (own.length !== 1)
      throw wrong(`'${rivals[0]}' and '${rivals[1]}' both mean the ${field}. Name only one of them so`)
    return plainName(names[index] as string) === field.toLowerCase() ? field : undefined
  })
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z\d]/g, '')
}

/** The names of columns that a user may give. */
export const columnNames: readonly string[] = [...Object.keys(namesOfFields), '-']

/**
 * The cells of one line: `separator` between them, and quotes around those that hold it (RFC 4180).
 *
 * @returns `undefined` if a quote is not closed
 */
export function cellsOf(line: string, separator: string): string[] | undefined {
  if (!line.includes('"')) return line.split(separator)
  const cells: string[] = []
  let rest = line
  for (;;) {
    const quoted = /^ *"((?:[^"]|"")*)" */.exec(rest)
    const end = quoted === null ? rest.indexOf(separator) : quoted[0].length
    if (quoted === null && rest.trimStart().startsWith('"')) return undefined
    const cell =
      quoted === null
        ? rest.slice(0, end === -1 ? undefined : end)
        : (quoted[1] as string).replaceAll('""', '"')
    cells.push(cell)
    if (end === -1 || end === rest.length) return cells
    if (!rest.startsWith(separator, end)) return undefined
    rest = rest.slice(end + separator.length)
  }
}
