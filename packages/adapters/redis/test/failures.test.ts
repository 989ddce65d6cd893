import { inspect } from 'node:util'
import { newVersion, StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type FaultProxy, faultProxy, type OwnServer, ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  bytes,
  codeOf,
  type Draft,
  errorOf,
  fresh,
  read,
  set,
  text,
  textOf,
  write,
  writeAll,
} from './fresh.ts'

for (const driver of ['ioredis', 'node-redis'] as const)
  describeWithOwn('redis', () => {
    describe(driver, () => {
      let server: OwnServer
      let proxy: FaultProxy
      /** Sees what happened, past every fault. */
      let admin: Redis

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

      const through = (more: object = {}) => fresh({ driver, url: proxy.url as `redis://${string}`, ...more })

      describe('a lost reply', () => {
        const writes: Readonly<Record<string, (version: string) => Draft>> = {
          set: () => ({ type: 'set', key: 'k', value: bytes('new') }),
          'set with expiry': () => ({
            type: 'set',
            key: 'k',
            value: bytes('new'),
            expiresAt: Date.now() + 60_000,
          }),
          'set that keeps the expiry': () => ({
            type: 'set',
            key: 'k',
            value: bytes('new'),
            expiresAt: 'keep',
          }),
          'conditional set': (ifVersion) => ({ type: 'set', key: 'k', value: bytes('new'), ifVersion }),
          delete: () => ({ type: 'delete', key: 'k' }),
          'conditional delete': (ifVersion) => ({ type: 'delete', key: 'k', ifVersion }),
          touch: () => ({ type: 'touch', key: 'k', expiresAt: Date.now() + 60_000 }),
          increment: () => ({ type: 'increment', key: 'k', by: 1, initial: 0 }),
        }
        for (const [name, draft] of Object.entries(writes)) {
          test(`of ${name} is OUTCOME_UNKNOWN, and the effect happens once`, async () => {
            const store = through()
            const before = await set(store, 'k', '41')
            await write(store, draft(before)) // the script is known from here on
            const again = await set(store, 'k', '41')
            await admin.config('RESETSTAT')
            proxy.inject({ kind: 'cut', side: 'response', afterBytes: 0 })
            const call = callOptions()
            const [result] = await store.write([{ version: newVersion(), ...draft(again) }], call)
            expect(result).toMatchObject({ code: 'OUTCOME_UNKNOWN', retryable: false })
            expect(call.sent).toBe(true)
            // The connection is opened again by the next call, and nothing is sent twice.
            const after = await read(store, 'k')
            if (name === 'increment') expect(textOf(after)).toBe('42')
            else if (name.includes('delete')) expect(after).toBeUndefined()
            else if (name !== 'touch') expect(textOf(after)).toBe('new')
            const calls = [
              ...(await admin.info('commandstats')).matchAll(
                /cmdstat_(set|mset|evalsha|eval|unlink):calls=(\d+)/g,
              ),
            ]
            const outside = calls.filter(([, command]) => command?.startsWith('eval'))
            const counted = outside.length > 0 ? outside : calls
            expect(counted.map(([, , count]) => Number(count))).toEqual([1])
          })
        }

        test('of a read is UNAVAILABLE', async () => {
          const store = through()
          await set(store, 'k', 'v')
          proxy.inject({ kind: 'cut', side: 'response', afterBytes: 0 })
          expect(await codeOf(read(store, 'k'))).toBe('UNAVAILABLE')
          expect(await text(store, 'k')).toBe('v')
        })

        test('of a part of a batch leaves the other part known', async () => {
          const store = through()
          await write(store, { type: 'increment', key: 'warm', by: 1, initial: 0 })
          proxy.inject({ kind: 'cut', side: 'response', afterBytes: 10 })
          const results = await writeAll(store, [
            { type: 'set', key: 'a', value: bytes('a') },
            { type: 'increment', key: 'n', by: 1, initial: 0 },
            { type: 'increment', key: 'm', by: 1, initial: 0 },
          ])
          expect(results[0]).toEqual({ version: expect.any(String) })
          expect(results.slice(1)).toMatchObject([{ code: 'OUTCOME_UNKNOWN' }, { code: 'OUTCOME_UNKNOWN' }])
          expect(await text(store, 'n')).toBe('1')
        })
      })

      test('a request cut in the middle of a value leaves the old value', async () => {
        const store = through()
        await set(store, 'k', 'old')
        proxy.inject({ kind: 'cut', side: 'request', afterBytes: 5_000 })
        expect(await codeOf(set(store, 'k', 'x'.repeat(100_000)))).toBe('OUTCOME_UNKNOWN')
        expect(await text(store, 'k')).toBe('old')
      })

      test('a reset connection ends what waits on it, and the next call works', async () => {
        const store = through()
        await set(store, 'k', 'v')
        proxy.inject({ kind: 'hold', side: 'response' })
        const waiting = [read(store, 'k'), codeOf(set(store, 'k', 'w'))]
        proxy.inject({ kind: 'reset' })
        expect(await codeOf(waiting[0] as Promise<unknown>)).toBe('UNAVAILABLE')
        expect(await waiting[1]).toBe('OUTCOME_UNKNOWN')
        proxy.pass()
        expect(await text(store, 'k')).toMatch(/^[vw]$/)
      })

      test('a black hole ends what waits after socketTimeoutMs, and does not poison later calls', async () => {
        const store = through({ socketTimeoutMs: 200 })
        await set(store, 'k', 'v')
        const hole = proxy.inject({ kind: 'blackHole' })
        const waiting = [codeOf(read(store, 'k')), codeOf(set(store, 'k', 'w'))]
        await hole.struck
        expect(await Promise.all(waiting)).toEqual(['UNAVAILABLE', 'OUTCOME_UNKNOWN'])
        proxy.pass()
        expect(await text(store, 'k')).toBe('v')
      })

      test('an event loop that was blocked is not taken for a silent server', async () => {
        const store = through({ socketTimeoutMs: 40 })
        await set(store, 'k', 'v')
        for (let round = 0; round < 3; round++) {
          const answer = text(store, 'k')
          const until = performance.now() + 200
          while (performance.now() < until);
          expect(await answer).toBe('v')
        }
      })

      test('a call that waits for a connection ends at its deadline, or when it is aborted, and is never sent', async () => {
        const store = through()
        proxy.inject({ kind: 'blackHole' })
        const late = callOptions({ deadlineAt: performance.now() + 50 })
        const answer = store.write(
          [{ type: 'set', key: 'k', value: bytes('v'), version: newVersion() }],
          late,
        )
        await expect(answer).rejects.toMatchObject({ code: 'TIMEOUT' })
        expect(late.sent).toBe(false)
        const controller = new AbortController()
        const aborted = store.write(
          [{ type: 'set', key: 'k', value: bytes('v'), version: newVersion() }],
          callOptions({ signal: controller.signal }),
        )
        controller.abort(new Error('no longer wanted'))
        await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' })
        proxy.pass()
        expect(await read(store, 'k')).toBeUndefined()
      })

      test('a call whose caller was answered meanwhile is not sent when the connection is there', async () => {
        const store = through()
        const call = callOptions()
        const answer = store.write(
          [{ type: 'set', key: 'k', value: bytes('v'), version: newVersion() }],
          call,
        )
        call.settled = true
        await expect(answer).rejects.toMatchObject({ code: 'TIMEOUT' })
        expect(await read(store, 'k')).toBeUndefined()
      })

      test('close ends calls in flight and leaves nothing open', async () => {
        const store = through()
        await set(store, 'k', 'v')
        proxy.inject({ kind: 'hold', side: 'response' })
        const waiting = codeOf(set(store, 'k', 'w'))
        await store.close()
        expect(await waiting).toBe('OUTCOME_UNKNOWN')
        proxy.pass()
        const opening = through()
        proxy.inject({ kind: 'blackHole' })
        const never = codeOf(read(opening, 'k'))
        await new Promise((done) => setTimeout(done, 100))
        await opening.close()
        expect(await never).toMatch(/UNAVAILABLE|CLOSED/)
      })

      test('a server that is killed and restarted is found again by the next call', async () => {
        const store = fresh({ driver, url: server.url as `redis://${string}` })
        for (let round = 0; round < 5; round++) {
          await set(store, 'k', `v${round}`)
          const calls = Array.from({ length: 20 }, (_, i) =>
            codeOf(i % 2 === 0 ? read(store, 'k') : set(store, `k${i}`, 'v')),
          )
          await server.kill()
          for (const code of await Promise.all(calls))
            expect([undefined, 'UNAVAILABLE', 'OUTCOME_UNKNOWN']).toContain(code)
          expect(await codeOf(read(store, 'k'))).toBe('UNAVAILABLE')
          const call = callOptions()
          await expect(
            store.write([{ type: 'delete', key: 'k', version: newVersion() }], call),
          ).rejects.toMatchObject({ code: 'UNAVAILABLE' })
          expect(call.sent).toBe(false)
          await server.restart()
          const startedAt = performance.now()
          expect(await read(store, 'k')).toBeUndefined()
          expect(performance.now() - startedAt).toBeLessThan(5_000)
        }
      })

      test('a full server answers STORE_FULL to every write and keeps everything', async () => {
        const store = fresh({ driver, url: server.url as `redis://${string}` })
        const version = await set(store, 'k', '1')
        await write(store, { type: 'increment', key: 'k', by: 1, initial: 0 })
        await set(store, 'k', '1', 'keep')
        try {
          await admin.config('SET', 'maxmemory', '100')
          const drafts: Draft[] = [
            { type: 'set', key: 'a', value: bytes('x') },
            { type: 'set', key: 'b', value: bytes('x'), expiresAt: Date.now() + 60_000 },
            { type: 'set', key: 'c', value: bytes('x'), ifVersion: null },
            { type: 'set', key: 'k', value: bytes('x'), expiresAt: 'keep' },
            { type: 'touch', key: 'k', expiresAt: undefined },
            { type: 'increment', key: 'k', by: 1, initial: 0 },
          ]
          for (const draft of drafts) expect(await codeOf(write(store, draft)), draft.type).toBe('STORE_FULL')
          const many = await writeAll(
            store,
            Array.from({ length: 9 }, (_, i) => ({
              type: 'set',
              key: `m${i}`,
              value: bytes('x'),
              expiresAt: Date.now() + 60_000,
            })),
          )
          expect(new Set(many.map((result) => (result as StoreError).code))).toEqual(new Set(['STORE_FULL']))
          expect(await text(store, 'k')).toBe('1')
          expect(await write(store, { type: 'delete', key: 'k', ifVersion: version })).toMatchObject({
            conditionFailed: true,
          })
          expect(await write(store, { type: 'delete', key: 'k' })).toMatchObject({
            version: expect.any(String),
          })
        } finally {
          await admin.config('SET', 'maxmemory', '0')
        }
        for (const key of ['a', 'b', 'c', 'm0']) expect(await read(store, key)).toBeUndefined()
      })

      test('a primary that became a replica is UNAVAILABLE for writes, and its connection is dropped', async () => {
        const store = fresh({ driver, url: server.url as `redis://${string}` })
        await set(store, 'k', 'v')
        expect(isConnected(store.native)).toBe(true)
        try {
          await admin.replicaof('127.0.0.1', '1')
          expect(await codeOf(set(store, 'k', 'w'))).toBe('UNAVAILABLE')
          await vi.waitFor(() => expect(isConnected(store.native)).toBe(false))
        } finally {
          await admin.replicaof('NO', 'ONE')
        }
        await set(store, 'k', 'w')
        expect(await text(store, 'k')).toBe('w')
      })

      test('a value above the limit of the server is VALUE_TOO_LARGE or unknown, and the store goes on', async () => {
        const store = fresh({ driver, url: server.url as `redis://${string}` })
        try {
          await admin.config('SET', 'proto-max-bulk-len', `${1024 * 1024}`)
          expect(await codeOf(set(store, 'k', 'x'.repeat(2_000_000)))).toMatch(
            /VALUE_TOO_LARGE|OUTCOME_UNKNOWN/,
          )
          expect(await read(store, 'k')).toBeUndefined()
          await set(store, 'k', 'v')
        } finally {
          await admin.config('SET', 'proto-max-bulk-len', `${512 * 1024 * 1024}`)
        }
      })

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

      test('a server that is not there is UNAVAILABLE at once, and named without the password', async () => {
        const store = fresh({ driver, url: 'redis://user:planted-secret@127.0.0.1:1/0' })
        const error = await errorOf(() => store.read([{ key: 'k' }], callOptions()))
        expect(error).toBeInstanceOf(StoreError)
        expect(error).toMatchObject({
          code: 'UNAVAILABLE',
          retryable: true,
          message: expect.stringContaining('127.0.0.1:1'),
        })
        expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('planted')
      })
    })
  })

function isConnected(native: object): boolean {
  return 'status' in native ? native.status === 'ready' : 'isReady' in native && native.isReady === true
}
