import { networkFaults } from '@unikv/conformance'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn, networkRun } from '@unikv/test-kit/vitest'
import { afterAll } from 'vitest'
import { dynamodb } from '../src/index.ts'
import { freshTable, optionsFor } from './dynamodb-bench.ts'

describeWithOwn('dynamodb', async () => {
  const server = await ownServer('dynamodb', { args: ['-dbPath', '.'] })
  afterAll(() => server.stop())
  const table = freshTable()
  await networkFaults({
    ...networkRun(server.url),
    open: (behind) => dynamodb({ ...optionsFor(behind), table }),
    direct: () => dynamodb({ ...optionsFor(server.url), table }),
    restart: () => server.restart(),
  })
})
