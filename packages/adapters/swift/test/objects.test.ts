import { keyValue, newVersion } from '@unikv/core'
import { compareKeys } from '@unikv/core/adapter'
import { codeOf } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeName, encodeName, justBelow } from '../src/object-name.ts'
import { container, freshPrefix, swiftBench } from './swift-bench.ts'

const value = Buffer.from('value')

describe('object names', () => {
  const keys = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter((key) => key.isWellFormed())

  test('lead back to the key, in its order, and hold nothing that a path, a proxy or Swift would change', () => {
    fc.assert(
      fc.property(keys, keys, (a, b) => {
        const [x, y] = [encodeName(a), encodeName(b)]
        expect(decodeName(x)).toBe(a)
        expect(x).toMatch(/^[\u0021-\u007e]+$/)
        expect(x.split('/')).toHaveLength(1)
        expect(Math.sign(Buffer.compare(Buffer.from(x), Buffer.from(y)))).toBe(Math.sign(compareKeys(a, b)))
        expect(encodeName(a + b)).toBe(x + y)
      }),
    )
  })

  test('are plain for plain keys', () => {
    expect(encodeName('user:1_a-B')).toBe('user:1_a-B')
    expect(encodeName('../é\u0000')).toBe('.2e.2e.2f~c3~a9!00')
  })

  test.each(['', 'a/b', '..', '!0', '!41', '~e9', 'é', 'a b'])('%j names no key', (name) =>
    expect(decodeName(name)).toBeUndefined(),
  )

  test('a marker just below a name lets it through, and nothing before it', () => {
    fc.assert(
      fc.property(keys, keys, (a, b) => {
        const marker = Buffer.from(justBelow(encodeName(a)))
        const passes = Buffer.compare(Buffer.from(encodeName(b)), marker) > 0
        expect(passes).toBe(compareKeys(b, a) >= 0)
      }),
    )
  })
})

describeWith('swift', (url) => {
  const bench = swiftBench(url)

  test('of several who create an object at once several are told that they did: so it is no condition', async () => {
    const prefix = freshPrefix()
    const store = bench.store({ prefix })
    await keyValue(store).get('key') // makes the container
    const create = async (key: string, n: number): Promise<boolean> => {
      const headers = { 'if-none-match': '*' }
      const path = `/${container}/${prefix}/${key}`
      return (await store.native.fetch(path, { method: 'PUT', headers, body: `${n}` })).status === 201
    }
    let most = 0
    for (let round = 0; round < 50 && most < 2; round++) {
      const won = await Promise.all(Array.from({ length: 16 }, (_, n) => create(`${round}`, n)))
      most = won.filter(Boolean).length
    }
    expect(most).toBeGreaterThan(1)
    expect(store.capabilities.conditionalWrite).toBe(false)
  })

  test('objects of others are neither listed nor cleared, and are CORRUPT where a key is read', async () => {
    const prefix = freshPrefix()
    const store = bench.store({ prefix })
    const kv = keyValue(store)
    await kv.set('ours', value)
    const put = async (name: string, body: string): Promise<unknown> =>
      store.native.fetch(`/${container}/${prefix}/${name}`, { method: 'PUT', body })
    await Promise.all([put('theirs', 'a text that is no record at all'), put('empty', ''), put('a%2Fb', 'x')])
    const keys: string[] = []
    for await (const key of kv.keys()) keys.push(key)
    expect(keys).toEqual(['ours'])
    expect(await codeOf(kv.get('theirs'))).toBe('CORRUPT')
    expect(await codeOf(kv.get('empty'))).toBe('CORRUPT')
    expect(await codeOf(kv.has('empty'))).toBe('CORRUPT')
    expect(await codeOf(kv.revalidate('theirs', newVersion()))).toBe('CORRUPT')
    expect(await kv.clear({ all: true })).toBe(1)
    expect((await store.native.fetch(`/${container}/${prefix}/theirs`)).status).toBe(200)
  })

  test('neighbours in one container do not see each other', async () => {
    const prefix = freshPrefix().slice(0, 10)
    const [one, two] = [keyValue(bench.store({ prefix })), keyValue(bench.store({ prefix: `${prefix}2` }))]
    await Promise.all([one.set('key', Buffer.from('1')), two.set('key', Buffer.from('2'))])
    expect(await one.count()).toBe(1)
    expect(await one.clear({ all: true })).toBe(1)
    expect(await two.get('key')).toEqual(Buffer.from('2'))
  })

  test('equal bodies of two writes have different ETags, and a known version does not travel', async () => {
    const prefix = freshPrefix()
    const store = bench.store({ prefix })
    const kv = keyValue(store)
    const etag = async () => (await store.native.fetch(`/${container}/${prefix}/key`)).headers.get('etag')
    const first = await kv.set('key', value)
    const before = await etag()
    const second = await kv.set('key', value)
    expect(await etag()).not.toBe(before)
    expect(await kv.revalidate('key', second.version as string)).toMatchObject({ notModified: true })
    expect(await kv.revalidate('key', first.version as string)).toMatchObject({ value })
  })

  test('the server itself hides what has expired, to the second', async () => {
    const prefix = freshPrefix()
    const store = bench.store({ prefix })
    const kv = keyValue(store)
    await kv.set('key', value, { ttlMs: 1_500 })
    const answer = await store.native.fetch(`/${container}/${prefix}/key`)
    const expiresAt = (await kv.getEntry('key'))?.expiresAt
    expect(Number(answer.headers.get('x-delete-at')) * 1_000).toBe(expiresAt)
    expect((expiresAt as number) % 1_000).toBe(0)
    await new Promise((resolve) => setTimeout(resolve, (expiresAt as number) - Date.now() + 1_100))
    expect((await store.native.fetch(`/${container}/${prefix}/key`)).status).toBe(404)
    expect(await kv.count()).toBe(0)
    await kv.set('key', Buffer.from('new'), { ttlMs: 'keep' })
    expect(await kv.getEntry('key')).toMatchObject({ value: Buffer.from('new'), expiresAt: undefined })
  })

  test('keys of the declared length are taken whatever their bytes, longer ones refused before the wire', async () => {
    const kv = keyValue(bench.store({ prefix: `p${'x'.repeat(47)}` }))
    const longest = `\u0003${'é'.repeat(162)}`
    await kv.set(longest, value)
    expect(await kv.get(longest)).toEqual(value)
    expect(await codeOf(kv.set(`${longest}a`, value))).toBe('KEY_TOO_LONG')
    await kv.clear({ all: true })
  })

  test('values up to the limit are taken, one byte more is refused before the wire', async () => {
    const kv = keyValue(bench.store({ maxValueBytes: 3_000_000 }))
    const largest = Buffer.alloc(3_000_000, 'largest ')
    await kv.set('key', largest)
    expect(largest.equals((await kv.get('key')) as Buffer)).toBe(true)
    expect(await codeOf(kv.set('key', Buffer.alloc(3_000_001)))).toBe('VALUE_TOO_LARGE')
  })

  test('the newest of all copies is read where the call asks for it', async () => {
    const kv = keyValue(bench.store({}))
    await kv.set('key', value)
    expect(await kv.get('key', { consistency: 'newest' })).toEqual(value)
  })
})
