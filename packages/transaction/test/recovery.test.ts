import { randomBytes } from 'node:crypto'
import { cache } from '@unikv/cache'
import { compression } from '@unikv/compression'
import { memory } from '@unikv/core/memory'
import { encryption, keyring } from '@unikv/encryption'
import { mirror } from '@unikv/mirror'
import { postgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe } from 'vitest'
import { recovers } from './recovery.ts'
import { sharedMemory } from './world.ts'

describe('a transfer between two stores in memory is whole', () => recovers(sharedMemory))

describe('a transfer over a mirror of two stores is whole', () =>
  recovers(() => ({ ...sharedMemory(), red: mirror(memory(), memory()) })))

describe('a transfer through a cache, compression and encryption is whole', () => {
  const keys = keyring({ primary: 'k', keys: { k: randomBytes(32) } })
  const layers = () => [
    cache(),
    compression({ withEncryption: true }),
    encryption({ dataset: 'accounts', keys }),
  ]
  recovers(() => ({ ...sharedMemory(), layers }))
})

describeWith('redis', (redisUrl) => {
  describeWith('postgres', (postgresUrl) => {
    const dataset = `t${Math.random().toString(36).slice(2)}`
    const shared = {
      red: redis({ url: redisUrl, dataset }),
      blue: postgres({ url: postgresUrl, table: dataset, prepare: true }),
      log: redis({ url: redisUrl, dataset: `${dataset}log` }),
    }
    recovers(() => shared, 3)
  })
})
