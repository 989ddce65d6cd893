import { keyValue } from '@unikv/core'
import { mysql } from '@unikv/mysql'
import { startServer } from '@unikv/test-kit'
import { createPool } from 'mysql2/promise'
import { type Entrants, ofKeyValue } from '../measure/overhead.ts'

/** mysql2 with prepared statements, and one statement for many rows. */
export async function overMysql(): Promise<Entrants> {
  const server = await startServer('mariadb')
  const pool = createPool({ uri: server.url, connectionLimit: 10 })
  await pool.query('CREATE TABLE native (k VARBINARY(255) PRIMARY KEY, v LONGBLOB NOT NULL)')
  const kv = keyValue(mysql({ url: server.url, table: 'bench', prepare: true }))
  const upsert = (rows: number): string =>
    `INSERT INTO native VALUES ${Array(rows).fill('(?, ?)').join()} ON DUPLICATE KEY UPDATE v = VALUES(v)`
  const native = {
    insert: (key: string, value: Buffer) => pool.execute(upsert(1), [key, value]),
    read: (key: string) => pool.execute('SELECT v FROM native WHERE k = ?', [key]),
    delete: (key: string) => pool.execute('DELETE FROM native WHERE k = ?', [key]),
    readMany: (keys: readonly string[]) =>
      pool.execute(`SELECT k, v FROM native WHERE k IN (${Array(keys.length).fill('?').join()})`, [...keys]),
    insertMany: (entries: readonly (readonly [string, Buffer])[]) =>
      pool.execute(upsert(entries.length), entries.flat()),
  }
  const close = async (): Promise<void> => {
    await pool.end()
    await kv.close()
    await server.stop()
  }
  return { native, unikv: ofKeyValue(kv), close }
}
