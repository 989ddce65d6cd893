import { networkFaults } from '@unikv/conformance'
import { describeWith, networkRun } from '@unikv/test-kit/vitest'
import { mysql } from '../src/index.ts'
import { mysqlBench } from './mysql-bench.ts'

describeWith('mariadb', async (url) => {
  const table = await mysqlBench(url).table()
  await networkFaults({
    ...networkRun(url),
    open: (behind) => mysql({ url: behind, table }),
    direct: () => mysql({ url, table }),
  })
})
