import { startServer } from './packages/test-kit/dist/index.js'
import { keyValue } from '@unikv/core'
import { entities } from '@unikv/entity'
import { populate, runSessions } from '@unikv/session'
import * as A from '@unikv/session/auction'
import { postgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
const pg = await startServer('postgres')
const params = { USER_NUM: 10 }
const cases = [
  ['pg native', () => postgres({ url: pg.url, maxConnections: 12, table: 'n1', prepare: true }), 'native'],
  ['pg records', () => postgres({ url: pg.url, maxConnections: 12, table: 'n2', prepare: true }), 'records'],
]
for (const [name, make, transactions] of cases) {
  try {
    const store = make()
    const db = entities(keyValue(store), A.auctionTypes, { transactions })
    let t = performance.now()
    await populate(db, A.auctionPopulation({ ...params, AGE_DAYS: 5 }))
    const popMs = performance.now() - t
    const { sample, sessions, modes, statistics } = await runSessions({ benchmark: A.auction(A.auctionByEntities()), model: { transitions: A.auctionModels['write-heavy'], parameters: params, users: { first: 1, count: 10, newRatio: .1 } }, db, sessions: 16, operations: 3000, statistics: () => db.statistics() })
    const check = await A.checkAuction(db, A.auctionEntityData, { first: 1, count: 10 + 16 * (sessions.newUsers + 1) })
    console.log(name, 'populate ms', Math.round(popMs), 'ops/s', Math.round(sample.operations/sample.elapsedMs*1000), 'errors', sample.errors, sample.firstError, JSON.stringify(statistics), check.problems.slice(0,3), check.problems.length, check.bids)
    await store.close()
  } catch (e) { console.log(name, e) }
}
await pg.stop()
