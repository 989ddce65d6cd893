import { randomBytes } from 'node:crypto'
import { describeWith } from '@unikv/test-kit/vitest'
import type { RowDataPacket } from 'mysql2'
import { expect, test, vi } from 'vitest'
import { Connections } from '../src/client/connections.ts'
import { callbackPool } from '../src/client/mysql-pool.ts'
import { CommitTokens } from '../src/groups/commit-tokens.ts'
import { GroupStatements } from '../src/groups/group-statements.ts'
import { groupTableOf } from '../src/groups/group-table.ts'
import { mysqlBench } from './mysql-bench.ts'

/** The clock of this process, which is set before anything keeps it. */
const clock = vi.hoisted(() => {
  const real = Date.now
  const hoisted = { aheadMs: 0 }
  Date.now = () => real() + hoisted.aheadMs
  return hoisted
})

const hourMs = 3_600_000
const call = () => ({ deadlineAt: performance.now() + 30_000 })

describeWith('mariadb', (url) => {
  const bench = mysqlBench(url)

  async function opened() {
    const table = await bench.table()
    const store = bench.store({ url, table, prepare: true })
    const tx = await store.groups?.begin('g', call())
    await tx?.commit([{ key: 'k', value: Buffer.from('1') }])
    const name = groupTableOf(table)
    const connections = new Connections(callbackPool(bench.pool()), 10)
    const tokens = new CommitTokens(connections, new GroupStatements(name, false))
    const rows = async (): Promise<readonly string[]> => {
      const [found] = await bench.sql.query<RowDataPacket[]>(
        `SELECT HEX(k) AS k FROM \`${name}\` WHERE grp = 0xff`,
      )
      return found.map((row) => String(row.k))
    }
    const put = async (key: Buffer): Promise<void> => {
      await bench.sql.query(`INSERT INTO \`${name}\` VALUES (0xff, ?, '')`, [key])
    }
    return { tokens, rows, put, drop: () => bench.sql.query(`DROP TABLE \`${name}\``) }
  }

  /** A token as it was made so long ago. */
  function aged(ms: number): Buffer {
    const time = Buffer.alloc(6)
    time.writeUIntBE(Date.now() - ms, 0, 6)
    return Buffer.concat([time, randomBytes(10)])
  }

  test('a sweep by a process whose clock is ahead leaves the proofs of others', async () => {
    const { tokens, rows, put, drop } = await opened()
    const [young] = await rows()
    await put(aged(48 * hourMs))
    clock.aheadMs = 30 * hourMs
    try {
      tokens.sweep()
      await expect.poll(async () => (await rows()).length, { timeout: 30_000 }).toBeLessThan(2)
    } finally {
      clock.aheadMs = 0
    }
    expect(await rows()).toEqual([young])
    await drop()
  })

  test('a missing token is proof only of a commit that is younger than half the age at which tokens are removed', async () => {
    const { tokens, drop } = await opened()
    const fateOf = (token: ReturnType<CommitTokens['make']>) => tokens.fateOf(token, call())
    expect(await fateOf(tokens.make())).toBe('not committed')
    clock.aheadMs = -13 * hourMs
    expect(await fateOf(tokens.make())).toBe('forgotten')
    clock.aheadMs = 0
    const token = tokens.make()
    expect(await fateOf({ ...token, madeAt: token.madeAt - 13 * hourMs })).toBe('forgotten')
    await drop()
  })

  test('a token that is there is proof at any age', async () => {
    const { tokens, put, drop } = await opened()
    const token = tokens.make()
    await put(token.key)
    expect(await tokens.fateOf({ ...token, madeAt: token.madeAt - 13 * hourMs }, call())).toBe('committed')
    await drop()
  })
})
