import { bounded, Turns } from '@unikv/core/adapter'
import { monotonicClock } from '@unikv/core/platform'
import type { Ending } from '../log/log.ts'
import type { Parts } from './participant.ts'

/** A transaction that takes longer than this is not waited for. */
const patienceMs = 500

/**
 * Records of which a transaction of this process has lost a conflict. Transactions wait for each other there: else all callers of
 * one record would read it at a time, and one of them could write.
 */
export class Queue {
  readonly #turns = new Turns()
  /** How many hold or wait for a record. */
  readonly #busy = new Map<string, number>()

  /** Whether others are at this record, or wait for it. */
  isBusy(record: string): boolean {
    return this.#busy.has(record)
  }

  /** Wait for these records. Resolves to the end of the turn. @throws {StoreError} `TIMEOUT`, `ABORTED` */
  async take(records: readonly string[], call: Ending): Promise<() => void> {
    let end = (): void => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    for (const record of records) this.#busy.set(record, (this.#busy.get(record) ?? 0) + 1)
    const leave = (): void => {
      end()
      for (const record of records) {
        const left = (this.#busy.get(record) ?? 1) - 1
        if (left === 0) this.#busy.delete(record)
        else this.#busy.set(record, left)
      }
    }
    const begun = new Promise<void>((resolve) => {
      void this.#turns.take(records, () => {
        resolve()
        return ended
      })
    })
    await this.#patiently(begun, call).catch((error: unknown) => {
      leave()
      throw error
    })
    return leave
  }

  async #patiently(begun: Promise<void>, call: Ending): Promise<void> {
    const deadlineAt = monotonicClock() + patienceMs
    const ask = async (): Promise<void> => begun
    const never = (): void => {}
    if (call.deadlineAt <= deadlineAt) return bounded(call, false, ask, never)
    await bounded({ ...call, deadlineAt }, false, ask, never).catch((error: unknown) => {
      if (call.signal?.aborted === true) throw error
    })
  }
}

/** The place of one run in the queue, for all its attempts. */
export class Turn {
  readonly #queue: Queue
  readonly #call: Ending
  #records: readonly string[] = []
  #end: () => void = () => {}

  constructor(queue: Queue, call: Ending) {
    this.#queue = queue
    this.#call = call
  }

  /** Before the first read: one that waits for nothing holds nothing. */
  async before(store: string, keys: readonly string[]): Promise<void> {
    const record = keys.map((key) => recordOf(store, key)).find((one) => this.#queue.isBusy(one))
    if (record !== undefined && this.#records.length === 0) await this.#take([record])
  }

  /** After a lost attempt: for all its records. */
  async after({ shares }: Parts): Promise<void> {
    const records = shares.flatMap(({ participant: { name }, reads, writes }) =>
      [...(writes.size > 0 ? writes : reads).keys()].map((key) => recordOf(name, key)),
    )
    if (records.every((record) => this.#records.includes(record))) return
    this.end()
    await this.#take(records)
  }

  end(): void {
    this.#end()
    this.#end = () => {}
    this.#records = []
  }

  async #take(records: readonly string[]): Promise<void> {
    this.#records = records
    this.#end = await this.#queue.take(records, this.#call)
  }
}

function recordOf(store: string, key: string): string {
  return `${store} ${key}`
}
