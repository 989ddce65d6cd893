import { inspect } from 'node:util'
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { isStoreError, keyValue, type StoreError } from '@unikv/core'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, describe, expect, expectTypeOf, test, vi } from 'vitest'
import { prepareS3, type S3Native, type S3Options, s3 } from '../src/index.ts'
import { bucket, clientFor, freshPrefix, objectName, optionsFor } from './s3-bench.ts'

const value = Buffer.from('value')
const secret = 'hunter2-s3cret'
/** Nothing listens there. */
const nowhere = 'http://127.0.0.1:1'
const credentials = { accessKeyId: 'key', secretAccessKey: secret }

/** Everything that an error shows of itself. */
function shown(error: unknown): string {
  return inspect(error, { showHidden: true, depth: 9 })
}

async function failureOf(run: () => Promise<unknown>): Promise<StoreError> {
  const error = await run().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isStoreError(error)) throw new Error(`no StoreError: ${String(error)}`)
  return error
}

describe('options', () => {
  const client = {} as S3Client
  test.each<[string, S3Options]>([
    ['no bucket', {} as S3Options],
    ['a bucket in capitals', { bucket: 'Shop' }],
    ['a bucket of two characters', { bucket: 'ab' }],
    ['a bucket of 64 characters', { bucket: 'a'.repeat(64) }],
    ['a bucket with a path', { bucket: 'shop/orders' }],
    ['a prefix with a path', { bucket: 'shop', prefix: 'a/b' }],
    ['a prefix that leaves its place', { bucket: 'shop', prefix: '..' }],
    ['an empty prefix', { bucket: 'shop', prefix: '' }],
    ['an endpoint that is no URL', { bucket: 'shop', endpoint: `127.0.0.1/${secret}` }],
    ['an endpoint with a user', { bucket: 'shop', endpoint: `http://key:${secret}@127.0.0.1` }],
    ['an endpoint with a path', { bucket: 'shop', endpoint: `http://127.0.0.1/${secret}` }],
    ['an endpoint of another protocol', { bucket: 'shop', endpoint: 'ftp://127.0.0.1' }],
    [
      'credentials without a secret',
      { bucket: 'shop', credentials: { ...credentials, secretAccessKey: '' } },
    ],
    ['no room for values', { bucket: 'shop', maxValueBytes: 0 }],
    ['values that memory does not hold', { bucket: 'shop', maxValueBytes: 2 ** 31 + 1 }],
    ['no connections', { bucket: 'shop', maxConnections: 0 }],
    ['no queue', { bucket: 'shop', queueLimit: 0.5 }],
    ['a durability that is none', { bucket: 'shop', durability: 'eternal' as never }],
    ['a region beside a client', { bucket: 'shop', client, region: 'eu-west-1' }],
    ['credentials beside a client', { bucket: 'shop', client, credentials }],
  ])('%s is INVALID_CONFIG, and the message tells nothing of it', (_, options) => {
    let thrown: unknown
    try {
      s3(options)
    } catch (error) {
      thrown = error
    }
    expect(isStoreError(thrown) && thrown.code).toBe('INVALID_CONFIG')
    expect(shown(thrown)).not.toContain(secret)
  })

  test('capabilities and the native client follow the options', () => {
    const plain = s3({ bucket: 'shop' })
    expect(plain.capabilities).toMatchObject({ durability: 'replicated', maxValueBytes: 268_435_456 })
    expectTypeOf(plain.capabilities.durability).toEqualTypeOf<'replicated'>()
    expectTypeOf(plain.native).toEqualTypeOf<S3Native>()
    const other = s3({ bucket: 'shop', durability: 'flushed', client: {} as S3Client, maxValueBytes: 1_000 })
    expectTypeOf(other.capabilities.durability).toEqualTypeOf<'flushed'>()
    expectTypeOf(other.native).toEqualTypeOf<S3Client>()
    expect(other.capabilities.maxValueBytes).toBe(1_000)
    const kv = keyValue(plain)
    // @ts-expect-error S3 changes no object in place
    expect(() => kv.touch).not.toThrow()
    // @ts-expect-error S3 does not count
    expect(() => kv.increment).not.toThrow()
  })
})

