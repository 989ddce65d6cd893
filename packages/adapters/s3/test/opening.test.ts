import { inspect } from 'node:util'
import {
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { opening, plantedSecret as secret } from '@unikv/conformance'
import { isStoreError, keyValue, type StoreError } from '@unikv/core'
import { describeWith, testAwsClients } from '@unikv/test-kit/vitest'
import { afterAll, describe, expect, expectTypeOf, test } from 'vitest'
import { prepareS3, type S3Native, type S3Options, s3 } from '../src/index.ts'
import { bucket, clientFor, freshPrefix, objectName, optionsFor } from './s3-bench.ts'

const value = Buffer.from('value')
const credentials = { accessKeyId: 'key', secretAccessKey: secret }

async function failureOf(run: () => Promise<unknown>): Promise<StoreError> {
  const error = await run().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isStoreError(error)) throw new Error(`no StoreError: ${String(error)}`)
  return error
}

const client = {} as S3Client
const refused: readonly (readonly [string, object])[] = [
  ['no bucket', {}],
  ['a bucket in capitals', { bucket: 'Shop' }],
  ['a bucket of two characters', { bucket: 'ab' }],
  ['a bucket of 64 characters', { bucket: 'a'.repeat(64) }],
  ['a bucket with a path', { bucket: 'shop/orders' }],
  ['a prefix with a path', { bucket: 'shop', prefix: 'a/b' }],
  ['a prefix that leaves its place', { bucket: 'shop', prefix: '..' }],
  ['an empty prefix', { bucket: 'shop', prefix: '' }],
  ['an endpoint that is not a URL', { bucket: 'shop', endpoint: `127.0.0.1/${secret}` }],
  ['an endpoint with a user', { bucket: 'shop', endpoint: `http://key:${secret}@127.0.0.1` }],
  ['an endpoint with a path', { bucket: 'shop', endpoint: `http://127.0.0.1/${secret}` }],
  ['an endpoint of another protocol', { bucket: 'shop', endpoint: 'ftp://127.0.0.1' }],
  ['credentials without a secret', { bucket: 'shop', credentials: { ...credentials, secretAccessKey: '' } }],
  ['no room for values', { bucket: 'shop', maxValueBytes: 0 }],
  ['values that memory does not hold', { bucket: 'shop', maxValueBytes: 2 ** 31 + 1 }],
  ['no connections', { bucket: 'shop', maxConnections: 0 }],
  ['no queue', { bucket: 'shop', queueLimit: 0.5 }],
  ['a durability that is none', { bucket: 'shop', durability: 'eternal' as never }],
  ['a region beside a client', { bucket: 'shop', client, region: 'eu-west-1' }],
  ['credentials beside a client', { bucket: 'shop', client, credentials }],
]

describe('options', () => {
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

describe('clients of the SDK', () => {
  testAwsClients({
    client: (config) => new S3Client(config),
    open: (options) => s3({ bucket: 'bucket', ...options }),
  })
})

describeWith('s3', (url) => {
  const client = clientFor(url)
  afterAll(() => client.destroy())

  const asked = (endpoint: string, password?: string): S3Options => ({
    ...optionsFor(url),
    endpoint,
    credentials: {
      ...optionsFor(url).credentials,
      ...(password === undefined ? {} : { secretAccessKey: password }),
    },
    prefix: freshPrefix(),
  })
  let buckets = 0

  opening<S3Options>({
    test,
    describe,
    make: (options) => s3(options),
    refused,
    fresh: () => ({ ...optionsFor(url), prefix: freshPrefix() }),
    server: {
      address: new URL(url).host,
      asksPassword: true,
      at: (address, password) => asked(`http://${address}`, password),
      withTls: (address) => asked(`https://${address}`),
    },
    preparing: {
      prepare: prepareS3,
      missing: () => ({ ...optionsFor(url), bucket: `made-${process.pid}-${buckets++}`, prepare: false }),
      onCall: (options) => ({ ...options, prepare: true }),
    },
    module: {
      url: new URL('../dist/index.js', import.meta.url),
      make: 's3',
      prepare: 'prepareS3',
      drivers: ['@aws-sdk/client-s3'],
    },
    client: () => {
      const given = clientFor(url)
      return {
        client: given,
        options: { bucket, prefix: freshPrefix(), client: given },
        works: () => given.send(new HeadBucketCommand({ Bucket: bucket })),
        close: () => given.destroy(),
      }
    },
  })

  test('an unknown key is ACCESS_DENIED, at once and without the secret', async () => {
    const wrong = { accessKeyId: 'nobody', secretAccessKey: secret }
    await using kv = keyValue(s3({ ...optionsFor(url), prepare: false, credentials: wrong }))
    const error = await failureOf(() => kv.get('key'))
    expect(error.code).toBe('ACCESS_DENIED')
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(secret)
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
