import { inspect } from 'node:util'
import { callOptions } from '@unikv/core/adapter'
import { beforeAll, describe, expect, test } from 'vitest'
import { admin, describeDrivers, server } from './faulty-server.ts'
import { bytes, codeOf, errorOf, fresh, read, set, text, write } from './fresh.ts'

describeDrivers(({ driver }) => {
  describe('credentials', () => {
    const password = 'planted-secret'
    const at = (credentials: string) =>
      server.url.replace('redis://', `redis://${credentials}@`) as `redis://${string}`
    beforeAll(async () => {
      await admin.acl('SETUSER', 'ada', 'on', `>${password}`, '~*', '+@all')
      await admin.acl('SETUSER', 'reader', 'on', `>${password}`, '~*', '+@read', '+@connection')
    })

    test('that are right open the store', async () => {
      const store = fresh({ driver, url: at(`ada:${password}`) })
      await set(store, 'k', 'v')
      expect(await text(store, 'k')).toBe('v')
    })

    test('that are wrong are ACCESS_DENIED, once for each call, and appear in no error', async () => {
      const store = fresh({ driver, url: at(`ada:wrong-${password}`) })
      await admin.config('RESETSTAT')
      for (let i = 0; i < 3; i++) {
        const error = await errorOf(() => store.read([{ key: 'k' }], callOptions()))
        expect(error).toMatchObject({ code: 'ACCESS_DENIED', retryable: false })
        expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(password)
        expect((error as Error).message).toContain('127.0.0.1')
      }
      await new Promise((done) => setTimeout(done, 100))
      expect(Number(/total_connections_received:(\d+)/.exec(await admin.info('stats'))?.[1])).toBe(3)
    })

    test('without a permission are ACCESS_DENIED for what they may not', async () => {
      const store = fresh({ driver, url: at(`reader:${password}`) })
      expect(await read(store, 'k')).toBeUndefined()
      const error = await write(store, { type: 'set', key: 'planted-key', value: bytes('planted-value') })
      expect(error).toMatchObject({ code: 'ACCESS_DENIED' })
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('planted')
    })

    test('that are missing are ACCESS_DENIED', async () => {
      try {
        await admin.config('SET', 'requirepass', password)
        const store = fresh({ driver, url: server.url as `redis://${string}` })
        expect(await codeOf(read(store, 'k'))).toBe('ACCESS_DENIED')
      } finally {
        await admin.config('SET', 'requirepass', '')
      }
    })
  })
})
