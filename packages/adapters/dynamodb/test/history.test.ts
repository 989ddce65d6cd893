import { keyValue } from '@unikv/core'
import { describeHistories } from '@unikv/test-kit/vitest'
import { dynamodb, prepareDynamodb } from '../src/index.ts'
import { clientFor, dropTable, freshTable, optionsFor } from './dynamodb-bench.ts'

describeHistories('dynamodb', async (url) => {
  const table = freshTable()
  await prepareDynamodb({ ...optionsFor(url), table })
  return {
    open: (through) => keyValue(dynamodb({ ...optionsFor(through), table })),
    discard: () => dropTable(clientFor(url), table),
  }
})
