import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openStores } from '@unikv/manager'
import { mulberry32 } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { type Action, TunerLog } from '@unikv/tuner'
import { expect, test } from 'vitest'

/** The short form kills once; `npm run prove -- tuner-kill` a hundred times. */
const kills = Number(process.env['UNIKV_KILLS'] ?? 1)
const seed = Number(process.env['UNIKV_SEED'] ?? 1)
const program = fileURLToPath(new URL('tuned-program.mjs', import.meta.url))

describeWith('postgres', (url) => {
  test(`a tuner that is killed while it makes an index is followed by another one (kills: ${kills})`, {
    timeout: 3_600_000,
  }, async () => {
    const random = mulberry32(seed)
    const table = `killed_${process.pid}`
    const db = await openStores({ stores: { db: url } })
    const native = db.stores.db.native as { query(sql: string): Promise<{ rows: { n: string }[] }> }
    await native.query(
      `CREATE TABLE ${table} AS SELECT i AS no, 'ip' || i % 5000 AS ip, repeat('x', 50) AS rest FROM generate_series(1, 150000) i`,
    )
    try {
      for (let round = 0; round < kills; round += 1) {
        const figures = `${table}_${round}`
        const manager = await openStores({ stores: { log: `${url}?dataset=${figures}` } })
        const log = new TunerLog(manager.stores.log)
        const last = async (): Promise<Action | undefined> => (await log.actions()).at(-1)?.action
        const first = started(url, table, figures)
        await expect.poll(async () => (await last())?.state, { interval: 20 }).toMatch(/begun|checking|kept/) // the making may be over before it was seen
        await wait(random() * 250)
        first.kill('SIGKILL')
        await once(first, 'exit')
        const second = started(url, table, figures)
        await expect.poll(async () => (await last())?.state, { interval: 100 }).toMatch(/kept|undone|failed/)
        second.kill('SIGTERM')
        await once(second, 'exit')
        const action = await last()
        const { rows } = await native.query(
          `SELECT count(*) AS n FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE indrelid = '${table}'::regclass AND indisvalid`,
        )
        const { rows: invalid } = await native.query(
          `SELECT count(*) AS n FROM pg_index WHERE indrelid = '${table}'::regclass AND NOT indisvalid`,
        )
        expect({ valid: Number(rows[0]?.n), invalid: Number(invalid[0]?.n) }).toEqual({
          valid: action?.state === 'kept' ? 1 : 0,
          invalid: 0,
        })
        await native.query(`DROP INDEX IF EXISTS ${JSON.stringify(action?.change['name'])}`)
        await manager.close()
        await native.query(`DROP TABLE IF EXISTS ${figures}`)
      }
    } finally {
      await native.query(`DROP TABLE IF EXISTS ${table}`)
      await db.close()
    }
  })
})

function started(url: string, table: string, figures: string): ChildProcess {
  return spawn(process.execPath, [program, url, table, figures], { stdio: ['ignore', 'inherit', 'inherit'] })
}
