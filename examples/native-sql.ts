// SQL beside KeyValue: values are JSON documents in a column, so that queries of your own work on them.
// needs: UNIKV_TEST_MARIADB_URL
import assert from 'node:assert/strict'
import { document, keyValue } from '@unikv/core'
import { mysql } from '@unikv/mysql'
import { z } from 'zod'

const Order = z.object({ customer: z.string(), cents: z.number().int(), paid: z.boolean() })
const table = `example_${process.pid}`
const orders = keyValue(
  mysql({ url: process.env['UNIKV_TEST_MARIADB_URL'] ?? '', table, values: 'document', prepare: true }),
  [document(Order)],
)

await orders.setMany([
  ['2026-001', { customer: 'ada', cents: 4200, paid: true }],
  ['2026-002', { customer: 'bob', cents: 1900, paid: false }],
  ['2026-003', { customer: 'ada', cents: 800, paid: false }],
])
await orders.update('2026-002', (order) => order && { ...order, paid: true })

// `native` is the client of mysql2, on the same connections; a row has k, version, expires_at and value.
interface Sum {
  readonly customer: string
  readonly cents: string
}
const [sums] = await orders.native.query<Sum[]>(
  `SELECT JSON_UNQUOTE(JSON_EXTRACT(value, '$.customer')) AS customer, SUM(JSON_EXTRACT(value, '$.cents')) AS cents
   FROM \`${table}\` WHERE JSON_EXTRACT(value, '$.paid') = true GROUP BY customer ORDER BY customer`,
)
for (const { customer, cents } of sums) console.log(`${customer} paid ${Number(cents) / 100}`)
assert.deepEqual(
  sums.map(({ customer, cents }) => [customer, Number(cents)]),
  [
    ['ada', 4200],
    ['bob', 1900],
  ],
)

// Both ways: what SQL changed, KeyValue reads. A new version tells everybody who holds the old one.
await orders.native.execute(
  `UPDATE \`${table}\` SET value = JSON_SET(value, '$.cents', 900), version = RANDOM_BYTES(12) WHERE k = ?`,
  ['2026-003'],
)
assert.equal((await orders.get('2026-003'))?.cents, 900)

await orders.native.query(`DROP TABLE \`${table}\``)
await orders.close()
