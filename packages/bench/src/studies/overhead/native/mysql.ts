import type { Client, NativePlace } from './native-client.ts'

/** The methods of mysql2 in use. */
interface Pool {
  execute(sql: string, values?: readonly unknown[]): Promise<readonly [unknown, unknown]>
}

/** A table of keys and values, by prepared statements. */
export async function mysql(native: unknown, { name }: NativePlace): Promise<Client> {
  const pool = native as Pool
  await pool.execute(
    `CREATE TABLE IF NOT EXISTS ${name} (k VARBINARY(255) PRIMARY KEY, value LONGBLOB NOT NULL) ENGINE = InnoDB`,
  )
  return {
    insert: (key, value) => pool.execute(`INSERT INTO ${name} VALUES (?, ?)`, [key, value]),
    update: (key, value) => pool.execute(`UPDATE ${name} SET value = ? WHERE k = ?`, [value, key]),
    read: (key) => pool.execute(`SELECT value FROM ${name} WHERE k = ?`, [key]),
    delete: (key) => pool.execute(`DELETE FROM ${name} WHERE k = ?`, [key]),
    remove: () => pool.execute(`DROP TABLE IF EXISTS ${name}`),
  }
}
