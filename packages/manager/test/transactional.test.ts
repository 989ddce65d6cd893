import { transactions } from '@unikv/transaction'
import { expect, expectTypeOf, it } from 'vitest'
import { defineConfig, openStores } from '../src/index.ts'

const taking = { transactional: { log: 'log' } } as const

it('stores of a configuration take part in transactions, and the monitor counts them', async () => {
  const config = defineConfig({
    stores: {
      accounts: { url: 'memory:', layers: ['cache', 'json', taking] },
      orders: { url: 'memory:', namespace: 'shop', layers: ['json', taking] },
      log: { url: 'memory:', namespace: 'log', layers: ['json'] },
    },
    monitor: true,
  })
  const { stores, monitor, close } = await openStores(config)
  const { accounts, orders, log } = stores
  const db = transactions({ accounts, orders, log }, { monitor })
  await accounts.set('ada', 100)
  await db.run(async (tx) => {
    const balance = await tx.accounts.get('ada')
    await tx.accounts.set('ada', Number(balance) - 10)
    await tx.orders.set('o1', { paid: 10 })
  })
  expect([await accounts.get('ada'), await orders.get('o1')]).toEqual([90, { paid: 10 }])
  expect(monitor?.snapshot().stores['log']?.transaction).toMatchObject({
    calls: 1,
    outcomes: { committed: 1 },
    conflicts: {},
  })
  expectTypeOf(orders.capabilities.deltas).toEqualTypeOf<false>()
  await close()
})

it.each([
  [
    'a log of bytes',
    { log: 'memory:' },
    ['json', taking],
    'stores.a.layers[1].transactional: log cannot keep',
  ],
  ['no log', { log: 'memory:' }, ['json', { transactional: { log: 'lg' } }], "there is no store 'lg'"],
  ['no option', {}, ['json', 'transactional'], 'stores.a.layers[1].transactional:'],
  ['parts above', undefined, ['json', 'parts', taking], 'its values are kept in parts'],
  ['a layer below', undefined, ['json', taking, 'cache'], 'stands next to the store'],
  ['itself', {}, ['json', { transactional: { log: 'a' } }], 'in a circle: a → a'],
])('refuses %s', async (_, others, layers, message) => {
  const log = { url: 'memory:', layers: ['json'] }
  const stores = { a: { url: 'memory:', layers }, ...(others ?? { log }) }
  await expect(openStores({ stores } as never)).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: expect.stringContaining(message),
  })
})
