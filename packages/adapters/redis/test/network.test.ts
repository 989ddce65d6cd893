import { networkFaults } from '@unikv/conformance'
import type { Bytes, Store } from '@unikv/core'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn, networkRun, someOf } from '@unikv/test-kit/vitest'
import { afterAll, describe } from 'vitest'
import { redis } from '../src/index.ts'
import { freshDataset } from './fresh.ts'

describeWithOwn('redis', async () => {
  const server = await ownServer('redis')
  afterAll(() => server.stop())
  const dataset = freshDataset()
  describe.each(someOf(1, ['ioredis', 'node-redis'] as const))('by %s', async (driver) => {
    const open = (url: string): Store<Bytes> => redis({ url: url as `redis://${string}`, driver, dataset })
    await networkFaults({
      ...networkRun(server.url),
      open,
      direct: () => open(server.url),
      restart: () => server.restart(),
    })
  })
})
