import { keyValue } from '@unikv/core'
import { faultedHistories } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { mysql } from '../src/index.ts'
import { mysqlBench } from './mysql-bench.ts'

describeWith('mariadb', (url) => {
  const bench = mysqlBench(url)

  test('histories under faults are linearizable', { timeout: 600_000 }, async () => {
    const table = await bench.table()
    const open = (through: string) => keyValue(mysql({ url: through, table }))
    const outcome = await faultedHistories({ url, open })
    expect(outcome.ends['applied']).toBeGreaterThan(0)
    if (process.env['UNIKV_OPERATIONS'] !== undefined) console.log('mysql', outcome)
  })
})
