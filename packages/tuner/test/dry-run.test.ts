import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStores, openUnrecorded } from '@unikv/manager'
import { summarised } from '@unikv/monitor'
import type { HistoryPoint, Policy } from '@unikv/monitor/recorder'
import { afterAll, expect, test } from 'vitest'
import { dryRun } from '../src/index.ts'
import { sqliteIndexer } from '../src/tactics/indexers/sqlite.ts'
import { figuresOf } from './observed.ts'

const folder = await mkdtemp(join(tmpdir(), 'unikv-dry-run-'))
afterAll(() => rm(folder, { recursive: true }))

const minuteMs = 60_000
const firstAt = Date.UTC(2026, 0, 1)

/** A minute of the past. */
function minute(i: number, operation: HistoryPoint['operation'], ms: number, failed = 0): HistoryPoint {
  const figures = summarised(figuresOf(600, ms, { failed }))
  return { ...figures, at: firstAt + i * minuteMs, lengthMs: minuteMs, store: 'users', operation }
}

/** Queries that took so long, minute by minute. */
function queries(fromMinute: number, ...times: readonly number[]): readonly HistoryPoint[] {
  return times.flatMap((ms, i) =>
    (['native', 'by ip in tx'] as const).map((name) => minute(fromMinute + i, name, ms)),
  )
}

const promise: Policy = { store: 'users', operation: 'native', belowMs: 10 }

test('a promise that was broken for three minutes in a row would have led to an index, and nothing is changed', async () => {
  const stores = { users: { url: `sqlite:${join(folder, 'users.db')}`, layers: ['json'] } } as const
  const filled = await openStores({ stores })
  await filled.stores.users.set('a', 1)
  const native = filled.stores.users.native as { exec(sql: string): void }
  native.exec(
    `CREATE TABLE tx (no INTEGER PRIMARY KEY, ip TEXT);
    INSERT INTO tx WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 100000) SELECT i, i % 500 FROM c`,
  )
  await filled.close()
  const manager = await openUnrecorded({ stores })
  try {
    // Two bad minutes, a good one, four bad ones; after a gap two more.
    const history = [...queries(0, 40, 40, 1, 40, 50, 60, 40), ...queries(20, 40, 40)]
    const [found, ...others] = await dryRun(manager, history, [promise])
    expect(others).toEqual([])
    expect(found).toMatchObject({
      policy: promise,
      fromAt: firstAt + 3 * minuteMs,
      toAt: firstAt + 7 * minuteMs,
      decision: { chosen: { tactic: 'add-index', candidate: { title: 'an index on ip of tx' } } },
    })
    expect((await sqliteIndexer.look(manager.stores.users.native, 'tx')).indexes).toEqual([])
    const errors: Policy = { store: 'users', operation: 'set', maxErrorShare: 0.01 }
    const failing = [0, 1, 2].map((i) => minute(i, 'set', 1, 30))
    const [other] = await dryRun(manager, failing, [errors])
    expect(other?.decision).toMatchObject({ trouble: { violation: { found: 0.05 } }, chosen: undefined })
  } finally {
    await manager.close()
  }
})
