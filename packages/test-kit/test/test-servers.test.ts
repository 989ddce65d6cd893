import { describe, expect, test } from 'vitest'
import { serverKinds } from '../src/recipes.ts'
import { startServer } from '../src/start-servers.ts'
import { isSettled, serverEnvironment, testServer, testServers } from '../src/test-servers.ts'

describe('testServer', () => {
  test('splits the addresses of a cluster at the commas', () => {
    const environment = { UNIKV_TEST_REDIS_CLUSTER_URL: 'redis://a:1,redis://b:2' }
    expect(testServer('redis-cluster', environment)).toEqual({ urls: ['redis://a:1', 'redis://b:2'] })
  })

  test('names the variable that is not set', () => {
    expect(testServer('redis', {})).toEqual({ missing: 'UNIKV_TEST_REDIS_URL is not set' })
  })

  test('takes an empty variable for one that is not set', () => {
    expect(testServer('redis', { UNIKV_TEST_REDIS_URL: '' })).toHaveProperty('missing')
  })
})

test('testServers answers for every kind', () => {
  expect(Object.keys(testServers({}))).toEqual(serverKinds)
})

describe('serverEnvironment', () => {
  test('tells testServer of the servers that there are', async () => {
    const UNIKV_TEST_REDIS_CLUSTER_URL = 'redis://a:1,redis://b:2'
    const cluster = await startServer('redis-cluster', { environment: { UNIKV_TEST_REDIS_CLUSTER_URL } })
    expect(cluster).toMatchObject({ source: 'environment', url: 'redis://a:1' })
    expect(serverEnvironment({ servers: [cluster], missing: [] })).toEqual({ UNIKV_TEST_REDIS_CLUSTER_URL })
  })

  test('tells testServer why one is missing', () => {
    const environment = serverEnvironment({ servers: [], missing: [{ kind: 'mariadb', reason: 'no room' }] })
    expect(testServer('mariadb', environment)).toEqual({ missing: 'no room' })
    expect(isSettled('mariadb', environment)).toBe(true)
    expect(isSettled('redis', environment)).toBe(false)
  })
})
