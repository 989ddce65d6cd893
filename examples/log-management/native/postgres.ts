import pg from 'pg'
import type { Log, Logs } from '../log.ts'

const columns = ['tenant', 'id', 'at', 'host', 'application', 'level', 'address', 'message']

export async function logsOf(url: string, schema: string): Promise<Logs> {
  const pool = new pg.Pool({ connectionString: url })
  await pool.query(`
    CREATE SCHEMA IF NOT EXISTS "${schema}";
    CREATE TABLE IF NOT EXISTS "${schema}".logs (tenant text, id text COLLATE "C", at text COLLATE "C" NOT NULL,
      host text NOT NULL, application text NOT NULL, level text NOT NULL, address text NOT NULL, message text NOT NULL,
      PRIMARY KEY (tenant, id));
    CREATE INDEX IF NOT EXISTS logs_time ON "${schema}".logs (tenant, at, id);
    CREATE INDEX IF NOT EXISTS logs_address ON "${schema}".logs (tenant, address, at, id)`)
  const select = `SELECT ${columns.slice(1).join(', ')} FROM "${schema}".logs WHERE tenant = $1`
  const rowOf = (tenant: string, log: Log): unknown[] => [tenant, ...valuesOf(log)]
  return {
    async add(tenant, logs) {
      for (let i = 0; i < logs.length; i += 1_000) {
        const rows = logs.slice(i, i + 1_000).map((log) => rowOf(tenant, log))
        const places = rows.map((row, at) => row.map((_, j) => `$${at * columns.length + j + 1}`).join())
        await pool.query(`INSERT INTO "${schema}".logs VALUES (${places.join('), (')})`, rows.flat())
      }
    },
    async log(tenant, id) {
      const { rows } = await pool.query<Log>(`${select} AND id = $2`, [tenant, id])
      return rows[0]
    },
    async correct(tenant, log) {
      const { rowCount } = await pool.query(
        `UPDATE "${schema}".logs SET at = $3, host = $4, application = $5, level = $6, address = $7, message = $8
          WHERE tenant = $1 AND id = $2`,
        rowOf(tenant, log),
      )
      return rowCount === 1
    },
    async remove(tenant, id) {
      const { rowCount } = await pool.query(`DELETE FROM "${schema}".logs WHERE tenant = $1 AND id = $2`, [
        tenant,
        id,
      ])
      return rowCount === 1
    },
    async between(tenant, from, to) {
      const span = `${select} AND at >= $2 AND at < $3 ORDER BY at, id`
      return (await pool.query<Log>(span, [tenant, from, to])).rows
    },
    async of(tenant, address, from, to) {
      const span = `${select} AND address = $2 AND at >= $3 AND at < $4 ORDER BY at, id`
      return (await pool.query<Log>(span, [tenant, address, from, to])).rows
    },
    close: () => pool.end(),
  }
}

function valuesOf({ id, at, host, application, level, address, message }: Log): readonly string[] {
  return [id, at, host, application, level, address, message]
}
