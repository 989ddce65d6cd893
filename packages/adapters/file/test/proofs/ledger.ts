import { isStoreError, type StoreError } from '@unikv/core'
import { History, type Operation } from './history.ts'
import { counters, find, keys, type Notes, type Worked } from './worker.ts'

/** What all workers told, and what is wrong with what is there in the end. */
export class Ledger implements Notes {
  readonly #history = new History()
  readonly #counted = new Map<string, number>()
  readonly #begun = new Map<string, number>()
  readonly #errors: string[] = []
  #time = 0
  #acknowledged = 0

  now(): number {
    return ++this.#time
  }

  began(operation: Operation): void {
    this.#history.add(operation)
  }

  ended({ refused }: Operation): void {
    if (refused !== true) this.#acknowledged++
  }

  counts(key: string): void {
    this.#begun.set(key, (this.#begun.get(key) ?? 0) + 1)
  }

  counted(key: string): void {
    this.#counted.set(key, (this.#counted.get(key) ?? 0) + 1)
    this.#acknowledged++
  }

  failed(error: StoreError): void {
    this.#errors.push(`${error.code} ${error.message} ${String(error.cause)}`)
  }

  /** Writes and increments that were acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged
  }

  /** What is wrong with a store that answers at once, after all that was told; `undefined`: nothing. */
  problemWith(store: Worked): string | undefined {
    if (this.#errors[0] !== undefined) return `an error: ${this.#errors[0]}`
    const wrong = this.#history.wrongCondition()
    if (wrong !== undefined) return wrong
    return this.#problemWithRecords(store) ?? this.#problemWithCounters(store)
  }

  /** Begin anew with what is there: from now on that must not be lost. */
  static of(store: Worked): Ledger {
    const ledger = new Ledger()
    for (const key of keys) {
      const found = find(store, key)
      if (isStoreError(found)) throw found
      const endedAt = Number.NEGATIVE_INFINITY
      if (found !== undefined) ledger.began({ key, ...found, startedAt: endedAt, endedAt })
    }
    for (const key of counters) {
      const found = find(store, key)
      if (isStoreError(found)) throw found
      ledger.#counted.set(key, Number(found?.value ?? 0))
      ledger.#begun.set(key, Number(found?.value ?? 0))
    }
    return ledger
  }

  #problemWithRecords(store: Worked): string | undefined {
    for (const key of keys) {
      const found = find(store, key)
      if (isStoreError(found)) return `${found.code}: ${found.message}`
      const loss = this.#history.lossOf(key, found)
      if (loss !== undefined) return `${loss}: ${key.slice(0, 10)}`
    }
    return undefined
  }

  #problemWithCounters(store: Worked): string | undefined {
    for (const key of counters) {
      const found = find(store, key)
      if (isStoreError(found)) return `${found.code}: ${found.message}`
      const count = Number(found?.value ?? 0)
      if (!Number.isSafeInteger(count)) return 'a torn record'
      const atLeast = this.#counted.get(key) ?? 0
      if (count < atLeast) return `${atLeast - count} counts are lost`
      if (count > (this.#begun.get(key) ?? 0)) return 'something was counted twice'
    }
    return undefined
  }
}
