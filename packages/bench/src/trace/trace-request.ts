import type { StoreError } from '@unikv/core'
import { nearest } from '@unikv/core/adapter'
import { maxObjectBytes } from '../data/size-list.ts'
import { invalidArgument } from '../options/invalid.ts'

/** The operations of a trace. */
export type TraceOperation = 'read' | 'insert' | 'update' | 'delete' | 'increment'

/** One line of a trace. */
export interface TraceRequest {
  /** Its line in the file, from 1. */
  readonly line: number
  /** Milliseconds since the first request; `undefined` if the trace has no times. */
  readonly atMs: number | undefined
  /** `'read'` if the trace does not say. */
  readonly operation: TraceOperation
  readonly key: string
  /** Bytes of the value; `undefined` if the trace has no sizes. */
  readonly size: number | undefined
}

/** The fields of a line, by what they mean. Text from a table, or any value of JSON. */
export interface TraceFields {
  /** Seconds, or a date with a time of day. */
  readonly time?: unknown
  readonly timeMs?: unknown
  readonly operation?: unknown
  readonly key?: unknown
  readonly size?: unknown
}

const namesOfOperations: Readonly<Record<TraceOperation, readonly string[]>> = {
  read: ['read', 'get', 'gets'],
  update: ['update', 'write', 'set', 'put', 'replace', 'cas'],
  insert: ['insert', 'add'],
  delete: ['delete', 'del', 'remove'],
  increment: ['increment', 'incr'],
}

const operations = new Map(
  Object.entries(namesOfOperations).flatMap(([operation, names]) =>
    names.map((name) => [name, operation as TraceOperation] as const),
  ),
)

/** Whether a name is that of an operation. */
export function isOperation(name: string): boolean {
  return operations.has(name.trim().toLowerCase())
}

/** The unit of times since 1970 that are not in seconds. */
export type TraceTimes = 'milliseconds' | 'microseconds' | 'nanoseconds'

/** Numbers from which on a time since 1970 is in this unit: seconds reach the first one in the year 5138. */
const units: readonly (readonly [from: number, unit: TraceTimes, ms: number])[] = [
  [1e17, 'nanoseconds', 1e-6],
  [1e14, 'microseconds', 1e-3],
  [1e11, 'milliseconds', 1],
]

/** Turns the fields of lines, in order, into requests. */
export class TraceRequests {
  #startMs: number | undefined
  #lastMs = 0
  #isUntimed = false
  /** Milliseconds of a time that is a number; the first one decides. */
  #unitMs: number | undefined
  readonly #name: string
  readonly #onTimes: ((unit: TraceTimes) => void) | undefined

  /**
   * @param name Name of the trace, for errors
   * @param onTimes told if times are not in seconds
   */
  constructor(name: string, onTimes?: (unit: TraceTimes) => void) {
    this.#name = name
    this.#onTimes = onTimes
  }

  /** @throws {StoreError} `INVALID_ARGUMENT` with the line, and the field that is wrong */
  request(fields: TraceFields, line: number): TraceRequest {
    return {
      line,
      atMs: this.#atMs(fields, line),
      operation: this.#operation(fields.operation, line),
      key: this.#key(fields.key, line),
      size: this.#size(fields.size, line),
    }
  }

  /** An error that names the line. */
  wrong(line: number, message: string): StoreError {
    return invalidArgument(`Line ${line} of the trace ${this.#name}: ${message}.`)
  }

  #atMs({ time, timeMs }: TraceFields, line: number): number | undefined {
    if (isMissing(time) && isMissing(timeMs)) {
      if (this.#startMs !== undefined) throw this.wrong(line, 'the time is missing')
      this.#isUntimed = true
      return undefined
    }
    if (this.#isUntimed) throw this.wrong(line, 'it has a time, but the requests above have none')
    const ms = isMissing(time) ? numberOf(timeMs) : this.#millisecondsOf(time)
    if (!Number.isFinite(ms)) throw this.wrong(line, `'${shown(time ?? timeMs)}' is not a time`)
    this.#startMs ??= ms
    const at = ms - this.#startMs
    if (at < this.#lastMs)
      throw this.wrong(line, 'the time is before that of the request above. Sort the trace by time')
    this.#lastMs = at
    return at
  }

  #millisecondsOf(time: unknown): number {
    const number = numberOf(time)
    // Date.parse takes almost any text that ends with a number.
    if (Number.isNaN(number))
      return typeof time === 'string' && /\d:\d\d/.test(time) ? Date.parse(time) : number
    this.#unitMs ??= this.#unitOf(number)
    return number * this.#unitMs
  }

  #unitOf(first: number): number {
    const [, unit, ms] = units.find(([from]) => first >= from) ?? []
    if (unit !== undefined) this.#onTimes?.(unit)
    return ms ?? 1_000
  }

  #operation(given: unknown, line: number): TraceOperation {
    if (isMissing(given)) return 'read'
    const name = String(given).trim().toLowerCase()
    const operation = operations.get(name)
    if (operation !== undefined) return operation
    const meant = nearest(name, [...operations.keys()])
    const hint =
      meant === undefined ? `use ${Object.keys(namesOfOperations).join(', ')}` : `did you mean '${meant}'`
    throw this.wrong(line, `'${shown(given)}' is not an operation: ${hint}`)
  }

  #key(given: unknown, line: number): string {
    // JSON.parse has rounded it, so that different keys would become one.
    if (typeof given === 'number' && Math.abs(given) > Number.MAX_SAFE_INTEGER)
      throw this.wrong(line, 'the key is a number of more than 15 digits. Write it as a text, in quotes')
    if (typeof given === 'number' || (typeof given === 'string' && given !== '')) return String(given)
    throw this.wrong(line, isMissing(given) ? 'the key is missing' : 'the key must be a text or a number')
  }

  #size(given: unknown, line: number): number | undefined {
    if (isMissing(given)) return undefined
    const size = numberOf(given)
    if (Number.isInteger(size) && size >= 0 && size <= maxObjectBytes) return size
    throw this.wrong(line, `'${shown(given)}' is not a size in bytes from 0 to 1 GiB`)
  }
}

function isMissing(given: unknown): boolean {
  return given === undefined || given === null || given === ''
}

function numberOf(given: unknown): number {
  if (typeof given === 'number') return given
  return typeof given === 'string' && given.trim() !== '' ? Number(given) : Number.NaN
}

/** The given text, cut to fit into a line of a message. */
function shown(given: unknown): string {
  return String(given).slice(0, 40)
}
