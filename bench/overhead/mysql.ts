import { keyValue, newVersion } from '@unikv/core'
import { mysql, prepareMysql } from '@unikv/mysql'
import { createPool } from 'mysql2/promise'
import { type Client, type Entrants, ofKeyValue } from '../measure/entrants.ts'

const live = `IF(expires_at IS NULL, TRUE,
  expires_at > TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000)`
const select = `SELECT k, version, expires_at, value FROM native WHERE ${live} AND k`
const upsert = (rows: number): string => `INSERT INTO native (k, version, expires_at, value)
  VALUES ${Array(rows).fill('(?, ?, ?, ?)').join()} ON DUPLICATE KEY UPDATE
  version = VALUES(version), expires_at = VALUES(expires_at), value = VALUES(value)`
const rowOf = (key: string, value: Buffer) => [key, Buffer.from(newVersion(), 'hex'), null, value]

/** mysql2 with prepared statements on a table of the same columns, and one statement for many rows. */
export const overMysql: Entrants = {
  server: 'mariadb',
  // A log that does not fill up. When it is full, statements look again and again whether there is room, and on one core the
  // thread that would make it has no turn: they stood still for seconds, up to minutes.
  serverArgs: ['--innodb-log-file-size=4G', '--innodb-buffer-pool-size=512M'],
  unikv: async (url) => ofKeyValue(keyValue(mysql({ url, table: 'bench', prepare: true }))),
  native: nativeMysql,
}

async function nativeMysql(url: string): Promise<Client> {
  const pool = createPool({ uri: url, connectionLimit: 10 })
  await prepareMysql({ url, table: 'native' })
  return {
    insert: (key: string, value: Buffer) => pool.execute(upsert(1), rowOf(key, value)),
    read: (key: string) => pool.execute(`${select} = ?`, [key]),
    delete: (key: string) => pool.execute('DELETE FROM native WHERE k = ?', [key]),
    readMany: (keys: readonly string[]) =>
      pool.execute(`${select} IN (${Array(keys.length).fill('?').join()})`, [...keys]),
    insertMany: (entries: readonly (readonly [string, Buffer])[]) =>
      pool.execute(
        upsert(entries.length),
        entries.flatMap(([key, value]) => rowOf(key, value)),
      ),
    close: () => pool.end(),
  }
}
