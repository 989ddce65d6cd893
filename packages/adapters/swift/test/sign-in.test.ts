import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import { keyValue } from '@unikv/core'
import { codeOf } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterEach, expect, test } from 'vitest'
import type { SwiftV3Auth } from '../src/index.ts'
import { authOf, swiftBench } from './swift-bench.ts'

const value = Buffer.from('value')
const secret = 'hunter2-s3cret'

/** What the server of tokens says; each test has its own. */
interface Issuing {
  /** Of the real Swift. @default what tempauth gives */
  readonly token?: (n: number) => string | undefined
  readonly lifeMs?: number
  readonly status?: number
  readonly type?: string
}

describeWith('swift', (url) => {
  const bench = swiftBench(url)
  const ends: (() => void)[] = []
  afterEach(() => ends.splice(0).forEach((end) => end()))

  /**
   * The one call of Keystone that issues tokens, and nothing else of Keystone, which no package registry has: what is
   * tested is when tokens are asked for. They are those of the real Swift, to which all other requests go.
   */
  async function tokenServer({
    token,
    lifeMs = 3_600_000,
    status = 201,
    type = 'object-store',
  }: Issuing = {}) {
    const asked: unknown[] = []
    const { v1 } = authOf(url) as {
      readonly v1: { readonly url: string; readonly user: string; readonly key: string }
    }
    const server = createServer((request, response) => {
      const answer = async (): Promise<void> => {
        asked.push(JSON.parse(await text(request)))
        const n = asked.length
        const real = await fetch(v1.url, { headers: { 'x-auth-user': v1.user, 'x-auth-key': v1.key } })
        const endpoint = { interface: 'public', region: 'one', url: real.headers.get('x-storage-url') }
        response.statusCode = request.url === '/v3/auth/tokens' && request.method === 'POST' ? status : 404
        response.setHeader('x-subject-token', token?.(n) ?? (real.headers.get('x-auth-token') as string))
        const catalog = [
          { type, endpoints: [{ ...endpoint, interface: 'internal', url: 'http://[::1]:1/' }, endpoint] },
        ]
        response.end(
          JSON.stringify({ token: { expires_at: new Date(Date.now() + lifeMs).toISOString(), catalog } }),
        )
      }
      void answer()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    ends.push(() => {
      server.close()
      server.closeAllConnections()
    })
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3`
    const v3: SwiftV3Auth = { url: address, user: 'ada', password: secret, project: 'p', userDomain: 'd' }
    return { asked, v3 }
  }

  test('a user signs in with a password and the scope of a project, once for all who wait', async () => {
    const { asked, v3 } = await tokenServer()
    const kv = keyValue(bench.store({ auth: { v3 } }), [], { coalesce: false })
    await Promise.all(Array.from({ length: 8 }, (_, i) => kv.set(`${i}`, value)))
    expect(await kv.get('7')).toEqual(value)
    const account = { name: 'ada', domain: { name: 'd' }, password: secret }
    const identity = { methods: ['password'], password: { user: account } }
    const scope = { project: { name: 'p', domain: { name: 'd' } } }
    expect(asked).toEqual([{ auth: { identity, scope } }])
  })

  test('an application credential names no user and no project', async () => {
    const { asked, v3 } = await tokenServer()
    const applicationCredential = { id: 'id', secret }
    const kv = keyValue(bench.store({ auth: { v3: { url: v3.url, applicationCredential, region: 'one' } } }))
    await kv.set('key', value)
    const identity = { methods: ['application_credential'], application_credential: applicationCredential }
    expect(asked).toEqual([{ auth: { identity } }])
  })

  test('a token is renewed before its end, once for all who wait', async () => {
    const { asked, v3 } = await tokenServer({ lifeMs: 62_000 })
    const kv = keyValue(bench.store({ auth: { v3 } }), [], { coalesce: false })
    await kv.set('key', value)
    expect(asked).toHaveLength(1)
    await pause(3_300)
    await Promise.all(Array.from({ length: 8 }, () => kv.get('key')))
    expect(asked).toHaveLength(2)
  })

  test('a token that the server refuses is renewed once', async () => {
    const { asked, v3 } = await tokenServer({ token: (n) => (n === 2 ? undefined : 'refused') })
    const kv = keyValue(bench.store({ auth: { v3 } }))
    await kv.set('key', value)
    expect(await kv.get('key')).toEqual(value)
    expect(asked).toHaveLength(2)
  })

  test('tokens that the server refuses again and again are ACCESS_DENIED, without a storm of them', async () => {
    const { asked, v3 } = await tokenServer({ token: () => 'refused' })
    const kv = keyValue(bench.store({ auth: { v3 } }))
    expect(await codeOf(kv.set('key', value))).toBe('ACCESS_DENIED')
    expect(asked).toHaveLength(2)
  })

  test('wrong credentials are ACCESS_DENIED, a catalog without object store INVALID_CONFIG, without the secret', async () => {
    const refusing = await tokenServer({ status: 401 })
    const empty = await tokenServer({ type: 'compute' })
    for (const [{ v3 }, code] of [
      [refusing, 'ACCESS_DENIED'],
      [empty, 'INVALID_CONFIG'],
    ] as const) {
      const error = await keyValue(bench.store({ auth: { v3 } }))
        .set('key', value)
        .catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code })
      expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(secret)
    }
    const elsewhere = { ...(await tokenServer()).v3, region: 'two' }
    expect(await codeOf(keyValue(bench.store({ auth: { v3: elsewhere } })).get('key'))).toBe('INVALID_CONFIG')
  })

  test('a storage URL of one’s own takes the place of the catalog', async () => {
    const { v3 } = await tokenServer({ type: 'compute' })
    const account = `${new URL(url).origin}/v1/AUTH_test`
    const kv = keyValue(bench.store({ auth: { v3 }, storageUrl: account }))
    await kv.set('key', value)
    expect(await kv.get('key')).toEqual(value)
  })
})
