import type { Capabilities, KeyValue, ScanCapability, TtlCapability, Version } from '@unikv/core'
import { checkKeyValue, StoreError } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import { codecFault, isCode } from '../log/log.ts'

/** A saga as it is stored: plain JSON. */
export interface SagaRecord {
  /** `doing` and `undoing` go on; the others are ends. The first write that leaves `doing` decides. */
  readonly state: 'doing' | 'undoing' | 'done' | 'undone'
  readonly input: unknown
  /** Names of the steps, in their order. */
  readonly steps: readonly string[]
  /** The step that comes next, to do or to undo. */
  readonly at: number
  readonly results: Readonly<Record<string, unknown>>
  /** Attempts at it that have failed. */
  readonly failed: number
  /** The process that works on it; absent: none. */
  readonly by?: string | undefined
  /** The step that failed, and its error. */
  readonly failedAt?: string | undefined
  readonly why?: string | undefined
}

/** A KeyValue that keeps sagas: `json()` or a codec alike, and a store with conditions. */
export type SagaStore = Pick<KeyValue<string, never>, 'name' | 'capabilities'>

type Conditional = KeyValue<
  string,
  SagaRecord,
  Omit<Capabilities, 'conditionalWrite' | 'scan' | 'ttl'> & {
    readonly conditionalWrite: true
    readonly scan: ScanCapability
    readonly ttl: TtlCapability
  }
>

/** A record and the version that the next one replaces. */
export interface FoundSaga {
  readonly value: SagaRecord
  readonly version: Version
}

/** Sagas in their store: each record is written by condition alone. */
export class SagaRecords {
  readonly #store: Conditional
  readonly #keepMs: number

  /** @throws {StoreError} `INVALID_CONFIG` for a store that cannot keep sagas */
  constructor(store: SagaStore, keepMs: number) {
    checkKeyValue('saga', store)
    const { name, capabilities } = store
    const why = [
      codecFault(store, 'a saga'),
      !capabilities.conditionalWrite && 'it has no conditional writes',
      capabilities.evicts && 'it may drop records by itself',
    ].find((reason) => reason !== false)
    if (why !== undefined) throw new StoreError('INVALID_CONFIG', `${name} cannot keep sagas: ${why}.`)
    this.#store = store as unknown as Conditional
    this.#keepMs = keepMs
  }

  async read(id: string): Promise<FoundSaga | undefined> {
    const isStrong = this.#store.capabilities.consistency.includes('strong')
    const found = await this.#store.getEntry(id, isStrong ? { consistency: 'strong' } : {})
    if (found === undefined) return undefined
    return { value: checkedSaga(id, found.value), version: found.version as Version }
  }

  /** Replace a record. Resolves to the new version; `undefined`: another process has come before. */
  async write(id: string, value: SagaRecord, ifVersion: Version | null): Promise<FoundSaga | undefined> {
    const isOver = value.state === 'done' || value.state === 'undone'
    const hasExpiry = (this.#store.capabilities.ttl as unknown) !== false
    const expiry = isOver && hasExpiry && Number.isFinite(this.#keepMs) ? { ttlMs: this.#keepMs } : {}
    try {
      const { version } = await this.#store.set(id, value, { ifVersion, ...expiry })
      return { value, version: version as Version }
    } catch (error) {
      if (isCode(error, 'CONDITION_FAILED')) return undefined
      throw error
    }
  }

  /** Ids of all sagas. @throws {StoreError} `UNSUPPORTED` for a store that cannot list */
  ids(): AsyncIterable<string> {
    return this.#store.keys()
  }
}

const states: readonly unknown[] = ['doing', 'undoing', 'done', 'undone']

/** @throws {StoreError} `CORRUPT` for a record of another program */
function checkedSaga(id: string, value: unknown): SagaRecord {
  const { state, steps, at, results, failed } = Object(value) as Partial<SagaRecord>
  const isSaga = states.includes(state) && Array.isArray(steps) && [at, failed].every(Number.isInteger)
  if (isSaga && isPlainObject(results)) return value as SagaRecord
  const message = `The record ${JSON.stringify(id)} is not of a saga. Give sagas a namespace of their own.`
  throw new StoreError('CORRUPT', message, { key: id })
}
