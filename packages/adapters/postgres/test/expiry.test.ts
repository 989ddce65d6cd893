import { testExpiry } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import { postgresBench } from './postgres-bench.ts'

describeWith('postgres', (url) => {
  const bench = postgresBench(url)
  const rowsOf = async (table: string): Promise<number> => {
    const { rows } = await bench.sql.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)
    return rows[0]?.n as number
  }
  testExpiry(bench, rowsOf)
})
