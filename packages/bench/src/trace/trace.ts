import { invalidArgument } from '../options/invalid.ts'
import { readTrace, type TraceOptions } from './read-trace.ts'
import type { TraceOperation, TraceTimes } from './trace-request.ts'

/** How a trace is loaded. */
export interface TraceLoad extends TraceOptions {
  /** Only so many of its first requests. @default Infinity */
  readonly limit?: number | undefined
  /** Bytes of a value whose size the trace does not say. @default 1000 */
  readonly defaultSize?: number | undefined
}

/** A record that must be there before a trace begins. */
export interface TraceRecord {
  /** Index among `keys`. */
  readonly key: number
  readonly size: number
}

/** The requests of a trace in memory: some 40 bytes for each, and every distinct key once. */
export interface Trace {
  /** The distinct keys, in the order in which they first occur. */
  readonly keys: readonly string[]
  /** The operation of each request, the index of its key, and the bytes of its value. */
  readonly operations: readonly TraceOperation[]
  readonly keyOf: readonly number[]
  readonly sizes: readonly number[]
  /** The time of each request in milliseconds since the first one, never falling; `undefined` if the trace has none. */
  readonly atMs: readonly number[] | undefined
  /** The unit of its times, if they are not in seconds as told. */
  readonly times: TraceTimes | undefined
  /** The records that the trace reads or deletes before it has written them. */
  readonly start: readonly TraceRecord[]
}

/**
 * Load a trace into memory.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with the line that cannot be read
 */
export async function loadTrace(path: string, options: TraceLoad = {}): Promise<Trace> {
  const { limit = Number.POSITIVE_INFINITY, defaultSize = 1_000, ...reading } = options
  if (!(limit >= 1)) throw invalidArgument('A trace needs a limit of 1 request or more.')
  const made = new TraceBuilder()
  let times: TraceTimes | undefined
  const onTimes = (unit: TraceTimes): void => {
    times = unit
    reading.onTimes?.(unit)
  }
  for await (const { key, operation, size, atMs } of readTrace(path, { ...reading, onTimes })) {
    made.add(key, operation, size, atMs)
    if (made.length >= limit) break
  }
  return { ...made.trace(defaultSize), times }
}

class TraceBuilder {
  readonly #numbers = new Map<string, number>()
  readonly #operations: TraceOperation[] = []
  readonly #keyOf: number[] = []
  /** -1: the trace does not say. */
  readonly #sizes: number[] = []
  readonly #atMs: number[] = []

  get length(): number {
    return this.#operations.length
  }

  add(key: string, operation: TraceOperation, size: number | undefined, atMs: number | undefined): void {
    let number = this.#numbers.get(key)
    if (number === undefined) this.#numbers.set(key, (number = this.#numbers.size))
    this.#operations.push(operation)
    this.#keyOf.push(number)
    this.#sizes.push(size ?? -1)
    if (atMs !== undefined) this.#atMs.push(atMs)
  }

  trace(defaultSize: number): Omit<Trace, 'times'> {
    const first = this.#firstSizes(defaultSize)
    const start = this.#start(first)
    const last = first.slice()
    const sizes = this.#sizes.map((size, index) => {
      const key = this.#keyOf[index] as number
      return size < 0 ? (last[key] as number) : (last[key] = size)
    })
    return {
      keys: Array.from(this.#numbers.keys()),
      operations: this.#operations,
      keyOf: this.#keyOf,
      sizes,
      atMs: this.#atMs.length === this.length ? this.#atMs : undefined,
      start,
    }
  }

  /** The first size that the trace tells of each key. */
  #firstSizes(defaultSize: number): number[] {
    const first = Array.from({ length: this.#numbers.size }, () => -1)
    for (const [index, size] of this.#sizes.entries()) {
      const key = this.#keyOf[index] as number
      if (size >= 0 && (first[key] as number) < 0) first[key] = size
    }
    return first.map((size) => (size < 0 ? defaultSize : size))
  }

  /** Keys whose first request is a read or a deletion. */
  #start(sizes: readonly number[]): TraceRecord[] {
    const seen = new Set<number>()
    const start: TraceRecord[] = []
    for (const [index, operation] of this.#operations.entries()) {
      const key = this.#keyOf[index] as number
      if (seen.has(key)) continue
      seen.add(key)
      if (operation === 'read' || operation === 'delete') start.push({ key, size: sizes[key] as number })
    }
    return start
  }
}
