import { indexedPaths, sqlOf } from '@unikv/core/adapter'
import { type Explain, testIndexes } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import { dialectOf } from '../src/find/find.ts'
import { Statements } from '../src/statements.ts'
import { postgresBench } from './postgres-bench.ts'

describeWith('postgres', (url) => {
  const bench = postgresBench(url)
  const explain: Explain = async (table, indexes, query) => {
    const statements = new Statements(table, { documents: true, named: false, binary: false })
    const { text, values } = sqlOf(dialectOf({ statements, indexed: indexedPaths(indexes) }), query)
    await bench.sql.query(`ANALYZE ${table}`)
    const { rows } = await bench.sql.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, [...values])
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }
  // Keys, which an index over long texts has no room for, are sorted where records are equal.
  testIndexes(
    bench,
    explain,
    (name) => new RegExp(`Incremental Sort[^]*Presorted Key[^]*Index Scan using ${name}[^]*Index Cond`),
  )
})
