import type { Bytes, KeyValue } from '@unikv/core'
import { type KeyChooser, keyChooser } from '../keys/key-chooser.ts'
import { KeySpace, keyNames } from '../keys/key-space.ts'
import { fastRandom, subSeed } from '../random/random.ts'
import { lengths } from '../values/lengths.ts'
import type { ReadChecks } from './read-checks.ts'
import type { Workload } from './workload.ts'

/** The surroundings of operations: one for each store and run. */
export interface OperationContext {
  readonly kv: KeyValue<string, Bytes>
  /** Where counters are, apart from the records. */
  readonly counters: KeyValue<string, Bytes>
  /** The records that exist. */
  readonly space: KeySpace
  /** Chooses among them. */
  readonly chooser: KeyChooser
  /** The name of a key by its number. */
  readonly keyOf: (number: number) => string
  /** The next value of a record. */
  readonly valueOf: (number: number) => Bytes
  /** Records of the next scan. */
  readonly scanLength: () => number
  /** Records of a batch. */
  readonly batch: number
  /** `undefined`: what reads return is not checked. */
  readonly checks?: ReadChecks | undefined
}

/** Where operations work, and with what seed. */
export interface ContextRequest {
  readonly workload: Workload
  /** An empty namespace, or one that was loaded by the same workload. */
  readonly keys: KeyValue<string, Bytes>
  readonly space: KeySpace
  readonly seed: number
  /** Inserts that the run may make. */
  readonly expectedInserts: number
  /** The next value of a record. */
  readonly valueOf: (number: number) => Bytes
}

/** The surroundings of a workload: the same seed draws the same keys, lengths and values. */
export function contextOf(request: ContextRequest): OperationContext {
  const { workload, keys, space, seed, expectedInserts, valueOf } = request
  const random = fastRandom(subSeed(seed, 'keys'))
  const scans = lengths(workload.scan, fastRandom(subSeed(seed, 'scans')))
  return {
    ...ofKeys(keys),
    space,
    chooser: keyChooser(workload.keys, { space, random, expectedInserts }),
    keyOf: keyNames(workload.keyNames),
    valueOf,
    scanLength: () => scans.next(),
    batch: workload.batch,
  }
}

/** Records and counters of a namespace. */
function ofKeys(keys: KeyValue<string, Bytes>): Pick<OperationContext, 'kv' | 'counters'> {
  return { kv: recordsOf(keys), counters: keys.namespace('counters') }
}

/** The records of a namespace, apart from its counters. */
export function recordsOf(keys: KeyValue<string, Bytes>): KeyValue<string, Bytes> {
  return keys.namespace('records')
}

/** The surroundings of one operation. */
export interface Taken {
  readonly context: OperationContext
  /** The operation has ended; `undefined`: no notice is needed. */
  readonly end: (() => void) | undefined
}

/** Where operations take their surroundings from. */
export interface Contexts {
  take(): Taken
}

/** Those who reach a store, each by a KeyValue. */
interface Clients {
  take(): KeyValue<string, Bytes>
  give(keys: KeyValue<string, Bytes>): void
}

/** All operations have the same surroundings. */
export function sameContext(context: OperationContext): Contexts {
  const taken = { context, end: undefined }
  return { take: () => taken }
}

/** Each operation reaches the store as one of its clients. */
export class ClientContexts implements Contexts {
  readonly #clients: Clients
  readonly #context: OperationContext
  readonly #made = new Map<KeyValue<string, Bytes>, Taken>()

  constructor(clients: Clients, context: OperationContext) {
    this.#clients = clients
    this.#context = context
  }

  take(): Taken {
    const keys = this.#clients.take()
    const found = this.#made.get(keys) ?? this.#make(keys)
    return found
  }

  #make(keys: KeyValue<string, Bytes>): Taken {
    const end = (): void => this.#clients.give(keys)
    const made = { context: { ...this.#context, ...ofKeys(keys) }, end }
    this.#made.set(keys, made)
    return made
  }
}

/** The laws of a workload in words, for its result. */
export interface WorkloadLaws {
  /** How keys are chosen. */
  readonly keyLaw: string
  /** The lengths of values. */
  readonly lengthLaw: string
}

/** The laws of a workload over its loaded records. */
export function workloadLaws(workload: Workload, expectedInserts: number): WorkloadLaws {
  const space = new KeySpace({ first: workload.firstRecord, count: workload.records })
  const random = fastRandom(0)
  return {
    keyLaw: keyChooser(workload.keys, { space, random, expectedInserts }).law,
    lengthLaw: lengths(workload.values, random).law,
  }
}
