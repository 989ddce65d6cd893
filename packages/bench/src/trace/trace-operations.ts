import type { Awaitable, Bytes, Capabilities, KeyValue } from '@unikv/core'
import type { Arrivals } from '../loop/arrivals.ts'
import type { Operations } from '../loop/operations.ts'
import type { OperationName } from '../operations/mix.ts'
import { countedKinds } from '../operations/mixed-operations.ts'
import type { Trace } from './trace.ts'
import type { TraceOperation } from './trace-request.ts'

/** Where the requests of a trace go. */
export interface TraceTarget {
  readonly kv: KeyValue<string, Bytes>
  /** Where counters are, apart from the records. */
  readonly counters: KeyValue<string, Bytes>
  /** The value of a key, by its number and its bytes. */
  readonly valueOf: (number: number, size: number) => Bytes
  /** Write the value of a key that a read did not find, as the user of a cache does. */
  readonly fillsMisses: boolean
}

type Counting = KeyValue<string, Bytes, Capabilities & { readonly increment: true }>

/** The operations that a trace has, in a fixed order. */
export function traceNames({ operations }: Pick<Trace, 'operations'>): readonly OperationName[] {
  return [...new Set<OperationName>(operations)].sort()
}

/** The requests of a trace, one after the other. */
export class TraceOperations implements Operations {
  readonly kinds: readonly string[]
  readonly #trace: Trace
  readonly #target: TraceTarget
  readonly #kindOf: ReadonlyMap<TraceOperation, number>
  readonly #miss: number

  constructor(trace: Trace, target: TraceTarget) {
    const kinds = countedKinds(traceNames(trace))
    this.kinds = kinds.map(({ name, outcome }) => (outcome === null ? name : `${name} (${outcome})`))
    this.#trace = trace
    this.#target = target
    const successes = kinds.filter(({ outcome }) => outcome === null)
    this.#kindOf = new Map(successes.map(({ name }, index) => [name as TraceOperation, index]))
    this.#miss = kinds.findIndex(({ outcome }) => outcome === 'miss')
  }

  pick(sequence: number): number {
    return this.#kindOf.get(this.#trace.operations[sequence] as TraceOperation) as number
  }

  start(_kind: number, sequence: number): Awaitable<unknown> {
    const { kv, counters, valueOf, fillsMisses } = this.#target
    const number = this.#trace.keyOf[sequence] as number
    const key = this.#trace.keys[number] as string
    const value = (): Bytes => valueOf(number, this.#trace.sizes[sequence] as number)
    switch (this.#trace.operations[sequence] as TraceOperation) {
      case 'read':
        return fillsMisses ? filled(kv, key, value) : kv.get(key)
      case 'delete':
        return kv.delete(key)
      case 'increment':
        return (counters as Counting).increment(key)
      case 'insert':
      case 'update':
        return kv.set(key, value())
    }
  }

  check(kind: number, _sequence: number, answer: unknown): number | undefined {
    return answer === undefined && kind === this.#kindOf.get('read') ? this.#miss : undefined
  }
}

/** The stored value; or `undefined`, after the value was written. */
async function filled(kv: KeyValue<string, Bytes>, key: string, value: () => Bytes): Promise<unknown> {
  const found = await kv.get(key)
  if (found === undefined) await kv.set(key, value())
  return found
}

/**
 * The arrivals of a trace, `speed` times as fast. Requests of the same time are spread evenly over the resolution of its
 * clock: a trace in whole seconds does not become a burst a second.
 *
 * @param atMs milliseconds since the first request, never falling
 */
export function traceArrivals(atMs: readonly number[], speed = 1): Arrivals {
  if (!(speed > 0 && Number.isFinite(speed))) throw new RangeError('The speed of a trace must be above 0.')
  const resolutionMs = resolutionOf(atMs)
  let index = 0
  let groupAt = 0
  let groupSize = 0
  let place = 0
  const begin = (): void => {
    groupAt = atMs[index] as number
    groupSize = 1
    place = 0
    while (atMs[index + groupSize] === groupAt) groupSize++
  }
  return {
    rate: rateOf(atMs, resolutionMs) * speed,
    next: () => {
      if (index >= atMs.length) return Number.POSITIVE_INFINITY
      if (place === groupSize) begin()
      index++
      return (groupAt + (place++ / groupSize) * resolutionMs) / speed
    },
  }
}

/** The least difference of two times; 0 if all are the same. */
function resolutionOf(atMs: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY
  for (let index = 1; index < atMs.length; index++) {
    const gap = (atMs[index] as number) - (atMs[index - 1] as number)
    if (gap > 0 && gap < least) least = gap
  }
  return least === Number.POSITIVE_INFINITY ? 0 : least
}

/** Requests a second; a trace of a single time takes none, and is as fast as the generator. */
function rateOf(atMs: readonly number[], resolutionMs: number): number {
  const lengthMs = (atMs.at(-1) ?? 0) + resolutionMs
  return lengthMs === 0 ? 0 : (atMs.length / lengthMs) * 1_000
}
