import { networkFaults } from '@unikv/conformance'
import { ownServer } from '@unikv/test-kit'
import { freshTable } from '@unikv/test-kit/sql'
import { describeWithOwn, networkRun } from '@unikv/test-kit/vitest'
import { afterAll } from 'vitest'
import { postgres, preparePostgres } from '../src/index.ts'

describeWithOwn('postgres', async () => {
  const server = await ownServer('postgres')
  afterAll(() => server.stop())
  const table = freshTable()
  await preparePostgres({ url: server.url, table })
  await networkFaults({
    ...networkRun(server.url),
    open: (url) => postgres({ url, table }),
    direct: () => postgres({ url: server.url, table }),
    restart: () => server.restart(),
  })
})
