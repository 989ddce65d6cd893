import { keyValue } from '@unikv/core'
import { freshTable } from '@unikv/test-kit/sql'
import { describeHistories } from '@unikv/test-kit/vitest'
import { mysql, prepareMysql } from '../src/index.ts'

describeHistories('mariadb', async (url) => {
  const table = freshTable()
  await prepareMysql({ url, table })
  return { open: (through) => keyValue(mysql({ url: through, table })) }
})
