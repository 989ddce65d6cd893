import { HeadObjectCommand, type HeadObjectCommandOutput } from '@aws-sdk/client-s3'
import { isStoreError, keyValue, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, expect, test, vi } from 'vitest'
import { s3 } from '../src/index.ts'
import { bucket, clientFor, freshPrefix, objectName, optionsFor } from './s3-bench.ts'

const value = Buffer.from('value')

describeWith('s3', (url) => {
  const client = clientFor(url)
  const asked: string[] = []
  client.middlewareStack.add(
    (next, context) => (args) => {
      asked.push((context as { commandName?: string }).commandName ?? '')
      return next(args)
    },
    { step: 'initialize' },
  )
  afterAll(() => client.destroy())

  /** A store whose requests are noted. */
  async function noted() {
    const prefix = freshPrefix()
    const kv = keyValue(s3({ bucket, prefix, client }))
    await keyValue(s3({ ...optionsFor(url), prefix })).set('first', value)
    asked.length = 0
    return { kv, prefix }
  }

  function head(prefix: string, key: string): Promise<HeadObjectCommandOutput | undefined> {
    const command = new HeadObjectCommand({ Bucket: bucket, Key: objectName(prefix, key) })
    return client.send(command).catch(() => undefined)
  }

  test('a listing asks for those records alone that may have expired', async () => {
    const { kv } = await noted()
    await kv.setMany(Array.from({ length: 20 }, (_, i) => [`key ${i}`, value]))
    await kv.set('temporary', value, { ttlMs: 100_000 })
    asked.length = 0
    expect(await kv.count()).toBe(22)
    expect(asked).toEqual(['ListObjectsV2Command', 'GetObjectCommand'])
  })

  test('many deletes are one request, which tells of each', async () => {
    const { kv } = await noted()
    const results = await kv.deleteMany(['first', 'absent'])
    expect(results.some(isStoreError)).toBe(false)
    expect(asked).toEqual(['DeleteObjectsCommand'])
    expect(await kv.has('first')).toBe(false)
  })

  test('making a key, replacing always and deleting always take one request, a bound one two', async () => {
    const { kv } = await noted()
    const { version } = await kv.set('key', value, { ifVersion: null })
    await kv.set('other', value)
    await kv.delete('other')
    expect(asked.splice(0)).toEqual(['PutObjectCommand', 'PutObjectCommand', 'DeleteObjectCommand'])
    await kv.delete('key', { ifVersion: version })
    expect(asked.splice(0)).toEqual(['GetObjectCommand', 'DeleteObjectCommand'])
    await kv.get('first')
    await kv.revalidate('first', newVersion())
    expect(asked).toEqual(['GetObjectCommand', 'GetObjectCommand', 'GetObjectCommand'])
  })

  test('a reader removes the expired record that it meets', async () => {
    const { kv, prefix } = await noted()
    const store = s3({ bucket, prefix, client })
    const expired = {
      type: 'set',
      key: 'old',
      value,
      version: newVersion(),
      expiresAt: Date.now() - 60_000,
    } as const
    await store.write([expired], callOptions())
    expect(await head(prefix, 'old')).toBeDefined()
    expect(await kv.get('old')).toBeUndefined()
    await vi.waitFor(async () => expect(await head(prefix, 'old')).toBeUndefined(), { timeout: 10_000 })
    await store.close()
  })
})
