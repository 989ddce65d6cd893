import { keyValue, newVersion } from '@unikv/core'
import { postgres, preparePostgres } from '@unikv/postgres'
import { Pool } from 'pg'
import { type Client, type Entrants, ofKeyValue } from '../measure/entrants.ts'

const onConflict = `ON CONFLICT (k) DO UPDATE
  SET version = excluded.version, expires_at = excluded.expires_at, value = excluded.value`
const live = '(expires_at IS NULL OR expires_at > extract(epoch FROM clock_timestamp()) * 1000)'
const columns = '(k, version, expires_at, value)'
const statements = {
  insert: `INSERT INTO native ${columns} VALUES ($1, $2, $3, $4) ${onConflict}`,
  read: `SELECT version, expires_at, value FROM native WHERE k = $1 AND ${live}`,
  delete: 'DELETE FROM native WHERE k = $1',
  readMany: `SELECT k, version, expires_at, value FROM native WHERE k = ANY($1) AND ${live}`,
  insertMany: `INSERT INTO native ${columns}
    SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::int8[], $4::bytea[]) ${onConflict}`,
}
const version = (): Buffer => Buffer.from(newVersion(), 'hex')

/** pg with named prepared statements on a table of the same columns, and one statement for many rows. */
export const overPostgres: Entrants = {
  server: 'postgres',
  unikv: async (url) => ofKeyValue(keyValue(postgres({ url, table: 'bench', prepare: true }))),
  native: nativePostgres,
}

async function nativePostgres(url: string): Promise<Client> {
  const pool = new Pool({ connectionString: url, max: 10 })
  await preparePostgres({ url, table: 'native' })
  const run = (name: keyof typeof statements, values: unknown[]): Promise<unknown> =>
    pool.query({ name, text: statements[name], values })
  return {
    insert: (key: string, value: Buffer) => run('insert', [Buffer.from(key), version(), null, value]),
    read: (key: string) => run('read', [Buffer.from(key)]),
    delete: (key: string) => run('delete', [Buffer.from(key)]),
    readMany: (keys: readonly string[]) => run('readMany', [keys.map((key) => Buffer.from(key))]),
    insertMany: (entries: readonly (readonly [string, Buffer])[]) =>
      run('insertMany', [
        entries.map(([key]) => Buffer.from(key)),
        entries.map(version),
        entries.map(() => null),
        entries.map(([, value]) => value),
      ]),
    close: () => pool.end(),
  }
}
