import { callOptions } from '@unikv/core/adapter'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { beforeAll, describe, expect, test } from 'vitest'
import { redis } from '../src/index.ts'
import { admin, describeDrivers, server } from './faulty-server.ts'
import { codeOf, errorOf, fresh, freshDataset, keys, set, text, track } from './fresh.ts'

describeDrivers(({ driver }) => {
  describe('a database', () => {
    const at = (path: string, credentials = '') =>
      `${server.url.replace(/\/$/, '').replace('redis://', `redis://${credentials}`)}${path}` as 'redis://h'
    beforeAll(async () => {
      await admin.acl('SETUSER', 'fixed', 'reset', 'on', '>pw', '~*', '+@all', '-select')
    })

    test('is the one of the url, also after the connection was lost', async () => {
      const store = fresh({ driver, url: at('/5'), dataset: 'chosen' })
      await set(store, 'k', 'v')
      await server.restart()
      await set(store, 'k', 'v')
      expect(await text(store, 'k')).toBe('v')
      expect(await text(fresh({ driver, url: at('/5'), dataset: 'chosen' }), 'k')).toBe('v')
      expect(await keys(fresh({ driver, url: at('/0'), dataset: 'chosen' }))).toEqual([])
    })

    test.each([
      ['that does not exist', '/99', '', 'INVALID_CONFIG'],
      ['that the user may not select', '/5', 'fixed:pw@', 'ACCESS_DENIED'],
    ] as const)('%s is an error of every operation, and never another one', async (_, path, user, code) => {
      const dataset = freshDataset()
      const store = fresh({ driver, url: at(path, user), dataset })
      const work = [set(store, 'k', 'v'), text(store, 'k'), keys(store)]
      expect(await Promise.all(work.map(codeOf))).toEqual([code, code, code])
      const error = await errorOf(() => store.read([{ key: 'k' }], callOptions()))
      expect(error).toMatchObject({ code, retryable: false })
      expect(error?.message).toContain('127.0.0.1')
      expect(error?.message).not.toContain('pw')
      expect(await admin.exists(`${dataset}:k`)).toBe(0)
    })
  })

  test('of a client that was handed in is checked as well', async () => {
    const url = `${server.url.replace(/\/$/, '')}/99`
    const dataset = freshDataset()
    if (driver === 'ioredis') {
      const client = new Redis(url, { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 })
      client.on('error', () => {})
      const store = track(redis({ client, dataset }))
      expect(await codeOf(set(store, 'k', 'v'))).toBe('INVALID_CONFIG')
      client.disconnect()
    } else {
      const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: false } })
      client.on('error', () => {})
      const store = track(redis({ client: client as never, dataset }))
      expect(await codeOf(set(store, 'k', 'v'))).toMatch(/INVALID_CONFIG|UNAVAILABLE/)
    }
    expect(await admin.exists(`${dataset}:k`)).toBe(0)
  })
})
