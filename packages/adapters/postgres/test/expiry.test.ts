import { type Bytes, isWritten, type Json, type Store } from '@unikv/core'
import { mutate } from '@unikv/test-kit'
import { freshTable, testExpiry } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { postgresBench } from './postgres-bench.ts'

describeWith('postgres', (url) => {
  const bench = postgresBench(url)
  const rowsOf = async (table: string): Promise<number> => {
    const { rows } = await bench.sql.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)
    return rows[0]?.n as number
  }
  testExpiry(bench, rowsOf)

  // A clock that goes on by a second whenever it is looked at: a record expires between any two looks of a statement.
  const schema = freshTable()
  beforeAll(async () => {
    await bench.sql.query(`CREATE SCHEMA ${schema}; CREATE SEQUENCE ${schema}.ticks`)
    await bench.sql.query(`CREATE FUNCTION ${schema}.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
      $$ SELECT to_timestamp(nextval('${schema}.ticks')) $$`)
  })
  afterAll(() => bench.sql.query(`DROP SCHEMA ${schema} CASCADE`))

  test.each(['bytes', 'document'] as const)(
    'an increment of a record that expires meanwhile adds to it, or begins anew with the new expiry (%s)',
    async (values) => {
      const table = await bench.table({ values })
      const pool = bench.pool({ max: 1, options: `-c search_path=${schema},pg_catalog,public` })
      const store = bench.store({ pool, table, values }) as Store<Bytes> | Store<Json>
      const [five, read] =
        values === 'bytes' ? ["'5'", "encode(value, 'escape')"] : ["'5'::jsonb", 'value::text']
      const after = 1_000_000
      const outcomes = new Set<string>()
      for (let seconds = 0; seconds < 9; seconds++) {
        const before = seconds * 1_000 + 500
        await bench.sql.query(`DELETE FROM ${table}`)
        await bench.sql.query(
          `INSERT INTO ${table} (k, version, expires_at, value) VALUES ('n', '\\x${'00'.repeat(12)}', ${before}, ${five})`,
        )
        await bench.sql.query(`ALTER SEQUENCE ${schema}.ticks RESTART`)
        const result = await mutate(store as Store<Bytes>, {
          type: 'increment',
          key: 'n',
          by: 1,
          initial: 0,
          expiresAt: after,
        })
        const { rows } = await bench.sql.query<{ n: string; expires_at: string }>(
          `SELECT ${read} AS n, expires_at FROM ${table}`,
        )
        const told = isWritten(result) ? result.value : 'nothing'
        const expiry = Number(rows[0]?.expires_at) === before ? 'old' : rows[0]?.expires_at
        outcomes.add(`told ${told}, holds ${rows[0]?.n} until ${expiry}`)
      }
      expect([...outcomes].toSorted()).toEqual([
        `told 1, holds 1 until ${after}`,
        'told 6, holds 6 until old',
      ])
    },
  )
})
