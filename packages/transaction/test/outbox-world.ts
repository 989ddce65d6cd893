import { json, keyValue } from '@unikv/core'
import type { memory } from '@unikv/core/memory'
import { outbox, transactional, transactions } from '../src/index.ts'
import { leaseMs, Process, type Shared } from './world.ts'

type MemoryStore = ReturnType<typeof memory>

/** What one process has of a shop: orders in one store, its messages in another one. */
export function shop(shared: Shared, process: Process = new Process(), lanes?: number) {
  const open = (store: Shared['red']) => process.through(store as MemoryStore)
  const log = keyValue(open(shared.log), [json()])
  const layer = transactional({ log, leaseMs })
  const orders = keyValue(open(shared.blue), [json<number>(), layer])
  const kv = keyValue(open(shared.red), [json(), layer])
  const events = outbox<{ changed: number; other: unknown }>(kv, { lanes })
  return { log, orders, kv, events, db: transactions({ orders, events, log }) }
}

export type Shop = ReturnType<typeof shop>

/** The order that the messages of a key tell of. */
export function orderOf(key: string): string {
  return JSON.stringify(key)
}

/** Add one to an order, and publish its value. */
export function change({ db }: Shop, key: string, timeoutMs = 10_000): Promise<number> {
  return db.run(
    async (tx) => {
      const name = orderOf(key)
      const value = ((await tx.orders.get(name)) ?? 0) + 1
      await tx.orders.set(name, value)
      await tx.events.publish('changed', value, { key })
      return value
    },
    { timeoutMs, retry: 'optimistic' },
  )
}

/** Resolves when it holds. */
export async function until(holds: () => boolean | Promise<boolean>, mostMs = 20_000): Promise<void> {
  const end = performance.now() + mostMs
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('It did not come to hold.')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
