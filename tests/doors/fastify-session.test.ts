import { createRequire } from 'node:module'
import { json, keyValue, supports } from '@unikv/core'
import { sessionStore } from '@unikv/express-session/fastify'
import { afterEach, expect, test } from 'vitest'
import { onFourStores } from './four-stores.ts'

const require = createRequire(import.meta.url)
// oxlint-disable-next-line no-explicit-any -- their types need types of other packages
type Untyped = any
const [fastify, cookies, sessions]: Untyped[] = [
  require('fastify'),
  require('@fastify/cookie'),
  require('@fastify/session'),
]

const apps: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close()
})

onFourStores('fastify_session', (bytes) => {
  const kv = keyValue(bytes, [json()]).namespace('sessions')
  if (!supports(kv, 'ttl')) throw new Error('all four let records expire')
  const store = sessionStore(kv)

  /** An application with this store, and a browser that keeps its cookie. It answers with its session. */
  async function browse(options: object = {}) {
    const app = fastify()
    apps.push(app)
    await app.register(cookies)
    const secret = 'a secret of more than 32 characters'
    await app.register(sessions, {
      store,
      secret,
      saveUninitialized: false,
      cookie: { secure: false },
      ...options,
    })
    app.get('/:what', async (request: Untyped) => {
      const { what } = request.params
      if (what === 'login') request.session.user = { name: 'ada' }
      if (what === 'regenerate') await request.session.regenerate(['user'])
      if (what === 'logout') await request.session.destroy()
      if (what === 'reload') await request.session.reload()
      return { id: request.session?.sessionId, user: request.session?.user }
    })
    let cookie = ''
    return async (what: string) => {
      const response = await app.inject({ url: `/${what}`, headers: { cookie } })
      const [told] = [response.headers['set-cookie']].flat()
      if (told !== undefined) cookie = told.split(';')[0]
      return { told, ...(response.json() as { id?: string; user?: object }) }
    }
  }

  test('a login lasts across requests, until the logout', async () => {
    const ask = await browse()
    const { id = '' } = await ask('login')
    expect(await ask('look')).toMatchObject({ id, user: { name: 'ada' } })
    expect(await ask('reload')).toMatchObject({ id, user: { name: 'ada' } })
    expect(await kv.get(id)).toMatchObject({ user: { name: 'ada' } })
    await ask('logout')
    expect(await kv.has(id)).toBe(false)
    expect((await ask('look')).user).toBeUndefined()
  })

  test('a session without data is not kept, and one of an unknown id is a new one', async () => {
    const ask = await browse()
    expect(await ask('look')).toMatchObject({ told: undefined })
    const { id = '' } = await ask('login')
    await kv.delete(id)
    const next = await ask('look')
    expect([next.id === id, next.user]).toEqual([false, undefined])
  })

  test('regenerate gives another id, and keeps the named data', async () => {
    const ask = await browse()
    const { id = '' } = await ask('login')
    const next = await ask('regenerate')
    expect(next.id).not.toBe(id)
    expect(await ask('look')).toMatchObject({ id: next.id, user: { name: 'ada' } })
  })

  test('the life is that of the cookie, and each request extends it', async () => {
    const ask = await browse({ cookie: { secure: false, maxAge: 600_000 } })
    const { id = '' } = await ask('login')
    const lifeOf = async () => ((await kv.head(id))?.expiresAt ?? 0) - Date.now()
    expect(await lifeOf()).toBeGreaterThan(300_000)
    await kv.set(id, (await kv.get(id)) ?? null, { ttlMs: 60_000 })
    await ask('look')
    expect(await lifeOf()).toBeGreaterThan(300_000)
    expect(await lifeOf()).toBeLessThan(601_000)
  })
})
