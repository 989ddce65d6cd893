import { opening, plantedSecret as secret } from '@unikv/conformance'
import { describeWith } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { describe, test } from 'vitest'
import { type RedisOptions, redis } from '../src/index.ts'
import { freshDataset } from './fresh.ts'

const refused: readonly (readonly [string, object])[] = [
  ['an empty dataset', { dataset: '' }],
  ['an upper-case dataset', { dataset: 'A' }],
  ['a dataset with a colon', { dataset: 'a:b' }],
  ['a dataset that begins with a digit', { dataset: '1a' }],
  ['a dataset of 49 characters', { dataset: 'a'.repeat(49) }],
  ['a dataset with a line break', { dataset: 'a\n' }],
  ['values of another kind', { values: 'document' }],
  ['a durability that the server does not give', { durability: 'replicated' }],
  ['no time to connect', { connectTimeoutMs: 0 }],
  ['a time that is none', { socketTimeoutMs: Number.NaN }],
  ['two addresses', { url: 'redis://a', cluster: ['redis://a'] }],
  ['a port that is none', { url: `redis://u:${secret}@h:port` }],
]

describeWith('redis', (url) => {
  const clients = {
    ioredis: () => {
      const client = new Redis(url, { autoResendUnfulfilledCommands: false, lazyConnect: true })
      return { client, works: () => client.ping(), close: () => client.disconnect() }
    },
    'node-redis': async () => {
      const client = createClient({ url, disableOfflineQueue: true })
      client.on('error', () => {})
      await client.connect()
      return { client, works: () => client.ping(), close: () => client.destroy() }
    },
  }

  describe.each(['ioredis', 'node-redis'] as const)('%s', (driver) => {
    opening<RedisOptions>({
      test,
      describe,
      make: (options) => redis(options),
      refused,
      fresh: () => ({ url, driver, dataset: freshDataset() }),
      server: {
        address: new URL(url).host,
        asksPassword: true,
        at: (address, password) => ({
          url: `redis://${password === undefined ? '' : `nobody:${password}@`}${address}`,
          driver,
          dataset: freshDataset(),
        }),
        withTls: (address) => ({ url: `rediss://${address}`, driver }),
      },
      module: {
        url: new URL('../dist/index.js', import.meta.url),
        make: 'redis',
        drivers: ['ioredis', 'redis', '@redis/client'],
      },
      client: async () => {
        const given = await clients[driver]()
        return { ...given, options: { client: given.client, dataset: freshDataset() } }
      },
    })
  })
})
