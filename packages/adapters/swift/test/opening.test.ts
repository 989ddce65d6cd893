import { opening, plantedSecret as secret } from '@unikv/conformance'
import { keyValue } from '@unikv/core'
import { codeOf } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { prepareSwift, type SwiftAuth, type SwiftOptions, swift } from '../src/index.ts'
import { authOf, container, freshPrefix, swiftBench } from './swift-bench.ts'

const value = Buffer.from('value')

const url = 'http://127.0.0.1:8080/auth/v1.0'
const auth: SwiftAuth = { v1: { url, user: 'test:tester', key: secret } }
const v3 = { url: 'http://127.0.0.1:5000/v3', user: 'ada', password: secret, project: 'p' }
const refused: readonly (readonly [string, object])[] = [
  ['no auth', {}],
  ['two kinds of auth', { auth: { ...auth, v3 } }],
  ['no user', { auth: { v1: { url, user: '', key: secret } } }],
  [
    'user and key in the URL',
    { auth: { v1: { url: `http://u:${secret}@127.0.0.1/auth`, user: 'u', key: secret } } },
  ],
  ['another scheme', { auth: { v1: { url: `swift://${secret}`, user: 'u', key: secret } } }],
  ['no project', { auth: { v3: { ...v3, project: undefined } } }],
  [
    'password and application credential',
    { auth: { v3: { ...v3, applicationCredential: { id: 'i', secret } } } },
  ],
  ['a storage URL that is none', { auth, storageUrl: 'AUTH_test' }],
  ['a container with a slash', { auth, container: 'a/b' }],
  ['an upper-case container', { auth, container: 'Container' }],
  ['an empty prefix', { auth, prefix: '' }],
  ['a prefix with dots', { auth, prefix: '../other' }],
  ['a durability that is none', { auth, durability: 'memory' as never }],
  ['no connections', { auth, maxConnections: 0 }],
  ['half a queue', { auth, queueLimit: 0.5 }],
  ['no room for values', { auth, maxValueBytes: Number.NaN }],
]

describe('options', () => {
  test('capabilities follow the options, in types too', async () => {
    const plain = swift({ auth })
    expect(plain.capabilities).toMatchObject({
      conditionalWrite: false,
      durability: 'replicated',
      maxKeyBytes: 325,
    })
    const flushed: 'flushed' = swift({ auth, durability: 'flushed' }).capabilities.durability
    expect(flushed).toBe('flushed')
    // @ts-expect-error: several creators could be told that they won
    await expect(keyValue(plain).set('key', value, { ifVersion: null })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
    })
  })
})

describeWith('swift', (url) => {
  const bench = swiftBench(url)

  const { v1 } = authOf(url) as Extract<SwiftAuth, { readonly v1: unknown }>
  const at = (origin: string, key = v1.key): SwiftOptions => ({
    auth: { v1: { ...v1, url: origin + new URL(v1.url).pathname, key } },
    container,
    prefix: freshPrefix(),
    prepare: true,
  })

  opening<SwiftOptions>({
    test,
    describe,
    make: (options) => swift(options),
    refused,
    fresh: () => at(new URL(v1.url).origin),
    server: {
      address: new URL(v1.url).host,
      asksPassword: true,
      at: (address, password) => at(`http://${address}`, password),
      withTls: (address) => at(`https://${address}`),
    },
    preparing: {
      prepare: prepareSwift,
      missing: () => ({ auth: authOf(url), container: freshPrefix(), prepare: false }),
      onCall: (options) => ({ ...options, prepare: true }),
    },
    module: { url: new URL('../dist/index.js', import.meta.url), make: 'swift', prepare: 'prepareSwift' },
  })

  test('a container that goes away is NOT_PREPARED to writes and listings', async () => {
    const missing = freshPrefix()
    const store = bench.store({ container: missing })
    const kv = keyValue(store)
    await kv.set('key', value)
    await kv.delete('key')
    expect((await store.native.fetch(`/${missing}`, { method: 'DELETE' })).status).toBe(204)
    expect(await codeOf(kv.set('key', value))).toBe('NOT_PREPARED')
    expect(await codeOf(kv.clear({ all: true }))).toBe('NOT_PREPARED')
  })

  test('a URL without a sign-in is an error', async () => {
    const nowhere = { v1: { ...v1, url: String(v1.url).replace('/auth/v1.0', '/nothing') } }
    expect(await codeOf(keyValue(bench.store({ auth: nowhere })).get('key'))).toMatch(
      /INVALID_CONFIG|ACCESS_DENIED|UNAVAILABLE/,
    )
  })

  test('native is fetch with address and token of the account', async () => {
    const store = bench.store({ container })
    const answer = await store.native.fetch(`/${container}?format=json&limit=1`)
    expect([answer.status, Array.isArray(await answer.json())]).toEqual([200, true])
  })
})