describe('without a server', () => {
  test('nothing is loaded before the first call, and a write that was not sent says so', async () => {
    const warned = vi.spyOn(process, 'emitWarning')
    const endpoint = nowhere
    await using kv = keyValue(s3({ bucket, endpoint, credentials }))
    for (const run of [() => kv.set('key', value), () => kv.get('key'), () => kv.delete('key')]) {
      const error = await failureOf(run)
      expect([error.code, error.retryable]).toEqual(['UNAVAILABLE', true])
      expect(error.message).toContain('nothing was sent')
      expect(shown(error)).not.toContain(secret)
    }
    expect(warned, 'the SDK warns of old versions of Node').not.toHaveBeenCalled()
    warned.mockRestore()
  })

  test('a client that was handed in tells the same', async () => {
    const endpoint = nowhere
    const client = new S3Client({ endpoint, credentials, region: 'us-east-1', maxAttempts: 1 })
    await using kv = keyValue(s3({ bucket, client }))
    expect((await failureOf(() => kv.set('key', value))).code).toBe('UNAVAILABLE')
    client.destroy()
  })

  test('a client that tries again by itself is refused', async () => {
    const client = new S3Client({ credentials, region: 'us-east-1', maxAttempts: 3 })
    await using kv = keyValue(s3({ bucket, client }))
    const error = await failureOf(() => kv.get('key'))
    expect([error.code, error.message]).toEqual([
      'INVALID_CONFIG',
      'Create the client with maxAttempts: 1, so that it never sends a write twice.',
    ])
    client.destroy()
  })

  test('a client whose strategy counts attempts by itself is refused, whatever its maxAttempts', async () => {
    const config = { credentials, region: 'us-east-1' }
    const strategyOf = (more: object) => new S3Client({ ...config, ...more }).config.retryStrategy()
    const own = {
      acquireInitialRetryToken: () => Promise.reject(new Error('never asked')),
      refreshRetryTokenForRetry: () => Promise.reject(new Error('never asked')),
      recordSuccess: () => undefined,
    }
    const adaptive = await strategyOf({ retryMode: 'adaptive', maxAttempts: 4 })
    for (const retryStrategy of [await strategyOf({ maxAttempts: 4 }), adaptive, own]) {
      const client = new S3Client({ ...config, maxAttempts: 1, retryStrategy })
      await using kv = keyValue(s3({ bucket, client }))
      const error = await failureOf(() => kv.get('key'))
      expect(error.code).toBe('INVALID_CONFIG')
      expect(error.message).toContain('without a retryStrategy')
    }
    const retryStrategy = await strategyOf({ maxAttempts: 1 })
    const client = new S3Client({ ...config, endpoint: nowhere, maxAttempts: 1, retryStrategy })
    await using kv = keyValue(s3({ bucket, client }))
    expect((await failureOf(() => kv.get('key'))).code).toBe('UNAVAILABLE')
  })

  test('no credentials anywhere is ACCESS_DENIED, nothing was sent', async () => {
    const provider = () =>
      Promise.reject(Object.assign(new Error('none'), { name: 'CredentialsProviderError' }))
    await using kv = keyValue(s3({ bucket, region: 'us-east-1', credentials: provider }))
    expect((await failureOf(() => kv.set('key', value))).code).toBe('ACCESS_DENIED')
  })
})

