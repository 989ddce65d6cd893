import { networkFaults } from '@unikv/conformance'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn, networkRun } from '@unikv/test-kit/vitest'
import { afterAll } from 'vitest'
import { type MemcachedStore, memcached } from '../src/index.ts'
import { freshDataset } from './fresh.ts'

describeWithOwn('memcached', async () => {
  const server = await ownServer('memcached')
  afterAll(() => server.stop())
  const dataset = freshDataset()
  const open = (url: string): MemcachedStore => memcached({ url, dataset })
  await networkFaults({
    ...networkRun(server.url),
    open,
    direct: () => open(server.url),
    restart: () => server.restart(),
  })
})
