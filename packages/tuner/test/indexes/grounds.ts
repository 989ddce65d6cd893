import { randomBytes } from 'node:crypto'
import { cassandra } from '@unikv/cassandra'
import { type Json, type KeyValue, keyValue } from '@unikv/core'
import { couchdb } from '@unikv/couchdb'
import { mongodb } from '@unikv/mongodb'
import { mysql } from '@unikv/mysql'
import { postgres } from '@unikv/postgres'
import { sqlite } from '@unikv/sqlite'

/** A table of one kind of store, in which indexes are tried. */
export interface Ground {
  readonly kind: string
  /** As the tuner names it. */
  readonly table: string
  readonly native: unknown
  readonly by: readonly string[]
  /** Have so many records. */
  fill(records: number): Promise<void>
  /** One more record. */
  write(number: number): Promise<unknown>
  /** How the server would answer the query by these attributes, as text. */
  explain(): Promise<string>
  /** What that text says if an index is used. */
  readonly uses: RegExp
  /** Remove the table. */
  remove(): Promise<void>
  close(): Promise<void>
}

type Make = (url: string, table: string) => Ground

/** Grounds by the kind of server in the tests. */
export const grounds: {
  readonly [kind in 'postgres' | 'mariadb' | 'mongodb' | 'couchdb' | 'cassandra' | 'sqlite']: Make
} = {
  postgres(url, table) {
    const store = postgres({ url, table, values: 'document', prepare: true })
    const run = (sql: string): Promise<{ rows: readonly object[] }> => store.native.query(sql) as never
    return {
      ...ofDocuments(keyValue(store), 'postgres', table, store.native),
      fill: (records) =>
        run(
          `INSERT INTO ${table} (k, version, value) SELECT convert_to('x' || i, 'UTF8'), decode(lpad(to_hex(i), 24, '0'), 'hex'),
           jsonb_build_object('ip', '10.' || i % 1000, 'fill', repeat('x', 100)) FROM generate_series(1, ${records}) i`,
        ).then(() => {}),
      explain: async () =>
        JSON.stringify((await run(`EXPLAIN SELECT k FROM ${table} WHERE value->>'ip' = '10.7'`)).rows),
      uses: /unikv_tune_/,
      remove: () => run(`DROP TABLE IF EXISTS ${table}`).then(() => {}),
    }
  },
  // A column of the owner's own, by which the query selects: MariaDB before 11.8 takes no index for an expression.
  mariadb(url, table) {
    const store = mysql({ url, table, values: 'document', prepare: true })
    const run = async (sql: string): Promise<unknown> => (await store.native.query(sql))[0]
    return {
      ...ofDocuments(keyValue(store), 'mysql', table, store.native),
      fill: async (records) => {
        await run(`ALTER TABLE ${table} ADD COLUMN ip LONGTEXT AS (JSON_VALUE(value, '$.ip')) VIRTUAL`)
        await run(
          `INSERT INTO ${table} (k, version, value) SELECT CONCAT('x', seq), UNHEX(LPAD(HEX(seq), 24, '0')),
           JSON_OBJECT('ip', CONCAT('10.', seq % 1000), 'fill', REPEAT('x', 100)) FROM seq_1_to_${records}`,
        )
      },
      explain: async () => JSON.stringify(await run(`EXPLAIN SELECT k FROM ${table} WHERE ip = '10.7'`)),
      uses: /"key":"unikv_tune_/,
      remove: () => run(`DROP TABLE IF EXISTS ${table}`).then(() => {}),
    }
  },
  mongodb(url, table) {
    const store = mongodb({ url, database: 'unikv_tuner', collection: table, values: 'document', prepare: true })
    const collection = store.native.collection
    return {
      ...ofDocuments(keyValue(store), 'mongodb', `unikv_tuner.${table}`, store.native),
      fill: async (records) => {
        for (let from = 0; from < records; from += 10_000)
          await (await collection()).insertMany(
            numbers(Math.min(10_000, records - from), from).map((i) => ({
              _id: `x${i}`,
              version: i.toString(16).padStart(24, '0'),
              value: recordOf(i),
            })),
          )
      },
      explain: async () =>
        JSON.stringify(await (await collection()).find({ 'value.ip': '10.7' }).explain('queryPlanner')),
      uses: /"IXSCAN".*unikv_tune_/,
      remove: async () => void (await (await collection()).drop()),
    }
  },
  couchdb(url, table) {
    const store = couchdb({ url, database: table, values: 'document', prepare: true })
    interface Server {
      request<A>(request: object): Promise<A>
    }
    const ask = async <A>(path: string, body: object): Promise<A> =>
      (await store.native.server<Server>()).request<A>({ db: table, path, method: 'POST', body })
    return {
      ...ofDocuments(keyValue(store), 'couchdb', table, store.native),
      fill: async (records) => {
        const docs = numbers(records).map((i) => ({
          _id: `x${i}`,
          version: i.toString(16).padStart(24, '0'),
          value: recordOf(i),
        }))
        await ask('_bulk_docs', { docs })
      },
      explain: async () => JSON.stringify(await ask('_explain', { selector: { 'value.ip': '10.7' } })),
      uses: /_design\/unikv_tune_/,
      remove: async () =>
        (await store.native.server<Server>()).request({ db: table, method: 'DELETE' }),
    }
  },
  // A table of the owner's own, as those of unikv hold bytes.
  cassandra(url, table) {
    const store = cassandra({ url, table: `${table}_bytes`, prepare: true })
    const kv = keyValue(store)
    const place = new URL(url).pathname.slice(1)
    const name = `${place}.${table}`
    const run = (cql: string, values: readonly unknown[] = []) =>
      store.native.execute(cql, values, { prepare: values.length > 0 })
    const write = (i: number): Promise<unknown> =>
      run(`INSERT INTO ${name} (id, ip) VALUES (?, ?)`, [`x${i}`, recordOf(i).ip])
    return {
      kind: 'cassandra',
      table: name,
      native: store.native,
      by: ['ip'],
      fill: async (records) => {
        // Which makes the keyspace, too.
        await kv.set('a', Buffer.from('a'))
        await run(`CREATE TABLE IF NOT EXISTS ${name} (id text PRIMARY KEY, ip text)`)
        for (let from = 0; from < records; from += 200) await Promise.all(numbers(200, from).map(write))
      },
      write,
      // There is no EXPLAIN; without an index the server refuses such a query.
      explain: () =>
        run(`SELECT id FROM ${name} WHERE ip = '10.7'`).then(
          () => 'answered by an index',
          (error: Error) => error.message,
        ),
      uses: /answered/,
      remove: async () => {
        for (const one of [name, `${name}_bytes`]) await run(`DROP TABLE IF EXISTS ${one}`)
      },
      close: () => kv.close(),
    }
  },
  sqlite(path, table) {
    const store = sqlite({ path, table, values: 'document' })
    const native = (): { prepare(sql: string): { all(values: readonly unknown[]): readonly object[] } } =>
      store.native as never
    const made = ofDocuments(keyValue(store), 'sqlite', table, undefined)
    return {
      ...made,
      native: store.native,
      fill: async (records) => {
        native()
          .prepare(
            `INSERT INTO ${table} (k, version, value) WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < ${records})
             SELECT CAST('x' || i AS BLOB), CAST(printf('%012d', i) AS BLOB), json_object('ip', '10.' || (i % 1000), 'fill', printf('%.100c', 'x')) FROM s`,
          )
          .all([])
      },
      explain: async () =>
        JSON.stringify(
          native().prepare(`EXPLAIN QUERY PLAN SELECT k FROM ${table} WHERE value->>'ip' = '10.7'`).all([]),
        ),
      uses: /USING INDEX unikv_tune_/,
      remove: async () => {},
    }
  },
}

type Common = Pick<Ground, 'kind' | 'table' | 'native' | 'by' | 'write' | 'close'>

function ofDocuments(kv: KeyValue<string, Json>, kind: string, table: string, native: unknown): Common {
  const run = randomBytes(4).toString('hex')
  return {
    kind,
    table,
    native,
    by: ['ip'],
    write: (i) => kv.set(`w${run}${i}`, { ...recordOf(i) }),
    close: () => kv.close(),
  }
}

function recordOf(i: number): { readonly ip: string; readonly fill: string } {
  return { ip: `10.${i % 1000}`, fill: 'x'.repeat(100) }
}

function numbers(count: number, from = 0): readonly number[] {
  return Array.from({ length: count }, (_, i) => from + i + 1)
}
