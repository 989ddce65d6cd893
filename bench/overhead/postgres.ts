import { keyValue } from '@unikv/core'
import { postgres } from '@unikv/postgres'
import { startServer } from '@unikv/test-kit'
import { Pool } from 'pg'
import { type Entrants, ofKeyValue } from '../measure/overhead.ts'

/** pg with named prepared statements, and one statement for many rows. */
export async function overPostgres(): Promise<Entrants> {
  const server = await startServer('postgres')
  const pool = new Pool({ connectionString: server.url, max: 10 })
  await pool.query('CREATE TABLE native (k BYTEA PRIMARY KEY, v BYTEA NOT NULL)')
  const kv = keyValue(postgres({ url: server.url, table: 'bench', prepare: true }))
  const onConflict = 'ON CONFLICT (k) DO UPDATE SET v = excluded.v'
  const statements = {
    insert: `INSERT INTO native VALUES ($1, $2) ${onConflict}`,
    read: 'SELECT v FROM native WHERE k = $1',
    delete: 'DELETE FROM native WHERE k = $1',
    readMany: 'SELECT k, v FROM native WHERE k = ANY($1)',
  }
  const run = (name: keyof typeof statements, values: unknown[]): Promise<unknown> =>
    pool.query({ name, text: statements[name], values })
  const rows = (count: number): string =>
    Array.from({ length: count }, (_, i) => `($${2 * i + 1}, $${2 * i + 2})`).join()
  const native = {
    insert: (key: string, value: Buffer) => run('insert', [Buffer.from(key), value]),
    read: (key: string) => run('read', [Buffer.from(key)]),
    delete: (key: string) => run('delete', [Buffer.from(key)]),
    readMany: (keys: readonly string[]) => run('readMany', [keys.map((key) => Buffer.from(key))]),
    insertMany: (entries: readonly (readonly [string, Buffer])[]) =>
      pool.query({
        name: `insert ${entries.length}`,
        text: `INSERT INTO native VALUES ${rows(entries.length)} ${onConflict}`,
        values: entries.flatMap(([key, value]) => [Buffer.from(key), value]),
      }),
  }
  const close = async (): Promise<void> => {
    await pool.end()
    await kv.close()
    await server.stop()
  }
  return { native, unikv: ofKeyValue(kv), close }
}
