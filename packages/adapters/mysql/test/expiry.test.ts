import { testExpiry } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import { mysqlBench } from './mysql-bench.ts'

describeWith('mariadb', (url) => {
  const bench = mysqlBench(url)
  const rowsOf = async (table: string): Promise<number> => {
    const [rows] = await bench.sql.query(`SELECT COUNT(*) AS n FROM ${table}`)
    return (rows as { n: number }[])[0]?.n as number
  }
  testExpiry(bench, rowsOf)
})
