import { once } from 'node:events'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { json, type KeyValue, keyValue, StoreError, type Supporting, supports } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { type SessionData, sessionStore } from '@unikv/express-session'
import { sessionStore as fastifyStore } from '@unikv/express-session/fastify'
import { memcached } from '@unikv/memcached'
import { afterEach, describe, expect, test } from 'vitest'
import { onFourStores } from './four-stores.ts'

const require = createRequire(import.meta.url)
// oxlint-disable-next-line no-explicit-any -- neither has types of its own
type Untyped = any
const [express, session]: Untyped[] = [require('express'), require('express-session')]

/** A callback as a promise. */
const answer = <T>(
  call: (callback: (error?: unknown, value?: T) => void) => unknown,
): Promise<T | undefined> =>
  new Promise((resolve, reject) =>
    call((error, value) => (error instanceof Error ? reject(error) : resolve(value))),
  )
const cookieOf = (ms: number) => ({ originalMaxAge: ms, expires: new Date(Date.now() + ms) })
const month = 30 * 86_400_000
const sessionOf = (data: object, ms = 60_000) => ({ cookie: cookieOf(ms), ...data }) as SessionData

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((done) => server.close(done))
})

onFourStores('express_session', (bytes) => {
  const kv = keyValue(bytes, [json()]).namespace('sessions')
  if (!supports(kv, 'ttl')) throw new Error('all four let records expire')
  const store = sessionStore(kv)
  const get = (id: string) => answer<SessionData | null>((callback) => store.get(id, callback))
  const set = (id: string, value: SessionData) => answer((callback) => store.set(id, value, callback))
  const touch = (id: string, value: SessionData) => answer((callback) => store.touch?.(id, value, callback))

  describe('the methods', () => {
    test('keep a session, and remove it', async () => {
      await set('a', sessionOf({ user: 'ada', tags: ['x', { y: null }] }))
      expect(await get('a')).toMatchObject({
        user: 'ada',
        tags: ['x', { y: null }],
        cookie: { originalMaxAge: 60_000 },
      })
      await answer((callback) => store.destroy('a', callback))
      await answer((callback) => store.destroy('a', callback))
      expect(await get('a')).toBeNull()
    })

    test('list, count and clear', async () => {
      await answer((callback) => store.clear(callback))
      await Promise.all(['a', '__proto__', 'c'].map((id) => set(id, sessionOf({ id }))))
      const all = await answer<Record<string, SessionData>>((callback) => store.all(callback))
      expect(Object.keys(all ?? {}).sort()).toEqual(['__proto__', 'a', 'c'])
      expect(all?.['c']).toMatchObject({ id: 'c' })
      expect(await answer<number>((callback) => store.length(callback))).toBe(3)
      await answer((callback) => store.clear(callback))
      expect(await answer<number>((callback) => store.length(callback))).toBe(0)
    })

    test.each([
      ['expires', { expires: new Date(Date.now() + 600_000) }, 600_000],
      ['expires as text', { expires: new Date(Date.now() + 600_000).toISOString() }, 600_000],
      ['maxAge', { expires: null, maxAge: 500_000 }, 500_000],
      ['originalMaxAge', { originalMaxAge: 400_000.5 }, 400_000],
      ['neither, for one day', { expires: false, originalMaxAge: null }, 86_400_000],
    ])('take the life from %s', async (_, cookie, ms) => {
      await set('life', { cookie })
      const left = ((await kv.head('life'))?.expiresAt ?? 0) - Date.now()
      expect(left).toBeLessThanOrEqual(ms + 1000)
      expect(left).toBeGreaterThan(ms - 60_000)
    })

    const second = new Date('Thu, 01 Jan 1970 00:00:01 GMT')
    test.each([
      ['a second ago', () => new Date(Date.now() - 1000)],
      ['in 1970', () => second],
      ['before 1970', () => new Date(-1000)],
    ])('remove a session whose cookie has expired %s', async (_, expires) => {
      const gone = () => ({ cookie: { originalMaxAge: null, expires: expires() } })
      await set('gone', sessionOf({}))
      await set('gone', gone())
      expect(await get('gone')).toBeNull()
      await set('gone', sessionOf({}))
      await touch('gone', gone())
      expect(await get('gone')).toBeNull()
    })

    test.each([
      ['expires', { expires: new Date('Fri, 31 Dec 9999 23:59:59 GMT') }],
      ['originalMaxAge', { originalMaxAge: 1e20 }],
    ])('keep a session that lasts for ever by its %s', async (_, cookie) => {
      await set('ever', { cookie })
      await touch('ever', { cookie })
      expect((await kv.head('ever'))?.expiresAt).toBeGreaterThan(Date.now() + 50 * 365 * 86_400_000)
    })

    test('tell of what is not a session, and of one that cannot be kept, by the callback', async () => {
      const odd = kv.namespace('odd') as unknown as KeyValue<string, unknown, Supporting<'ttl'>>
      await Promise.all([null, 'text', { user: 'ada' }].map((value, i) => odd.set(`${i}`, value)))
      const others = sessionStore(odd)
      for (const id of ['0', '1', '2'])
        await expect(answer((callback) => others.get(id, callback))).rejects.toMatchObject({
          code: 'CORRUPT',
        })
      for (const bad of [null, undefined, {}, { cookie: null }, { cookie: cookieOf(1000), count: 1n }])
        await expect(set('bad', bad as never)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
      const noCookie = { cookie: cookieOf(1000), toJSON: () => ({ count: 1 }) }
      await expect(set('bad', noCookie as never)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
      for (const kept of [null, undefined, 'text']) {
        const odd = { cookie: { toJSON: () => kept } } as never
        await expect(set('bad', odd)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
        await expect(touch('bad', odd)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
      }
      await expect(touch('bad', {} as never)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
      await expect(store.set('bad', {} as never)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
      await answer((callback) => others.set('good', sessionOf({ user: 'ada' }), callback))
      const partial = await answer((callback) => others.all(callback)).catch((error: unknown) => error)
      expect(partial).toMatchObject({ code: 'PARTIAL', key: expect.stringMatching(/^[012]$/) })
      expect((partial as StoreError).results?.[0]).toMatchObject(['good', { user: 'ada' }])
      expect(await store.destroy('bad', null as never)).toBeUndefined()
      expect(() => store.destroy('bad', 'callback' as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
      )
    })

    const none = { originalMaxAge: null, expires: null, path: '/' }
    test.each([
      ['an end that it did not have', none, { ...none, ...cookieOf(month) }],
      ['no end any more', { ...none, ...cookieOf(month) }, none],
      ['a shorter life', { ...none, ...cookieOf(month) }, { ...none, ...cookieOf(60_000) }],
      ['another path', none, { ...none, path: '/shop' }],
    ])('touch keeps a cookie with %s', async (_, before, after) => {
      for (const isRead of [true, false]) {
        const id = `${isRead}`
        await set(id, { cookie: before, user: 'ada' } as SessionData)
        if (isRead) await get(id)
        await touch(id, { cookie: after })
        const found = await get(id)
        const { expires, ...others } = after
        expect(found).toMatchObject({ user: 'ada', cookie: others })
        expect(Boolean(found?.cookie.expires)).toBe(expires !== null)
        const left = ((await kv.head(id))?.expiresAt ?? 0) - Date.now()
        expect(Math.abs(left - (after.originalMaxAge ?? 86_400_000))).toBeLessThan(60_000)
      }
    })

    test('touch sets the expiry, keeps what another request stored, and does not bring back', async () => {
      await set('t', sessionOf({ version: 1 }))
      await set('t', sessionOf({ version: 2 }))
      const later = sessionOf({ version: 1 }, 900_000)
      await touch('t', later)
      const found = await get('t')
      expect(found).toMatchObject({ version: 2 })
      expect(Math.abs(Date.parse(String(found?.cookie.expires)) - Number(later.cookie.expires))).toBeLessThan(
        2000,
      )
      await touch('absent', later)
      expect(await get('absent')).toBeNull()
    })
  })

  describe('express-session', () => {
    /** An application with this store; what it answers is its session. */
    async function serve(options: object = {}) {
      const app = express()
      app.use(session({ store, secret: 's', resave: false, saveUninitialized: false, ...options }))
      app.get('/:what', (request: Untyped, response: Untyped, next: Untyped) => {
        const { what } = request.params
        const send = (error?: unknown) =>
          error ? next(error) : response.json({ id: request.sessionID, user: request.session?.user })
        if (what === 'login') request.session.user = 'ada'
        if (what === 'remember') request.session.cookie.maxAge = month
        if (what === 'regenerate') return request.session.regenerate(send)
        if (what === 'logout') return request.session.destroy(send)
        if (what === 'reload') return request.session.reload(send)
        send()
      })
      const server: Server = app.listen(0)
      servers.push(server)
      await once(server, 'listening')
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      let cookie = ''
      return async (what: string) => {
        const response = await fetch(`${url}/${what}`, { headers: { cookie, connection: 'close' } })
        const told = response.headers.get('set-cookie')
        if (told !== null) cookie = told.split(';')[0] ?? ''
        return { told, ...((await response.json()) as { id: string; user?: string }) }
      }
    }

    test('a login lasts across requests, until the logout', async () => {
      const ask = await serve({ cookie: { maxAge: 60_000 } })
      const { id } = await ask('login')
      expect(await ask('look')).toEqual({ told: null, id, user: 'ada' })
      expect(await ask('reload')).toMatchObject({ id, user: 'ada' })
      await ask('logout')
      expect(await get(id)).toBeNull()
      expect((await ask('look')).user).toBeUndefined()
    })

    test.each([false, true])('saveUninitialized: %s decides about sessions without data', async (saves) => {
      const ask = await serve({ saveUninitialized: saves })
      const { id, told } = await ask('look')
      expect([told !== null, (await get(id)) !== null]).toEqual([saves, saves])
    })

    test('rolling sends the cookie anew, and a look extends the life', async () => {
      const ask = await serve({ rolling: true, cookie: { maxAge: 60_000 } })
      const { id } = await ask('login')
      const kept = (await get(id)) as SessionData
      await touch(id, { cookie: { ...kept.cookie, expires: new Date(Date.now() + 5000) } })
      const short = (await kv.head(id))?.expiresAt ?? 0
      const { told } = await ask('look')
      expect(told).toContain('Expires=')
      expect((await kv.head(id))?.expiresAt).toBeGreaterThan(short + 30_000)
      expect(await get(id)).toMatchObject({ user: 'ada' })
    })

    test.each([false, true])(
      'a life that a request gives the cookie stays, with rolling: %s',
      async (rolling) => {
        const ask = await serve({ rolling })
        const { id } = await ask('login')
        await ask('remember')
        await ask('look')
        expect((await kv.head(id))?.expiresAt).toBeGreaterThan(Date.now() + month - 60_000)
        expect((await get(id))?.cookie.originalMaxAge).toBeGreaterThan(month - 60_000)
      },
    )

    test('regenerate removes the old session and begins a new one', async () => {
      const ask = await serve({ saveUninitialized: true })
      const { id } = await ask('login')
      const next = await ask('regenerate')
      expect(next.id).not.toBe(id)
      expect(next.user).toBeUndefined()
      expect([await get(id), (await get(next.id)) !== null]).toEqual([null, true])
    })

    test('unset: destroy, and an unknown id gets a session of its own', async () => {
      const ask = await serve({ saveUninitialized: true })
      const { id } = await ask('login')
      await answer((callback) => store.destroy(id, callback))
      expect((await ask('look')).id).not.toBe(id)
    })
  })
})

test('it is an instance of the class of express-session; the one for fastify does not need it', () => {
  const kv = keyValue(memory(), [json()])
  expect(sessionStore(kv)).toBeInstanceOf(session.Store)
  expect(fastifyStore(kv)).not.toHaveProperty('createSession')
})

test('a failure is told once, and so is an answer whose callback throws', async () => {
  const kv = keyValue(memory(), [json()])
  const store = sessionStore(kv)
  const uncaught = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  let calls = 0
  try {
    const thrown = once(process, 'uncaughtException')
    void store.get('a', () => {
      calls += 1
      throw new Error('mine')
    })
    expect((await thrown)[0]).toMatchObject({ message: 'mine' })
  } finally {
    for (const listener of uncaught) process.on('uncaughtException', listener)
  }
  expect(calls).toBe(1)
  await kv.close()
  for (const method of ['get', 'destroy', 'set', 'touch'] as const)
    await expect(
      answer((callback) =>
        (store as never as Record<string, (...values: unknown[]) => void>)[method]?.(
          'a',
          ...(method === 'get' || method === 'destroy' ? [] : [sessionOf({})]),
          callback,
        ),
      ),
    ).rejects.toMatchObject({ code: 'CLOSED' })
  await expect(store.destroy('a')).rejects.toBeInstanceOf(StoreError)
})

test('a store that cannot let records expire, or cannot list them, says so', async () => {
  const { ttl: _, ...others } = memory().capabilities
  const eternal = { ...memory(), capabilities: { ...others, ttl: false } as const }
  // @ts-expect-error: without ttl
  expect(() => sessionStore(keyValue(eternal, [json()]))).toThrow(
    expect.objectContaining({ code: 'UNSUPPORTED' }),
  )
  const store = sessionStore(keyValue(memcached({ url: 'memcached://127.0.0.1:1' }), [json()]))
  await expect(answer((callback) => store.all(callback))).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  await expect(answer((callback) => store.clear(callback))).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  expect(() => sessionStore(keyValue(memory(), [json()]), { ttlMs: 0 })).toThrow('ttlMs')
})
