import { openStores } from '@unikv/manager'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { tuner } from '../../src/index.ts'

/** How each product is made to tell, and 200,000 records with a column of the program's own. */
const products = {
  postgres: {
    args: ['-c', 'shared_preload_libraries=pg_stat_statements'],
    setUp: [
      'CREATE EXTENSION pg_stat_statements',
      'ALTER TABLE unikv ADD COLUMN ip TEXT',
      `INSERT INTO unikv (k, version, value, ip) SELECT convert_to('x' || i, 'UTF8'),
        decode(lpad(to_hex(i), 24, '0'), 'hex'), '\\x00', '10.' || i % 5000 FROM generate_series(1, 200000) i`,
    ],
    query: 'SELECT count(*) FROM unikv WHERE ip = $1',
  },
  mariadb: {
    args: ['--performance-schema=ON'],
    setUp: [
      'ALTER TABLE unikv ADD COLUMN ip VARCHAR(40)',
      `INSERT INTO unikv (k, version, value, ip)
        SELECT CONCAT('x', seq), '123456789012', 'x', CONCAT('10.', seq % 5000) FROM seq_1_to_200000`,
    ],
    query: 'SELECT count(*) FROM unikv WHERE ip = ?',
  },
} as const

describe.each(['postgres', 'mariadb'] as const)('%s', (kind) => {
  const { args, setUp, query } = products[kind]
  describeWithOwn(kind, () => {
    test('an index is proposed for a query that the server tells of, and the program does not declare', async () => {
      await using server = await ownServer(kind, { args })
      await using manager = await openStores({
        stores: { users: { url: server.url, layers: ['json'] }, figures: `${server.url}?dataset=figures` },
        monitor: {
          keepIn: 'figures',
          policies: [{ store: 'users', operation: 'native', belowMs: 5, minCalls: 5, over: '5s' }],
        },
      })
      const native = manager.stores.users.native as {
        query(sql: string, values?: unknown[]): Promise<unknown>
      }
      await manager.stores.users.set('a', 1)
      for (const sql of setUp) await native.query(sql)
      await using tuning = tuner({ manager, everyMs: 300 })
      const asked = () => native.query(query, ['10.7'])
      await expect
        .poll(
          async () => {
            for (let i = 0; i < 5; i += 1) await manager.monitor?.measure('users', asked)
            return (await tuning.actions())[0]?.title
          },
          { interval: 20 },
        )
        .toBe('an index on ip of unikv')
      expect((await tuning.actions())[0]?.figures[1]?.name).toBe('queries by ip, as the server tells')
    })
  })
})
