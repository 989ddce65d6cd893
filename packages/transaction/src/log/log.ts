import { hostname } from 'node:os'
import type {
  CallOptions,
  Capabilities,
  Entry,
  KeyValue,
  ScanCapability,
  TtlCapability,
  Version,
} from '@unikv/core'
import {
  type AnyStack,
  checkKeyValue,
  codecOf,
  isStoreError,
  leftMs,
  levelPastCaches,
  recordsOf,
  StoreError,
} from '@unikv/core/adapter'
import { pause } from '@unikv/core/platform'
import { checkedEntry, type Fate, isFinished, type LogRecord, outcomeMs } from './record.ts'

/** A KeyValue of JSON that keeps a record for each transaction. */
export type LogStore = AnyStack

/** Its type where it is used: conditions were checked, a listing and an expiry are asked for only where there are such. */
type Conditional = KeyValue<
  string,
  LogRecord,
  Omit<Capabilities, 'conditionalWrite' | 'scan' | 'ttl'> & {
    readonly conditionalWrite: true
    readonly scan: ScanCapability
    readonly ttl: TtlCapability
  }
>

/** The time and the signal of a call. */
export type Ending = Pick<CallOptions, 'deadlineAt' | 'signal'>

const owner = `${hostname()} ${process.pid}`

/**
 * The log of transactions: the first write of a fate decides. The record of a transaction is written by condition
 * alone, so it is decided once, and never changes afterwards.
 */
export class Log {
  readonly store: Conditional
  /** Transactions of this process that are being decided. */
  readonly #underWay = new Map<string, Promise<unknown>>()
  readonly #consistency: string | undefined
  readonly #keepsExpiry: boolean

  constructor(store: LogStore) {
    this.store = store as unknown as Conditional
    this.#consistency = levelPastCaches(recordsOf(store).store)
    this.#keepsExpiry = store.capabilities.ttl !== false
  }

  /** Tell of a transaction. Resolves to its record and the version that a decision replaces. */
  async open(id: string, records: LogRecord['records'], call: Ending): Promise<Entry<LogRecord>> {
    const record: LogRecord = { state: 'open', by: owner, since: new Date().toISOString(), records }
    const { version } = await this.store.set(id, record, { ...this.#settings(call), ifVersion: null })
    return { value: record, version, expiresAt: undefined }
  }

  /**
   * Commit what is open.
   *
   * @throws {StoreError} `OUTCOME_UNKNOWN` if the answer was lost and the log cannot be read within the deadline; any other: not
   * decided
   */
  async commit(id: string, { value, version }: Entry<LogRecord>, call: Ending): Promise<Fate> {
    let isSent = false
    for (let count = 0; ; count++) {
      try {
        await this.#replace(id, { ...value, state: 'committed' }, version, call)
        return 'committed'
      } catch (error) {
        if (isCode(error, 'CONDITION_FAILED')) return await this.#decided(id, isSent, call)
        if (!isCode(error, 'OUTCOME_UNKNOWN')) throw isSent ? unknown(id, error) : error
        isSent = true
        const fate = await this.fate(id, call).catch(() => undefined)
        if (fate !== undefined) return fate
        await this.#rest(count, call).catch((cause: unknown) => {
          throw unknown(id, cause)
        })
      }
    }
  }

  /** Abort a transaction that is open. Resolves to its fate, which another one may have decided. `records`: its records, where they are known. */
  async abort(id: string, call: Ending, records: LogRecord['records'] = {}): Promise<Fate> {
    for (let count = 0; ; count++) {
      const found = await this.entry(id, call)
      if (found !== undefined && found.value.state !== 'open') return found.value.state
      const record = found?.value ?? { by: owner, since: new Date().toISOString(), records }
      try {
        await this.#replace(id, { ...record, state: 'aborted' }, found?.version ?? null, call)
        return 'aborted'
      } catch (error) {
        if (!isCode(error, 'CONDITION_FAILED') && !isCode(error, 'OUTCOME_UNKNOWN')) throw error
      }
      await this.#rest(count, call)
    }
  }

  /** The decision; `undefined`: there is none yet, or it is forgotten. */
  async fate(id: string, call: Ending): Promise<Fate | undefined> {
    const { state } = (await this.entry(id, call))?.value ?? {}
    return state === 'open' ? undefined : state
  }

