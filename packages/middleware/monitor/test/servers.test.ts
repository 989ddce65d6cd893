import { testClock } from '@unikv/conformance'
import { keyValue, type ServerStatistics, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { monitor } from '../src/index.ts'
import { keptHistory, recorder } from '../src/recorder/index.ts'
import { Saturation } from '../src/recorder/saturation.ts'
import { Servers } from '../src/recorder/servers.ts'
import { countsIn } from '../src/taking.ts'

/** A monitored store whose server tells this, and what a recorder makes of it. */
function told(first: ServerStatistics) {
  const clock = testClock(1_000_000)
  const m = monitor({ clock })
  const server: { tells: ServerStatistics | StoreError; asked: number } = { tells: first, asked: 0 }
  const statistics = async (): Promise<ServerStatistics> => {
    server.asked++
    if (server.tells instanceof StoreError) throw server.tells
    return server.tells
  }
  const kv = keyValue({ ...memory(), name: 'users', statistics }, [m])
  const servers = new Servers(countsIn('test', m), 30_000, clock)
  const look = async (): Promise<void> => {
    servers.look(() => {})
    await servers.settled()
  }
  return { m, clock, kv, server, servers, look }
}

test('servers of stores that were called tell of themselves, and how that changes', async () => {
  const { clock, kv, server, servers, look } = told({
    storedBytes: 1000,
    operations: 10,
    cacheHits: 5,
    cacheMisses: 5,
  })
  await look()
  expect(server.asked).toBe(0)
  await kv.get('a')
  await look()
  await look()
  expect(server.asked).toBe(1)
  expect(servers.features()['users']).toMatchObject({ at: 1_000_000, statistics: { storedBytes: 1000 } })
  clock.advance(30_000)
  await look()
  expect(servers.features()['users']?.growthBytesPerHour).toBeUndefined()
  clock.advance(30_000)
  server.tells = { storedBytes: 2000, operations: 70, cacheHits: 35, cacheMisses: 15 }
  await look()
  expect(servers.features()['users']).toMatchObject({
    at: 1_060_000,
    growthBytesPerHour: 60_000,
    operationsPerSecond: 2,
    cacheHitRate: 0.75,
    error: undefined,
  })
  // Counters start anew with the server.
  clock.advance(60_000)
  server.tells = { storedBytes: 2000, operations: 1 }
  await look()
  const restarted = servers.features()['users']
  expect([restarted?.operationsPerSecond, restarted?.growthBytesPerHour]).toEqual([undefined, 30_000])
  clock.advance(60_000)
  server.tells = new StoreError('ACCESS_DENIED', 'No right.')
  await look()
  expect(servers.features()['users']).toMatchObject({ error: 'ACCESS_DENIED', statistics: { operations: 1 } })
  clock.advance(60_000)
  server.tells = new StoreError('CLOSED', 'Closed.')
  await look()
  expect(servers.features()).toEqual({})
})

test('a server above 90 % of a limit is saturated until it is relieved', async () => {
  const { clock, kv, server, servers, look } = told({
    connections: 95,
    maxConnections: 100,
    memoryBytes: 1,
    maxMemoryBytes: 2,
  })
  const saturation = new Saturation()
  await kv.get('a')
  await look()
  const saturated = { type: 'saturated', store: 'users', resource: 'connections', share: 0.95 }
  expect(saturation.changes(servers.used())).toEqual([saturated])
  expect(saturation.changes(servers.used())).toEqual([])
  expect(saturation.changes([{ resource: 'connections', store: 'other', share: 0.1 }])).toEqual([])
  clock.advance(30_000)
  server.tells = { connections: 10, maxConnections: 100 }
  await look()
  expect(saturation.changes(servers.used())).toEqual([{ ...saturated, type: 'relieved', share: 0.1 }])
})

test('a server of a store that is no longer called tells nothing', async () => {
  const { m, clock, kv, servers, look } = told({ storedBytes: 1 })
  await kv.get('a')
  await look()
  expect(Object.keys(servers.features())).toEqual(['users'])
  m.reset()
  clock.advance(30_000)
  await look()
  expect(servers.features()).toEqual({})
})

test('a recorder asks servers, and other processes see what they told', async () => {
  const m = monitor()
  const statistics = async (): Promise<ServerStatistics> => ({ version: '7.2', connections: 3 })
  const kv = keyValue({ ...memory(), name: 'users', statistics }, [m])
  const keepIn = keyValue(memory())
  const its = recorder(m, { keepIn, flushMs: 100 })
  await kv.get('a')
  await expect
    .poll(() => its.features().servers['users']?.statistics, { timeout: 60_000 })
    .toEqual({ version: '7.2', connections: 3 })
  await its.flush()
  const [process] = await keptHistory(keepIn).live()
  expect(process?.servers['users']?.statistics.connections).toBe(3)
  await its.close()
})
