import { openStores } from '@unikv/manager'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { tuner } from '../../src/index.ts'

describeWithOwn('postgres', () => {
  test('an index is proposed for a query that the server tells of, and the program does not declare', async () => {
    await using server = await ownServer('postgres', {
      args: ['-c', 'shared_preload_libraries=pg_stat_statements'],
    })
    await using manager = await openStores({
      stores: { users: { url: server.url, layers: ['json'] }, figures: `${server.url}?dataset=figures` },
      monitor: {
        keepIn: 'figures',
        policies: [{ store: 'users', operation: 'native', belowMs: 5, minCalls: 5, over: '5s' }],
      },
    })
    const native = manager.stores.users.native as { query(sql: string, values?: unknown[]): Promise<unknown> }
    await native.query('CREATE EXTENSION pg_stat_statements')
    await manager.stores.users.set('a', 1)
    await native.query(`INSERT INTO unikv (k, version, value)
      SELECT convert_to('x' || i, 'UTF8'), decode(lpad(to_hex(i), 24, '0'), 'hex'), '\\x00' FROM generate_series(1, 200000) i`)
    await native.query('ALTER TABLE unikv ADD COLUMN ip TEXT')
    await native.query("UPDATE unikv SET ip = '10.' || abs(hashtext(k::text)) % 5000")
    await using tuning = tuner({ manager, everyMs: 300 })
    await expect
      .poll(
        async () => {
          const query = () => native.query('SELECT count(*) FROM unikv WHERE ip = $1', ['10.7'])
          for (let i = 0; i < 5; i += 1) await manager.monitor?.measure('users', query)
          return (await tuning.actions())[0]?.title
        },
        { interval: 20 },
      )
      .toBe('an index on ip of unikv')
    expect((await tuning.actions())[0]?.figures[1]?.name).toBe('queries by ip, as the server tells')
  })
})
