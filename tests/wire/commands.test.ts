import { redis } from '@unikv/redis'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { hitsARound, warmCache } from './cache-hits.ts'

describeWithOwn('redis', () => {
  test.each(['ioredis', 'node-redis'] as const)(
    'Redis runs one command for each hit of a cache in it (%s)',
    async (driver) => {
      await using server = await ownServer('redis')
      await using warm = await warmCache(redis({ url: server.url, driver, dataset: 'wire' }))
      const admin = new Redis(server.url)
      await admin.config('RESETSTAT')
      expect(await warm.readAll()).toEqual(warm.values)
      const commands = callsOf(await admin.info('commandstats'))
      admin.disconnect()
      delete commands['config|resetstat']
      expect(commands).toEqual({ get: hitsARound })
    },
  )
})

/** `cmdstat_get:calls=20,usec=…` as `{ get: 20 }`. */
function callsOf(stats: string): Record<string, number> {
  const calls = stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)
  return Object.fromEntries(Array.from(calls, ([, name, count]) => [name, Number(count)]))
}
