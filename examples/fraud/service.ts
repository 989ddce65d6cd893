// Fraud analysis: payments are documents in a store, rules ask about sliding windows, and a tuner watches that 99.9 % of
// the queries take less than 10 ms.
import { type Awaitable, document } from '@unikv/core'
import { openStores } from '@unikv/manager'
import type { Monitor } from '@unikv/monitor'
import { type Action, type Tuner, tuner } from '@unikv/tuner'
import type { Database } from './database.ts'
import { List, type Listed } from './lists.ts'
import { Judge, type Risk } from './risk.ts'
import { firstRules } from './rules.ts'
import { keyOf, Transaction } from './transaction.ts'

export interface ServiceOptions {
  readonly black?: Listed
  readonly white?: Listed
  /** A URL of a store for the figures and the log of the tuner. @default 'memory:' */
  readonly keepIn?: string
  /** How often the tuner looks, in milliseconds. @default 5000 */
  readonly everyMs?: number
  /** Told of each step of the tuner. */
  readonly onStep?: (action: Action) => unknown
}

/** The promise over the queries of all rules. */
const promise = { store: 'transactions', operation: 'native', percentile: 99.9, belowMs: 10 } as const

export interface Payments {
  setMany(entries: Iterable<readonly [string, Transaction]>, options?: object): Promise<unknown>
  set(key: string, payment: Transaction): Promise<unknown>
  entries(options?: object): AsyncIterable<readonly [string, { readonly value: Transaction }]>
}

export interface Service {
  readonly payments: Payments
  readonly judge: Judge
  readonly tuning: Tuner
  /** Judge a payment, and keep it. */
  pay(payment: Transaction, sequence: number): Promise<Risk>
  close(): Awaitable<void>
}

export async function openService(database: Database, options: ServiceOptions = {}): Promise<Service> {
  const { black = {}, white = {}, keepIn = 'memory:', everyMs, onStep } = options
  const manager = await openStores({
    stores: { transactions: { store: database.store, layers: [document(Transaction)] }, figures: keepIn },
    monitor: { keepIn: 'figures', policies: [promise] },
  })
  const payments = manager.stores['transactions'] as unknown as Payments
  const lists = { black: new List(black), white: new List(white) }
  const judge = new Judge(database, manager.monitor as Monitor, { ...lists, rules: firstRules })
  const tuning = tuner({ manager, everyMs, onStep })
  return {
    payments,
    judge,
    tuning,
    async pay(payment, sequence) {
      const [risk] = await Promise.all([
        judge.riskOf(payment),
        payments.set(keyOf(payment.at, sequence), payment),
      ])
      return risk
    },
    async close() {
      await tuning.close()
      await manager.close()
    },
  }
}
