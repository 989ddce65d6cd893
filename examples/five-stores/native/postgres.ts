import pg from 'pg'
import { type Data, sessionMs, User } from '../data.ts'

export async function dataOf(url: string, schema: string): Promise<Data> {
  const pool = new pg.Pool({ connectionString: url })
  await pool.query(`
    CREATE SCHEMA IF NOT EXISTS "${schema}";
    CREATE TABLE IF NOT EXISTS "${schema}".users (name text PRIMARY KEY, mail text NOT NULL, since text NOT NULL);
    CREATE TABLE IF NOT EXISTS "${schema}".sessions (id text PRIMARY KEY, name text NOT NULL, until timestamptz NOT NULL);
    CREATE TABLE IF NOT EXISTS "${schema}".visits (page text PRIMARY KEY, count bigint NOT NULL)`)
  return {
    async addUser(name, { mail, since }) {
      const { rowCount } = await pool.query(
        `INSERT INTO "${schema}".users VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
        [name, mail, since],
      )
      return rowCount === 1
    },
    async user(name) {
      const { rows } = await pool.query(`SELECT mail, since FROM "${schema}".users WHERE name = $1`, [name])
      return rows[0] === undefined ? undefined : User.parse(rows[0])
    },
    async changeMail(name, mail) {
      const { rowCount } = await pool.query(`UPDATE "${schema}".users SET mail = $2 WHERE name = $1`, [
        name,
        mail,
      ])
      return rowCount === 1
    },
    async startSession(id, name) {
      await pool.query(`DELETE FROM "${schema}".sessions WHERE until <= now()`)
      await pool.query(`INSERT INTO "${schema}".sessions VALUES ($1, $2, $3)`, [
        id,
        name,
        new Date(Date.now() + sessionMs),
      ])
    },
    async session(id) {
      const { rows } = await pool.query(
        `SELECT name FROM "${schema}".sessions WHERE id = $1 AND until > now()`,
        [id],
      )
      return rows[0]?.name
    },
    async endSession(id) {
      await pool.query(`DELETE FROM "${schema}".sessions WHERE id = $1`, [id])
    },
    async countVisit(page) {
      const { rows } = await pool.query(
        `INSERT INTO "${schema}".visits AS v VALUES ($1, 1) ON CONFLICT (page) DO UPDATE SET count = v.count + 1 RETURNING count`,
        [page],
      )
      return Number(rows[0].count)
    },
    async visits() {
      const { rows } = await pool.query(`SELECT page, count FROM "${schema}".visits`)
      return Object.fromEntries(rows.map(({ page, count }) => [page, Number(count)]))
    },
    close: () => pool.end(),
  }
}
