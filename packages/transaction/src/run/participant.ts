import type { Mutation, Page, ReadResult, ScanRange, Version, WriteResult } from '@unikv/core'
import {
  type AnyStack,
  adapterOf,
  bounded,
  callOptions,
  encodedValue,
  type JointMember,
  type KeysOf,
  keysOf,
  layersOf,
  levelPastCaches,
  lostWrites,
  type NewChange,
  type Records,
  recordsOf,
  StoreError,
  showsNamesOf,
  valueStreams,
} from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import { type Attempt, factsOf, type Step } from '../layer/step.ts'
import { logBelow } from '../layer/transactional.ts'
import type { Ending, Log } from '../log/log.ts'
import type { Branch } from '../sql/branch.ts'

/** A store of a transaction. */
export class Participant {
  readonly name: string
  /** The name by which databases above its records know it, that are not in `transactions()`. */
  readonly place: string
  /** The database above its records that functions get in their place. */
  readonly member: JointMember['~joint'] | undefined
  readonly keys: KeysOf
  readonly log: Log
  readonly hasCache: boolean
  /** Whether the store may be able to make several changes in one step. */
  readonly makesTogether: boolean
  /** Whether it lists keys in their order. */
  readonly isOrdered: boolean
  /** Whether records have an expiry that a change can keep. */
  readonly keepsExpiry: boolean
  readonly #records: Records
  readonly #level: string | undefined

  /** @throws {StoreError} `INVALID_CONFIG` for a KeyValue that cannot take part */
  constructor(name: string, given: AnyStack | JointMember) {
    this.member = memberOf(given)
    const kv = this.member?.kv ?? (given as AnyStack)
    this.name = name
    this.place = placeOf(kv)
    this.#records = recordsOf(kv)
    this.keys = keysOf(kv)
    this.log = checkedStack(name, kv)
    const { store } = this.#records
    this.#level = levelPastCaches(store)
    const { scan } = store.capabilities
    this.isOrdered = scan !== false && scan.order === 'bytes'
    this.keepsExpiry = store.capabilities.ttl !== false
    this.makesTogether = adapterOf(kv).together !== undefined
    this.hasCache = layersOf(kv).some(({ layer }) => layer.name === 'cache')
  }

  /** Whether both are views of one KeyValue. */
  isBeside(other: Participant): boolean {
    return this.#records.store === other.#records.store
  }

  /** The change, checked, with its value as it is now. */
  mutation(change: NewChange): Promise<Mutation<unknown>> {
    return this.#records.mutation(change)
  }

  /** Past all caches. */
  async read(
    reads: readonly { readonly key: string; readonly head?: boolean }[],
    step: Step | undefined,
    call: Ending,
  ): Promise<readonly ReadResult<unknown>[]> {
    const { deadlineAt, signal } = call
    const own = callOptions({ deadlineAt, signal, consistency: this.#level, facts: factsOf(step) })
    return bounded(
      own,
      false,
      async () => this.#records.store.read(reads, own),
      () => {},
    )
  }

  /** Pages of records, past all caches. */
  scan(range: ScanRange, step: Step, call: Ending): AsyncIterable<Page<unknown>> {
    const { store } = this.#records
    return store.scan(
      range,
      callOptions({
        deadlineAt: call.deadlineAt,
        signal: call.signal,
        consistency: this.#level,
        facts: factsOf(step),
      }),
    ) as AsyncIterable<Page<unknown>>
  }

  /** Look at every record of this view, and settle those that are decided. */
  async walk(step: Step, call: Ending): Promise<void> {
    const { store } = this.#records
    if (store.capabilities.scan === false)
      throw new StoreError(
        'UNSUPPORTED',
        `${store.name} cannot list its records, so they cannot all be looked at.`,
      )
    for (const prefix of this.keys.prefixes) {
      const range = { prefix, pageSize: 100, values: true }
      const { deadlineAt, signal } = call
      for await (const page of store.scan(range, callOptions({ deadlineAt, signal, facts: factsOf(step) })))
        void page
    }
  }

  async write(
    mutations: readonly Mutation<unknown>[],
    step: Step | undefined,
    call: Ending,
  ): Promise<readonly WriteResult[]> {
    const { deadlineAt, signal } = call
    const own = callOptions({ deadlineAt, signal, facts: factsOf(step) })
    return bounded(
      own,
      true,
      async () => this.#records.store.write(mutations, own),
      () => {},
    )
  }

  /** The value that a change leaves, as a reader gets it: a copy of its own. */
  async valueOf(change: Mutation<unknown>): Promise<unknown> {
    if (change.type !== 'set') return undefined
    const { codec } = this.#records
    const { facts, value } = change
    const encoded = encodedValue.of(facts)
    if (codec === undefined || encoded === undefined) return ownBytes(value)
    return ownBytes(await codec.decode(await encoded.as))
  }
}

/** Bytes that belong to their reader alone; any other value as it is. */
export function ownBytes(value: unknown): unknown {
  return isBytes(value) ? new Uint8Array(value) : value
}

/** A listing that a transaction relies on, by canonical keys. */
export interface Listing {
  readonly range: ScanRange
  /** Versions of what was found, in the order of the store; nothing else was there. */
  readonly found: ReadonlyMap<string, Version | undefined>
  /** There may be more records than these: the listing ended before. */
  readonly isCut: boolean
}

/** The reads and writes of a transaction in one store. */
export interface Share {
  readonly participant: Participant
  /** Keys that were read, and the version found; `undefined`: there was no record. */
  readonly reads: Map<string, Version | undefined>
  readonly writes: Map<string, Mutation<unknown>>
  readonly listings: Listing[]
}

/** The parts of an attempt. */
export interface Parts {
  readonly attempt: Attempt
  readonly shares: readonly Share[]
  /** Transactions of databases. */
  readonly branches: readonly Branch[]
  /** Takes work that goes on after the answer. */
  later(work: Promise<void>): void
}

/** A name for the store of a KeyValue, the same in each process. */
export function placeOf(kv: AnyStack): string {
  return `${kv.name}/${adapterOf(kv).dataset}`
}

/** The part of a database in transactions; `undefined`: it is a KeyValue itself. */
export function memberOf(given: unknown): JointMember['~joint'] | undefined {
  return (Object(given) as Partial<JointMember>)['~joint']
}

function checkedStack(name: string, kv: AnyStack): Log {
  const log = logBelow(kv)
  const layers = layersOf(kv).map(({ layer }) => layer)
  const why = [
    log === undefined &&
      'it lacks the layer transactional(), which stands next to the store, after all other layers',
    layers.some(({ plan }) => lostWrites.of(plan.facts) !== undefined) &&
      'a layer of it acknowledges writes that its store does not have yet',
    kv.capabilities.holds?.includes('deltas') === true && 'its values are chains of deltas',
    layers.some(({ plan }) => valueStreams.of(plan.facts) !== undefined) && 'its values are kept in parts',
    log !== undefined &&
      showsNamesOf(kv.capabilities, log.store.capabilities) &&
      'it hides the names of keys, and the log would show them: hide them there, too',
  ].find((reason) => reason !== false)
  if (log !== undefined && why === undefined) return log
  throw new StoreError('INVALID_CONFIG', `The store "${name}" cannot take part in transactions: ${why}.`)
}