describeWith('s3', (url) => {
  const client = clientFor(url)
  afterAll(() => client.destroy())

  test('a missing bucket is named, and nothing is made of it', async () => {
    await using kv = keyValue(s3({ ...optionsFor(url), bucket: 'never-made', prepare: false }))
    for (const run of [() => kv.get('key'), () => kv.set('key', value), () => kv.count()]) {
      const error = await failureOf(run)
      expect(error.code).toBe('NOT_PREPARED')
      expect(error.message).toContain('never-made')
    }
  })

  test('prepareS3 makes the bucket, and finds it there', async () => {
    const options = { ...optionsFor(url), bucket: `made-${process.pid}`, prepare: false }
    await Promise.all([prepareS3(options), prepareS3(options)])
    await prepareS3(options)
    await using kv = keyValue(s3(options))
    await kv.set('key', value)
  })

  test.each([
    ['an unknown key', { accessKeyId: 'nobody', secretAccessKey: secret }],
    ['a wrong secret', { accessKeyId: new URL(url).username, secretAccessKey: secret }],
  ])('%s is ACCESS_DENIED, at once and without the secret', async (_, wrong) => {
    await using kv = keyValue(s3({ ...optionsFor(url), prepare: false, credentials: wrong }))
    for (const run of [() => kv.get('key'), () => kv.set('key', value), () => kv.delete('key')]) {
      const error = await failureOf(run)
      expect(error.code).toBe('ACCESS_DENIED')
      expect(shown(error)).not.toContain(secret)
    }
  })

  test('TLS with a server that speaks none is UNAVAILABLE, and nothing was sent', async () => {
    const endpoint = optionsFor(url).endpoint.replace('http:', 'https:')
    await using kv = keyValue(s3({ ...optionsFor(url), prepare: false, endpoint }))
    const error = await failureOf(() => kv.set('key', value))
    expect(error.code).toBe('UNAVAILABLE')
    expect(error.message).toContain('nothing was sent')
  })

  test('native sends commands of your own', async () => {
    const prefix = freshPrefix()
    const store = s3({ ...optionsFor(url), prefix })
    await using kv = keyValue(store)
    await kv.set('key', value)
    const object = { Bucket: bucket, Key: objectName(prefix, 'key') }
    expect((await store.native.send(new HeadObjectCommand(object))).ContentLength).toBe(21 + value.length)
  })

  test('a command of your own keeps its middleware, also one of a class that the store sends itself', async () => {
    const prefix = freshPrefix()
    const store = s3({ ...optionsFor(url), prefix })
    await using kv = keyValue(store)
    await kv.set('key', value)
    for (let turn = 0; turn < 2; turn++) {
      expect(await kv.get('key')).toEqual(Buffer.from(value))
      const command = new GetObjectCommand({ Bucket: bucket, Key: objectName(prefix, 'other') })
      const ways: string[] = []
      command.middlewareStack.add(
        (next) => (args) => {
          ways.push('seen')
          return next({ ...args, input: { Bucket: bucket, Key: objectName(prefix, 'key') } })
        },
        { step: 'initialize' },
      )
      expect((await store.native.send(command)).ContentLength).toBe(21 + value.length)
      expect(ways).toEqual(['seen'])
    }
  })

  test('a client that was handed in works, is native, and stays open', async () => {
    const prefix = freshPrefix()
    const store = s3({ bucket, prefix, client })
    const kv = keyValue(store)
    const { version } = await kv.set('key', value, { ifVersion: null })
    await kv.set('key', value, { ifVersion: version })
    expect((await failureOf(() => kv.set('key', value, { ifVersion: version }))).code).toBe(
      'CONDITION_FAILED',
    )
    expect(await kv.get('absent')).toBeUndefined()
    expect(kv.native).toBe(client)
    await kv.close()
    const object = { Bucket: bucket, Key: objectName(prefix, 'key') }
    expect((await client.send(new HeadObjectCommand(object))).ContentLength).toBe(21 + value.length)
  })

  test('a value that another program made too large is not taken into memory', async () => {
    const prefix = freshPrefix()
    await keyValue(s3({ ...optionsFor(url), prefix })).set('key', Buffer.alloc(5_000))
    await using kv = keyValue(s3({ ...optionsFor(url), prefix, maxValueBytes: 1_000 }))
    expect((await failureOf(() => kv.get('key'))).code).toBe('VALUE_TOO_LARGE')
    expect(await kv.has('key')).toBe(true)
  })

  test('objects of others are not listed, not cleared, and CORRUPT where they have a name of ours', async () => {
    const prefix = freshPrefix()
    await using kv = keyValue(s3({ ...optionsFor(url), prefix }))
    await kv.set('mine', value)
    const put = (Key: string, Body: string) =>
      client.send(new PutObjectCommand({ Bucket: bucket, Key, Body, ContentLength: Body.length }))
    const others = [
      `${prefix}/readme.txt`,
      `${prefix}/readme`,
      `${prefix}/folder/!mine`,
      `${prefix}_other/!mine`,
    ]
    for (const name of others) await put(name, 'something that is longer than the head of a record')
    await put(objectName(prefix, 'short'), 'short')
    await put(objectName(prefix, 'empty'), '')
    const listed: string[] = []
    for await (const key of kv.keys()) listed.push(key)
    expect(listed).toEqual(['mine'])
    for (const key of ['short', 'empty']) expect((await failureOf(() => kv.get(key))).code).toBe('CORRUPT')
    expect(await kv.clear({ all: true })).toBe(1)
    for (const Key of [...others, objectName(prefix, 'short')])
      expect(await client.send(new HeadObjectCommand({ Bucket: bucket, Key }))).toBeDefined()
  })
})
