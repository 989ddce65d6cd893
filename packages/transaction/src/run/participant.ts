import type { KeyValue, Mutation, Page, ReadResult, ScanRange, Version, WriteResult } from '@unikv/core'
import {
  adapterOf,
  callOptions,
  type KeysOf,
  keysOf,
  layersOf,
  levelPastCaches,
  type NewChange,
  type Records,
  recordsOf,
  StoreError,
  showsNamesOf,
} from '@unikv/core/adapter'
import type { Attempt, Step } from '../layer/step.ts'
import { logBelow } from '../layer/transactional.ts'
import type { Ending, Log } from '../log/log.ts'

/** A store of a transaction. */
export class Participant {
  readonly name: string
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
  constructor(name: string, kv: Pick<KeyValue<never, never>, 'name' | 'capabilities'>) {
    this.name = name
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
    return this.#records.store.read(reads, callOptions({ ...call, consistency: this.#level, context: step }))
  }

  /** Pages of records, past all caches. */
  scan(range: ScanRange, step: Step, call: Ending): AsyncIterable<Page<unknown>> {
    const { store } = this.#records
    return store.scan(
      range,
      callOptions({ ...call, consistency: this.#level, context: step }),
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
      for await (const page of store.scan(range, callOptions({ ...call, context: step }))) void page
    }
  }

  async write(
    mutations: readonly Mutation<unknown>[],
    step: Step | undefined,
    call: Ending,
  ): Promise<readonly WriteResult[]> {
    return this.#records.store.write(mutations, callOptions({ ...call, context: step }))
  }
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
}

function checkedStack(name: string, kv: Pick<KeyValue<never, never>, 'name' | 'capabilities'>): Log {
  const log = logBelow(kv)
  const layers = layersOf(kv).map(({ layer }) => layer)
  const why = [
    log === undefined &&
      'it lacks the layer transactional(), which stands next to the store, after all other layers',
    layers.some(({ plan }) => plan.hearLosses !== undefined) &&
      'a layer of it acknowledges writes that its store does not have yet',
    kv.capabilities.holds?.includes('deltas') === true && 'its values are chains of deltas',
    layers.some(({ plan }) => plan.streams !== undefined) && 'its values are kept in parts',
    log !== undefined &&
      showsNamesOf(kv.capabilities, log.store.capabilities) &&
      'it hides the names of keys, and the log would show them: hide them there, too',
  ].find((reason) => reason !== false)
  if (log !== undefined && why === undefined) return log
  throw new StoreError('INVALID_CONFIG', `The store "${name}" cannot take part in transactions: ${why}.`)
}
