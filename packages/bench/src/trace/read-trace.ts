import { basename } from 'node:path'
import { checkOptions, nearest, type OptionNames } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import { invalidArgument } from '../options/invalid.ts'
import { cellsOf, columnNames, fieldNamed, fieldsOfColumns, linesOf } from './trace-lines.ts'
import {
  isOperation,
  type TraceFields,
  type TraceRequest,
  TraceRequests,
  type TraceTimes,
} from './trace-request.ts'

/** How a trace is read. */
export interface TraceOptions {
  /**
   * Names of the columns of a table without a first line that names them: `time` (seconds), `timeMs`, `operation`, `key`,
   * `size`, and `-` for one that is of no interest.
   * @default `key`; `key,size`; or `time,operation,key,size`, by the number of columns
   */
  readonly columns?: readonly string[] | undefined
  /** Told of times since 1970 whose numbers are too large for seconds, and are taken for what they are. */
  readonly onTimes?: ((unit: TraceTimes) => void) | undefined
}

const optionNames: OptionNames<TraceOptions> = { columns: true, onTimes: true }

/** The fields of a line; `undefined`: it holds no request. */
type ReadLine = (line: string, number: number) => TraceFields | undefined

/**
 * The requests of a trace, in order: a table (CSV, or with tabs) or an object a line (JSON lines), as it is or compressed
 * by gzip. Only the key is needed. Names are matched loosely: `op` is an operation, `object_id` a key, `bytes` a size.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with the line that cannot be read, when its turn comes
 */
export async function* readTrace(
  path: string,
  options: TraceOptions = {},
): AsyncGenerator<TraceRequest, void, void> {
  checkOptions('readTrace', options, optionNames, 'INVALID_ARGUMENT')
  const requests = new TraceRequests(basename(path), options.onTimes)
  let read: ReadLine | undefined
  let number = 0
  let found = false
  for await (const lines of linesOf(path)) {
    for (const line of lines) {
      number += 1
      if (line.trim() === '') continue
      read ??= lineReader(line, options, requests)
      const fields = read(line, number)
      if (fields === undefined) continue
      found = true
      yield requests.request(fields, number)
    }
  }
  if (!found) throw invalidArgument(`The trace ${path} holds no request.`)
}

/** The reader of the form that the first line has. */
function lineReader(first: string, { columns }: TraceOptions, requests: TraceRequests): ReadLine {
  if (first.trimStart().startsWith('{')) return jsonReader(requests)
  return tableReader(first, columns, requests)
}

function jsonReader(requests: TraceRequests): ReadLine {
  // Most lines have the names of the one above.
  let last = ''
  let columns: ReturnType<typeof fieldsOfColumns> = []
  return (line, number) => {
    const object = parsed(line)
    if (!isPlainObject(object)) throw requests.wrong(number, 'it is not a JSON object')
    const names = Object.keys(object)
    const text = names.join('\n')
    if (text !== last) columns = fieldsOfColumns(names, (message) => requests.wrong(number, message))
    last = text
    return fieldsFrom(columns, Object.values(object))
  }
}

function fieldsFrom(
  columns: readonly (keyof TraceFields | undefined)[],
  values: readonly unknown[],
): TraceFields {
  const fields: Record<string, unknown> = {}
  for (let index = 0; index < columns.length; index++) {
    const column = columns[index]
    if (column !== undefined) fields[column] = values[index]
  }
  return fields
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function tableReader(first: string, given: readonly string[] | undefined, requests: TraceRequests): ReadLine {
  const separator = separatorOf(first, given)
  const head = cellsOf(first, separator) ?? []
  const isHead = isHeadOf(head)
  const names = given ?? (isHead ? head : defaultColumns(first, head.length, requests))
  if (given !== undefined) checkColumns(given)
  const columns = fieldsOfColumns(names, (message) => requests.wrong(1, message))
  if (!columns.includes('key'))
    throw requests.wrong(
      1,
      `none of the columns is the key. They are ${names.join(', ')}; name them in another way, as in --columns ${exampleOf(names)}`,
    )
  return (line, number) => {
    if (isHead && line === first) return undefined
    const cells = cellsOf(line, separator)
    if (cells === undefined) throw requests.wrong(number, 'a quote is not closed, or text follows it')
    if (cells.length !== columns.length)
      throw requests.wrong(number, `instead of ${columns.length} columns it has ${cells.length}`)
    return fieldsFrom(columns, cells)
  }
}

/** Whether a line names the columns: some name is known, and no cell is data. The only column of a list of keys is named as the key. */
function isHeadOf(cells: readonly string[]): boolean {
  const names = cells.filter((cell) => cell.trim() !== '')
  if (names.some((cell) => !Number.isNaN(Number(cell)) || isOperation(cell) || /\d:\d\d/.test(cell)))
    return false
  const fields = cells.map(fieldNamed)
  return cells.length === 1 ? fields[0] === 'key' : fields.some((field) => field !== undefined)
}

/** Names for these columns, of which one that has none of its own is the key. */
function exampleOf(names: readonly string[]): string {
  const fields = names.map((name) => fieldNamed(name) ?? '-')
  const key = fields.lastIndexOf('-')
  return (key < 0 ? ['time', 'operation', 'key', 'size'] : fields.with(key, 'key')).join(',')
}

/** Tabs, else commas, else the semicolons of spreadsheets. */
function separatorOf(first: string, given: readonly string[] | undefined): string {
  if (first.includes('\t')) return '\t'
  return first.includes(';') && !first.includes(',') && given?.length !== 1 ? ';' : ','
}

function checkColumns(given: readonly string[]): void {
  const unknown = given.find((name) => name !== '-' && fieldNamed(name) === undefined)
  if (unknown === undefined) return
  const meant = nearest(unknown, columnNames)
  const hint = meant === undefined ? `They are ${columnNames.join(', ')}` : `Did you mean '${meant}'`
  const message = `A trace has no column '${unknown}'. ${hint}${meant === undefined ? '.' : '?'}`
  throw invalidArgument(message)
}

function defaultColumns(first: string, count: number, requests: TraceRequests): readonly string[] {
  if (count === 1 && /\S\s+\S/.test(first))
    throw requests.wrong(
      1,
      'it holds spaces, but neither commas nor tabs. Separate columns by one of these, or say that the whole line is the key: --columns key',
    )
  if (count === 1) return ['key']
  if (count === 2) return ['key', 'size']
  if (count === 4) return ['time', 'operation', 'key', 'size']
  throw requests.wrong(1, `name its ${count} columns, in a first line or as in time,operation,key,size`)
}
