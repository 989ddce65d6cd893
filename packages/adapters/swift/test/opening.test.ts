import { inspect } from 'node:util'
import { isStoreError, keyValue, type StoreError } from '@unikv/core'
import { codeOf } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { prepareSwift, type SwiftAuth, type SwiftOptions, swift } from '../src/index.ts'
import { authOf, container, freshPrefix, swiftBench } from './swift-bench.ts'

const value = Buffer.from('value')
const secret = 'hunter2-s3cret'

describe('options', () => {
  const url = 'http://127.0.0.1:8080/auth/v1.0'
  const auth: SwiftAuth = { v1: { url, user: 'test:tester', key: secret } }
  const v3 = { url: 'http://127.0.0.1:5000/v3', user: 'ada', password: secret, project: 'p' }
  test.each<[string, SwiftOptions]>([
    ['no auth', {} as never],
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
  ])('%s is INVALID_CONFIG, and the message tells no secret', (_, options) => {
    let thrown: unknown
    try {
      swift(options)
    } catch (error) {
      thrown = error
    }
    expect(isStoreError(thrown) && thrown.code).toBe('INVALID_CONFIG')
    expect(inspect(thrown, { showHidden: true, depth: 9 })).not.toContain(secret)
  })

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

  test('a missing container is NOT_PREPARED, and is not made unless asked for', async () => {
    const missing = freshPrefix()
    const store = bench.store({ container: missing, prepare: false })
    const error = await keyValue(store)
      .get('key')
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'NOT_PREPARED',
      message: expect.stringContaining('prepareSwift') as string,
    })
    expect(await codeOf(keyValue(store).set('key', value))).toBe('NOT_PREPARED')
    await Promise.all(
      Array.from({ length: 4 }, () => prepareSwift({ auth: authOf(url), container: missing })),
    )
    await keyValue(store).set('key', value)
    expect(await keyValue(store).get('key')).toEqual(value)
    await keyValue(store).delete('key')
    expect((await store.native.fetch(`/${missing}`, { method: 'DELETE' })).status).toBe(204)
    expect(await codeOf(keyValue(store).set('key', value))).toBe('NOT_PREPARED')
    expect(await codeOf(keyValue(store).clear({ all: true }))).toBe('NOT_PREPARED')
  })

  test('a wrong key is ACCESS_DENIED, and neither error nor store tells it', async () => {
    const { v1 } = authOf(url) as { readonly v1: { readonly url: string; readonly user: string } }
    const store = bench.store({ auth: { v1: { ...v1, key: secret } } })
    const kv = keyValue(store)
    for (const work of [() => kv.get('key'), () => kv.set('key', value), () => kv.getMany(['a', 'b'])]) {
      const error = (await work().catch((thrown: unknown) => thrown)) as StoreError
      expect([error.code, error.retryable]).toEqual(['ACCESS_DENIED', false])
      expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(secret)
    }
    expect(inspect([store, kv], { showHidden: true, depth: 9 })).not.toContain(secret)
  })

  test('a URL without a sign-in, a closed port: what to mend is said', async () => {
    const { v1 } = authOf(url) as {
      readonly v1: { readonly url: string; readonly user: string; readonly key: string }
    }
    const nowhere = { v1: { ...v1, url: v1.url.replace('/auth/v1.0', '/nothing') } }
    expect(await codeOf(keyValue(bench.store({ auth: nowhere })).get('key'))).toMatch(
      /INVALID_CONFIG|ACCESS_DENIED|UNAVAILABLE/,
    )
    const closed = { v1: { ...v1, url: 'http://127.0.0.1:1/auth/v1.0' } }
    const error = await keyValue(bench.store({ auth: closed }))
      .set('key', value)
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('127.0.0.1:1 ') as string,
    })
  })

  test('nothing is connected before the first call, and nothing is left after close', async () => {
    const store = bench.store({})
    const before = sockets()
    const kv = keyValue(store, [], { timeoutMs: 60_000 })
    await Promise.all(Array.from({ length: 20 }, (_, i) => kv.set(`key ${i}`, value)))
    await kv.close()
    await kv.close()
    await store.close()
    await new Promise((resolve) => setImmediate(resolve))
    expect(sockets()).toBeLessThanOrEqual(before)
    const closed = store.read([{ key: 'a' }], { deadlineAt: Number.POSITIVE_INFINITY })
    expect(await codeOf(Promise.resolve(closed))).toBe('CLOSED')
  })

  test('native is fetch with address and token of the account', async () => {
    const store = bench.store({ container })
    const answer = await store.native.fetch(`/${container}?format=json&limit=1`)
    expect([answer.status, Array.isArray(await answer.json())]).toEqual([200, true])
  })
})

/** Sockets that keep this process alive. */
function sockets(): number {
  return process.getActiveResourcesInfo().filter((name) => /^TCP(Socket|Connect)Wrap$/.test(name)).length
}
