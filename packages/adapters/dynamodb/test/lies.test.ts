import { describeLies, describeWith } from '@unikv/test-kit/vitest'
import { dynamodb } from '../src/index.ts'
import { freshTable, optionsFor } from './dynamodb-bench.ts'

describeWith('dynamodb', (url) => {
  const table = freshTable()
  describeLies({
    url,
    open: (through) => dynamodb({ ...optionsFor(through), table }),
    isWrite: ({ headers }) => /(Put|Update|Delete|BatchWrite)Item$/.test(String(headers['x-amz-target'])),
  })
})
