// A cache around calls of the native client: SQL of your own, its answers kept in this process and, for others, in LMDB.
import assert from 'node:assert/strict'
import { createCache, loaded, notModified } from '@unikv/cache'
import { document, json, keyValue } from '@unikv/core'
import { lmdb } from '@unikv/lmdb'
import { sqlite } from '@unikv/sqlite'
import { z } from 'zod'

const Order = z.object({ customer: z.string(), cents: z.number().int() })
const orders = keyValue(sqlite({ path: './shop.db', table: 'orders', values: 'document' }), [document(Order)])
await orders.setMany([
  ['2026-001', { customer: 'ada', cents: 4200 }],
  ['2026-002', { customer: 'bob', cents: 1900 }],
  ['2026-003', { customer: 'ada', cents: 800 }],
])

const sums = createCache({
  freshForMs: 60_000,
  below: { store: lmdb({ path: './cache', durability: 'buffered' }), codec: json(z.number()) },
})
const versionOf = orders.native.prepare('SELECT hex(max(version)) FROM orders').raw()
const sumOf = orders.native
  .prepare(
    "SELECT sum(json_extract(value, '$.cents')) FROM orders WHERE json_extract(value, '$.customer') = ?",
  )
  .raw()
const asked = { versions: 0, sums: 0 }

/** The sum of a customer's orders, in cents: asked of SQLite once for all callers at once, and once a minute. */
function spentBy(customer: string): Promise<number> {
  return sums.cached(customer, ({ ifNotVersion }) => {
    asked.versions++
    const [version] = versionOf.get([]) as [string]
    if (version === ifNotVersion) return notModified()
    asked.sums++
    const [cents] = sumOf.get([customer]) as [number]
    return loaded(cents, { version })
  })
}

assert.deepEqual(
  await Promise.all(Array.from({ length: 1_000 }, () => spentBy('ada'))),
  Array(1_000).fill(5000),
)
assert.deepEqual(asked, { versions: 1, sums: 1 })

// Code that changes the data tells the cache: later reads are never older.
await orders.set('2026-004', { customer: 'ada', cents: 1000 })
await sums.invalidate('ada')
assert.equal(await spentBy('ada'), 6000)
console.log(`ada has spent ${(await spentBy('ada')) / 100}; SQLite was asked ${asked.sums} times`)

await sums.close()
await orders.close()
