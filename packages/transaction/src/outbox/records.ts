import { isConditionFailed, isStoreError, StoreError, type Version, type WriteResult } from '@unikv/core'
import { Call, type NewChange } from '@unikv/core/adapter'
import { Attempt, Step } from '../layer/step.ts'
import { isCode } from '../log/log.ts'
import type { Participant } from '../run/participant.ts'
import {
  type Claim,
  type Found,
  foundIn,
  type Head,
  keyOf,
  type Lanes,
  noClaim,
  type StoredMessage,
} from './layout.ts'

/** Deadline of one request, in milliseconds. */
const timeoutMs = 5000

/** The claim of a lane, and the version that the next one replaces; `null`: it is the first one. */
export interface FoundClaim {
  readonly value: Claim
  readonly version: Version | null
}

/** How the removal of a message ended. */
export type Removed = 'removed' | 'gone' | StoreError

/** The records of an outbox, as its relays read and write them. */
export class OutboxRecords {
  readonly #participant: Participant
  /** For looks that wait for no transaction. */
  readonly #peek: Step = new Step('peek', new Attempt('relay'))
  #lanes: number | undefined

  constructor(participant: Participant) {
    this.#participant = participant
  }

  /**
   * How many lanes the outbox has. The first one that asks decides it.
   *
   * @throws {StoreError} `INVALID_CONFIG` if it has another number than the one that is wanted
   */
  async lanes(wanted: number | undefined): Promise<number> {
    if (this.#lanes === undefined) {
      const [found] = await this.#read<Lanes>([keyOf.lanes])
      this.#lanes = found?.value.lanes ?? (await this.#decide(wanted ?? 16))
    }
    if (wanted === undefined || wanted === this.#lanes) return this.#lanes
    const message = `The outbox has ${this.#lanes} lanes, and not ${wanted}: keys would change their lanes. Use another namespace for an outbox with another number.`
    throw new StoreError('INVALID_CONFIG', message)
  }

  /** The newest numbers of all lanes, as they are committed: no transaction is waited for. One request. */
  async heads(lanes: number): Promise<readonly number[]> {
    const keys = Array.from({ length: lanes }, (_, lane) => keyOf.head(lane))
    const found = await this.#read<Head>(keys, this.#peek)
    return found.map((one) => one?.value.last ?? 0)
  }

  async claims(lanes: readonly number[]): Promise<readonly FoundClaim[]> {
    const found = await this.#read<Claim>(lanes.map(keyOf.claim))
    return found.map((one) => one ?? { value: noClaim, version: null })
  }

  messages(lane: number, numbers: readonly number[]): Promise<readonly (Found<StoredMessage> | undefined)[]> {
    return this.#read(numbers.map((number) => keyOf.message(lane, number)))
  }

  /** Replace a claim. Resolves to its version; `undefined`: another relay has come before. */
  async claim(lane: number, value: Claim, ifVersion: Version | null): Promise<Version | undefined> {
    const key = keyOf.claim(lane)
    const change = await this.#change({ type: 'set', key, value, ifVersion })
    const [result] = (await this.#write([change])) as readonly [WriteResult]
    if (!isStoreError(result)) return isConditionFailed(result) ? undefined : change.version
    if (result.code !== 'OUTCOME_UNKNOWN') throw result
    const [found] = await this.#read<Claim>([key])
    return found?.version === change.version ? change.version : undefined
  }

  /** Remove messages that were handed on. It never fails. */
  async remove(
    messages: readonly { readonly lane: number; readonly number: number; readonly version: Version }[],
  ): Promise<readonly Removed[]> {
    try {
      const changes = await Promise.all(
        messages.map(({ lane, number, version }) =>
          this.#change({ type: 'delete', key: keyOf.message(lane, number), ifVersion: version }),
        ),
      )
      const results = await this.#write(changes)
      return results.map((result) =>
        isStoreError(result) ? result : isConditionFailed(result) ? 'gone' : 'removed',
      )
    } catch (error) {
      if (!isStoreError(error)) throw error
      return messages.map(() => error)
    }
  }

  async #decide(lanes: number): Promise<number> {
    const change = await this.#change({ type: 'set', key: keyOf.lanes, value: { lanes }, ifVersion: null })
    const [result] = await this.#write([change])
    if (isStoreError(result) && !isCode(result, 'OUTCOME_UNKNOWN')) throw result
    const [found] = await this.#read<Lanes>([keyOf.lanes])
    if (found === undefined)
      throw new StoreError('UNAVAILABLE', 'The outbox could not keep its number of lanes.')
    return found.value.lanes
  }

  async #read<T>(keys: readonly string[], step?: Step): Promise<readonly (Found<T> | undefined)[]> {
    const reads = keys.map((key) => ({ key: this.#participant.keys.canonical(key) }))
    const results = await this.#participant.read(reads, step, new Call(timeoutMs))
    return results.map((result) => foundIn<T>(result))
  }

  #change(change: NewChange): ReturnType<Participant['mutation']> {
    return this.#participant.mutation({ ...change, key: this.#participant.keys.canonical(change.key) })
  }

  #write(changes: Parameters<Participant['write']>[0]): ReturnType<Participant['write']> {
    return this.#participant.write(changes, undefined, new Call(timeoutMs))
  }
}
