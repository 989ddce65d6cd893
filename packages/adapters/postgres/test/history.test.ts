import { keyValue } from '@unikv/core'
import { freshTable } from '@unikv/test-kit/sql'
import { describeHistories } from '@unikv/test-kit/vitest'
import { postgres, preparePostgres } from '../src/index.ts'

describeHistories('postgres', async (url) => {
  const table = freshTable()
  await preparePostgres({ url, table })
  return { open: (through) => keyValue(postgres({ url: through, table })) }
})
