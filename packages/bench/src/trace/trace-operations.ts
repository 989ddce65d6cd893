import type { Awaitable, Bytes, Capabilities, KeyValue } from '@unikv/core'
import type { Operations } from '../loop/operations.ts'
import type { OperationName } from '../operations/kinds.ts'
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
