import { type FaultProxy, faultProxy, type OwnServer, ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import { fresh } from './fresh.ts'

/** The server of a driver's tests, and the way to it that may fail. */
export let server: OwnServer
export let proxy: FaultProxy
/** Sees what happened, past every fault. */
export let admin: Redis

type Driver = 'ioredis' | 'node-redis'

const throughProxy =
  (driver: Driver) =>
  (more: object = {}) =>
    fresh({ driver, url: proxy.url as `redis://${string}`, ...more })

/** Tests for each driver, with a server of its own: they may break it, as long as they mend it. */
export function describeDrivers(
  tests: (given: { readonly driver: Driver; readonly through: ReturnType<typeof throughProxy> }) => void,
): void {
  for (const driver of ['ioredis', 'node-redis'] as const)
    describeWithOwn('redis', () => {
      describe(driver, () => {
        beforeAll(async () => {
          server = await ownServer('redis')
          proxy = await faultProxy(server.url)
          admin = new Redis(server.url, { retryStrategy: () => 50 })
          admin.on('error', () => {})
        })
        beforeEach(() => proxy.pass())
        afterAll(async () => {
          admin.disconnect()
          await proxy.close()
          await server.stop()
        })

        tests({ driver, through: throughProxy(driver) })
      })
    })
}
