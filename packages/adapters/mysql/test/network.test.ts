import { networkFaults } from '@unikv/conformance'
import { describeWith, networkRun, someOf } from '@unikv/test-kit/vitest'
import { describe } from 'vitest'
import { mysql } from '../src/index.ts'
import { drivers, mysqlBench } from './mysql-bench.ts'

describeWith('mariadb', async (url) => {
  const table = await mysqlBench(url).table()
  for (const driver of someOf(1, drivers)) {
    describe(`by ${driver}`, async () => {
      await networkFaults({
        ...networkRun(url),
        open: (behind) => mysql({ url: behind, table, driver }),
        direct: () => mysql({ url, table }),
      })
    })
  }
})
