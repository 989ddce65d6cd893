import type { KeyValue } from '@unikv/core'
import { Participant } from '../run/participant.ts'
import { LaneTurns } from './lane-turns.ts'
import { OutboxRecords } from './records.ts'

/** The KeyValue of an outbox: with a codec such as `json()`, and the layer `transactional`. */
export type OutboxStore = Pick<KeyValue<string, never>, 'name' | 'capabilities'>

/** Newest numbers by their lane. */
export type News = ReadonlyMap<number, number>

/** An outbox in this process: one for all who open it. */
export class OutboxCore {
  readonly kv: OutboxStore
  readonly records: OutboxRecords
  readonly turns: LaneTurns = new LaneTurns()
  /** Lanes into which a transaction of this process was lost: the next one may meet what another one has left there. */
  readonly doubtful: Set<number> = new Set()
  readonly #listeners = new Set<(news: News) => void>()

  constructor(kv: OutboxStore) {
    this.kv = kv
    this.records = new OutboxRecords(new Participant('outbox', kv))
  }

  /** Tell the relays of this process that messages were committed. */
  ring(news: News): void {
    for (const listener of this.#listeners) listener(news)
  }

  /** Hear of messages that this process commits. Returns the end of it. */
  listen(listener: (news: News) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

/** An outbox with the options of its opening. */
export class OpenedOutbox {
  readonly core: OutboxCore
  readonly #lanes: number | undefined

  constructor(core: OutboxCore, lanes: number | undefined) {
    this.core = core
    this.#lanes = lanes
  }

  /** @throws {StoreError} `INVALID_CONFIG` if the outbox has another number of lanes */
  lanes(): Promise<number> {
    return this.core.records.lanes(this.#lanes)
  }
}

const cores = new WeakMap<object, OutboxCore>()

/** @throws {StoreError} `INVALID_CONFIG` for a KeyValue that cannot take part in transactions */
export function coreOf(kv: OutboxStore): OutboxCore {
  let core = cores.get(kv)
  if (core === undefined) {
    core = new OutboxCore(kv)
    cores.set(kv, core)
  }
  return core
}
