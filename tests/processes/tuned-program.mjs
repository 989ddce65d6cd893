import { setTimeout as wait } from 'node:timers/promises'
import { openStores } from '@unikv/manager'
import { tuner } from '@unikv/tuner'

/** A program with a query that lacks an index, and a tuner that may make it. */
const [url = '', table = '', figures = ''] = process.argv.slice(2)
const manager = await openStores({
  stores: {
    users: { url: `${url}?dataset=${table}_kv`, layers: ['json'] },
    figures: `${url}?dataset=${figures}`,
  },
  monitor: {
    keepIn: 'figures',
    flushMs: 500,
    policies: [{ store: 'users', operation: 'native', belowMs: 2, minCalls: 3, over: '5s' }],
  },
})
const tuning = tuner({
  manager,
  approve: () => true,
  everyMs: 250,
  onError: (error) => console.error(error),
})
const { native } = manager.stores.users
let isOver = false
process.once('SIGTERM', () => (isOver = true))
for (let i = 0; !isOver; i += 1) {
  const query = () => native.query(`SELECT count(*) FROM ${table} WHERE ip = $1`, [`ip${i % 5000}`])
  await manager.monitor?.measure('users', query, { by: ['ip'], in: table })
  await manager.stores.users.set(`k${i % 100}`, i)
  await wait(2)
}
await tuning.close()
await manager.close()
