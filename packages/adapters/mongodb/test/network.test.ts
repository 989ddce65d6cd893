import { networkFaults } from '@unikv/conformance'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn, networkRun } from '@unikv/test-kit/vitest'
import { afterAll } from 'vitest'
import { mongodb, prepareMongodb } from '../src/index.ts'
import { freshName } from './mongodb-bench.ts'

describeWithOwn('mongodb', async () => {
  const server = await ownServer('mongodb')
  afterAll(() => server.stop())
  const collection = freshName()
  await prepareMongodb({ url: server.url, collection })
  await networkFaults({
    ...networkRun(server.url),
    open: (url) => mongodb({ url, collection }),
    direct: () => mongodb({ url: server.url, collection }),
    restart: () => server.restart(),
  })
})
