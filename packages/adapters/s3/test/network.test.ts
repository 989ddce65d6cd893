import { networkFaults } from '@unikv/conformance'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn, networkRun } from '@unikv/test-kit/vitest'
import { afterAll } from 'vitest'
import { s3 } from '../src/index.ts'
import { freshPrefix, optionsFor } from './s3-bench.ts'

describeWithOwn('s3', async () => {
  const server = await ownServer('s3')
  afterAll(() => server.stop())
  const prefix = freshPrefix()
  await networkFaults({
    ...networkRun(server.url),
    open: (behind) => s3({ ...optionsFor(behind), prefix }),
    direct: () => s3({ ...optionsFor(server.url), prefix }),
    restart: () => server.restart(),
  })
})
