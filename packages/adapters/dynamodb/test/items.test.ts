import {
  type AttributeValue,
  BatchGetItemCommand,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb'
import { isStoreError, keyValue, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { resultsOf } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dynamodb, prepareDynamodb } from '../src/index.ts'
import { maxKeyBytes, maxValueBytes } from '../src/item.ts'
import { clientFor, dropTable, freshTable, optionsFor } from './dynamodb-bench.ts'

/** The largest expiry that can be told: 21 bytes is the most that a number takes, this one takes 9. */
const lastExpiry = 8_640_000_000_000_000

describeWith('dynamodb', (url) => {
  const client = clientFor(url)
  const table = freshTable()
  beforeAll(() => prepareDynamodb({ ...optionsFor(url), table }))
  afterAll(async () => {
    await dropTable(client, table)
    client.destroy()
  })

  test('an item of 400 KB is taken, names of attributes included, and one byte more is not', async () => {
    const put = (bytes: number) => {
      const item = {
        k: { B: Buffer.alloc(10) },
        value: { B: Buffer.alloc(bytes - 'k'.length - 10 - 'value'.length) },
      }
      return client.send(new PutItemCommand({ TableName: table, Item: item }))
    }
    await put(400 * 1_024)
    await expect(put(400 * 1_024 + 1)).rejects.toThrow(/[Ii]tem size/)
  })

  test('the largest value fits with the longest key and an expiry, and one byte more is refused before the wire', async () => {
    await using kv = keyValue(dynamodb({ ...optionsFor(url), table }))
    const store = dynamodb({ ...optionsFor(url), table })
    const largest = Buffer.alloc(maxValueBytes, 'largest')
    const key = 'k'.repeat(maxKeyBytes)
    const set = { type: 'set', key, value: largest, version: newVersion(), expiresAt: lastExpiry } as const
    const [result] = await store.write([set], callOptions())
    expect(isStoreError(result)).toBe(false)
    expect(await kv.get(key)).toEqual(largest)
    await expect(kv.set('key', Buffer.alloc(maxValueBytes + 1))).rejects.toMatchObject({
      code: 'VALUE_TOO_LARGE',
    })
    await store.close()
  })

  test('documents that are too large or too deep are refused', async () => {
    await using kv = keyValue(dynamodb({ ...optionsFor(url), table, values: 'document' }))
    await expect(kv.set('large', 'x'.repeat(410_000))).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' })
    let deep: object = {}
    for (let level = 0; level < 40; level++) deep = { deep }
    await expect(kv.set('deep', deep as never)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
    expect(await kv.has('deep')).toBe(false)
  })

  test('an item shows queries what it holds', async () => {
    await using documents = keyValue(dynamodb({ ...optionsFor(url), table, values: 'document' }))
    await documents.set('ada', { name: 'Ada', born: 1815 }, { ttlMs: 1_000_000 })
    const command = new GetItemCommand({ TableName: table, Key: { k: { B: Buffer.from('ada') } } })
    const { Item = {} } = await client.send(command)
    expect(Item['document']).toEqual({ M: { name: { S: 'Ada' }, born: { N: '1815' } } })
    const { expiresAt = 0 } = (await documents.getEntry('ada')) ?? {}
    expect(Item['expires_at']).toEqual({ N: String(expiresAt) })
    expect(Item['ttl']).toEqual({ N: String(Math.ceil(expiresAt / 1_000)) })
  })

  test('a counter is a number, exact to the ends of its range', async () => {
    await using kv = keyValue(dynamodb({ ...optionsFor(url), table }))
    await kv.set('counter', Buffer.from('9007199254740990'))
    expect(await kv.increment('counter')).toBe(Number.MAX_SAFE_INTEGER)
    await expect(kv.increment('counter')).rejects.toMatchObject({ code: 'INVALID_VALUE' })
    expect(Buffer.from((await kv.get('counter')) ?? []).toString()).toBe('9007199254740991')
    expect(await kv.increment('counter', -Number.MAX_SAFE_INTEGER)).toBe(0)
    expect(Buffer.from((await kv.get('counter')) ?? []).toString()).toBe('0')
    await kv.set('text', Buffer.from('007'))
    await expect(kv.increment('text')).rejects.toMatchObject({ code: 'INVALID_VALUE' })
  })

  test('reads of more than one answer holds, 16 MB, are completed', async () => {
    await using kv = keyValue(dynamodb({ ...optionsFor(url), table }))
    const entries = Array.from({ length: 45 }, (_, i) => [`large ${i}`, Buffer.alloc(390_000, i)] as const)
    for (const entry of entries) await kv.set(...entry)
    const commands: Record<string, AttributeValue>[] = entries.map(([key]) => ({
      k: { B: Buffer.from(key) },
    }))
    const once = await client.send(new BatchGetItemCommand({ RequestItems: { [table]: { Keys: commands } } }))
    expect(once.UnprocessedKeys?.[table]?.Keys?.length, 'one answer does not hold them').toBeGreaterThan(0)
    const found = await kv.getMany(
      entries.map(([key]) => key),
      { timeoutMs: 30_000 },
    )
    expect(found.map((value) => value?.[0])).toEqual(entries.map((_, i) => i))
  })

  test('what there was no room for is written or refused, by a server that has room for one at a time', async () => {
    const limited = clientFor(url)
    // The server answers as it does when it is throttled: all but the first item come back.
    limited.middlewareStack.add(
      (next) => async (args) => {
        const { input } = args as { input: { RequestItems?: Record<string, unknown> } }
        const { RequestItems: { [table]: all = [] } = {} } = input
        if (!Array.isArray(all) || all.length < 2) return next(args)
        const result = await next({ ...args, input: { RequestItems: { [table]: all.slice(0, 1) } } })
        const output = { ...result.output, UnprocessedItems: { [table]: all.slice(1) } }
        return { ...result, output }
      },
      { step: 'initialize' },
    )
    await using kv = keyValue(dynamodb({ client: limited, table }))
    const keys = Array.from({ length: 6 }, (_, i) => `throttled ${i}`)
    const written = await kv.setMany(
      keys.map((key) => [key, Buffer.from(key)]),
      { timeoutMs: 20_000 },
    )
    expect(written.some(isStoreError)).toBe(false)
    expect((await kv.getMany(keys)).map((one) => Buffer.from(one ?? []).toString())).toEqual(keys)
    const soon = await resultsOf(kv.deleteMany(keys, { timeoutMs: 1_000 }))
    const codes = soon.map((one) => (isStoreError(one) ? one.code : 'deleted'))
    expect(codes[0]).toBe('deleted')
    for (const [i, key] of keys.entries()) {
      if (codes[i] === 'OVERLOADED') expect(await kv.has(key), 'nothing was changed').toBe(true)
      if (codes[i] === 'deleted') expect(await kv.has(key)).toBe(false)
    }
    limited.destroy()
  })
})