  /** Nothing is prepared by it any more: its outcome can be asked for another day. */
  async finish(id: string, call: Ending): Promise<void> {
    const found = await this.entry(id, call)
    if (found === undefined || found.value.state === 'open' || isFinished(found)) return
    const finishedAt = new Date().toISOString()
    const [record, ttlMs] = this.#keepsExpiry
      ? [found.value, outcomeMs]
      : [{ ...found.value, finishedAt }, undefined]
    const settings = { ...this.#settings(call), ifVersion: found.version, ttlMs }
    // Else another one has done so.
    await this.store.set(id, record, settings).catch(throwUnlessLost)
  }

  /** Remove the record of a transaction that was finished long ago. */
  async forget(id: string, { version }: Entry<LogRecord>, call: Ending): Promise<void> {
    await this.store.delete(id, { ...this.#settings(call), ifVersion: version }).catch(throwUnlessLost)
  }

  /** Remove an aborted transaction that was not told to its caller, and that has nothing prepared, nor will have. */
  async drop(id: string, call: Ending): Promise<void> {
    const found = await this.entry(id, call)
    if (found?.value.state === 'aborted') await this.forget(id, found, call)
  }

  /** @throws {StoreError} `CORRUPT` for a record of another program */
  async entry(id: string, call: Ending): Promise<Entry<LogRecord> | undefined> {
    const settings = { ...this.#settings(call), consistency: this.#consistency }
    const found = await this.store.getEntry(id, settings)
    return found && checkedEntry(found, this.store.name)
  }

  /** A transaction of this process is being decided. */
  deciding(id: string, decision: Promise<unknown>): void {
    this.#underWay.set(id, decision)
    const end = (): void => void this.#underWay.delete(id)
    decision.then(end, end)
  }

  /** Wait so long, or until a transaction of this process is decided. */
  async wait(id: string, ms: number, call: Ending): Promise<void> {
    const own = this.#underWay.get(id)?.catch(() => {})
    const rest = pause(Math.min(ms, Math.max(0, leftOf(call))), { signal: call.signal })
    await (own === undefined ? rest : Promise.race([own, rest]))
    if (leftOf(call) <= 0)
      throw new StoreError('TIMEOUT', 'A transaction on this record was not decided in time.')
  }

  async #replace(
    id: string,
    record: LogRecord,
    version: Version | null | undefined,
    call: Ending,
  ): Promise<void> {
    await this.store.set(id, record, { ...this.#settings(call), ifVersion: version })
  }

  /** The decision that another one has made. The log has forgotten it if this comes more than a day late; an open transaction is never forgotten. */
  async #decided(id: string, isSent: boolean, call: Ending): Promise<Fate> {
    const fate = await this.fate(id, call).catch((error: unknown) => {
      throw unknown(id, error)
    })
    if (fate === undefined && isSent) throw unknown(id, undefined)
    return fate ?? 'aborted'
  }

  async #rest(count: number, call: Ending): Promise<void> {
    await pause(Math.min(200, 2 ** count, Math.max(0, leftOf(call))), { signal: call.signal })
    this.#settings(call)
  }

  #settings(call: Ending): { readonly timeoutMs?: number; readonly signal?: AbortSignal | undefined } {
    const left = leftOf(call)
    if (left <= 0) throw new StoreError('TIMEOUT', 'The time of the transaction was over.')
    return { ...(Number.isFinite(left) && { timeoutMs: left }), signal: call.signal }
  }
}

const logs = new WeakMap<object, Log>()

/**
 * The log that is kept in this KeyValue: one for all who use it.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a store that cannot decide
 */
export function logIn(store: LogStore): Log {
  checkKeyValue('The log of transactions', store)
  let log = logs.get(store)
  if (log === undefined) {
    checkLog(store)
    log = new Log(store)
    logs.set(store, log)
  }
  return log
}

function checkLog(store: LogStore): void {
  const { name, capabilities } = store
  const why = [
    codecFault(store, 'a log'),
    !capabilities.conditionalWrite && 'it has no conditional writes',
    capabilities.evicts && 'it may drop records by itself',
    capabilities.isolation === 'eventual' &&
      !capabilities.consistency.includes('strong') &&
      'its reads may be old',
    capabilities.scan === false && 'it cannot list its records, so nothing could be recovered',
  ].find((reason) => reason !== false)
  if (why === undefined) return
  throw new StoreError('INVALID_CONFIG', `${name} cannot keep the log of transactions: ${why}.`)
}

/** Why a KeyValue cannot hold objects. */
export function codecFault(store: AnyStack, whose: string): string | false {
  const codec = codecOf(store)
  return (
    (codec === undefined || codec === 'text') &&
    `its values are ${codec ?? 'bytes'}, and those of ${whose} are objects: give it the layer json`
  )
}

export function isCode(error: unknown, code: string): boolean {
  return isStoreError(error) && error.code === code
}

function throwUnlessLost(error: unknown): void {
  if (!isCode(error, 'CONDITION_FAILED')) throw error
}

function leftOf(call: Ending): number {
  return leftMs(call)
}

function unknown(id: string, cause: unknown): StoreError {
  const message = `It is not known whether transaction ${id} took effect: its log cannot be read. outcome('${id}') tells later.`
  return new StoreError('OUTCOME_UNKNOWN', message, { cause })
}
