import { indexedPaths, sqlOf } from '@unikv/core/adapter'
import { type Explain, testIndexes } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import { dialectOf, parameterOf } from '../src/find/find.ts'
import { Statements } from '../src/statements.ts'
import { mysqlBench } from './mysql-bench.ts'

describeWith('mariadb', (url) => {
  const bench = mysqlBench(url)
  const explain: Explain = async (table, indexes, query) => {
    const statements = new Statements(table, true)
    const { text, values } = sqlOf(dialectOf({ statements, indexed: indexedPaths(indexes) }), query)
    await bench.sql.query(`ANALYZE TABLE ${table}`)
    const [plan] = await bench.sql.execute(`EXPLAIN ${text}`, values.map(parameterOf))
    return JSON.stringify(plan)
  }
  testIndexes(
    bench,
    explain,
    (name) =>
      new RegExp(`^(?!.*filesort).*"type":"range","possible_keys":"[^"]*","key":"${name}","key_len":"537"`),
  )
})
