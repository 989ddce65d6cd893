import { expect, test } from 'vitest'
import { type Bytes, json, type KeyCodec, keyValue, text } from '../src/index.ts'
import { memory } from '../src/memory/memory.ts'
import { sync } from '../src/sync/sync.ts'
import { silentStore, slowStore } from './slow-store.ts'

const bytes = (value: string): Bytes => Buffer.from(value)

test('close waits for calls under way, then refuses', async () => {
  const { store } = slowStore({})
  const kv = keyValue(store)
  const write = kv.set('a', bytes('1'))
  const closing = kv.close()
  await expect(kv.get('a')).rejects.toMatchObject({ code: 'CLOSED', operation: 'get' })
  await closing
  await expect(write).resolves.toHaveProperty('version')
  await kv.close()
})

test('close abandons what does not end within the grace, and tells the truth about writes', async () => {
  const kv = keyValue(silentStore(), [], { graceMs: 20 })
  const read = expect(kv.get('a')).rejects.toMatchObject({ code: 'CLOSED' })
  const write = expect(kv.set('b', bytes('1'))).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  await kv.close()
  await Promise.all([read, write])
})

test('await using closes', async () => {
  let closed = 0
  const inner = memory()
  {
    await using kv = keyValue({ ...inner, close: async () => void closed++ })
    await kv.set('a', bytes('1'))
  }
  expect(closed).toBe(1)
})

test('a namespace view is exact, immutable and no owner', async () => {
  await using kv = keyValue(memory(), [text()])
  const users = kv.namespace('users')
  const neighbours = kv.namespace('users2')
  await users.set('ada', '1')
  await neighbours.set('ada', '2')
  await kv.set('ada', '3')
  await users.namespace('eu').set('ada', '4')
  await users.close()
  expect([await users.get('ada'), await neighbours.get('ada'), await kv.get('ada')]).toEqual(['1', '2', '3'])
  expect(await users.count()).toBe(1)
  expect(await kv.count()).toBe(1)
  expect(await users.clear({ all: true })).toBe(2)
  expect([await users.get('ada'), await neighbours.get('ada'), await kv.get('ada')]).toEqual([
    undefined,
    '2',
    '3',
  ])
  expect(await kv.clear({ all: true })).toBe(2)
})

test('clear needs to be told what', async () => {
  const kv = keyValue(memory(), [text()])
  await kv.set('a', '1')
  await expect(kv.clear({ prefix: 1 } as never)).rejects.toMatchObject({ code: 'INVALID_KEY' })
  for (const what of [{}, { prefix: '' }, { all: false }]) {
    await expect(kv.clear(what as { all: true })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  }
  expect(await kv.clear({ prefix: 'b' })).toBe(0)
  expect(await kv.clear({ prefix: 'a' })).toBe(1)
})

test.each([false, true])(
  'clear by parts that come to nothing is refused (in a namespace: %s)',
  async (isInside) => {
    const keys: KeyCodec<readonly string[]> = {
      name: 'parts',
      encode: (key) => key.join('/'),
      decode: (encoded) => encoded.split('/'),
      encodePrefix: (prefix) => (prefix as readonly string[]).join('/'),
    }
    const root = keyValue(memory(), [text()], { keys })
    const kv = isInside ? root.namespace('inside') : root
    await kv.set(['a', 'b'], '1')
    await expect(kv.clear({ prefix: [] as never })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    const found: unknown[] = []
    for await (const key of kv.keys({ prefix: [] as never })) found.push(key)
    expect(found).toEqual([['a', 'b']])
  },
)

test('pages give cursors that continue elsewhere and are refused for another range', async () => {
  const store = memory()
  const kv = keyValue(store, [text()])
  for (let i = 0; i < 10; i++) await kv.set(`k${i}`, String(i))
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const pages = keyValue(store, [text()]).keys({ prefix: 'k', pageSize: 3, cursor }).pages()
    for await (const page of pages) {
      seen.push(...page.items)
      cursor = page.cursor
      break
    }
  } while (cursor !== undefined)
  expect(seen).toEqual(Array.from({ length: 10 }, (_, i) => `k${i}`))
  const first = await kv.keys({ pageSize: 3 }).pages()[Symbol.asyncIterator]().next()
  const other = first.value?.cursor as string
  const use = async (options: { prefix?: string; cursor: string }): Promise<string[]> => {
    const keys: string[] = []
    for await (const key of kv.keys(options)) keys.push(key)
    return keys
  }
  await expect(use({ prefix: 'k', cursor: other })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  await expect(use({ cursor: 'nonsense' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  expect(await use({ cursor: other })).toHaveLength(7)
})

test('ranges are exact at both ends, and limit stops', async () => {
  const kv = keyValue(memory(), [text()])
  for (const key of ['a', 'b', 'ba', 'c', '\u0001']) await kv.set(key, key)
  const list = async (options: Parameters<typeof kv.keys>[0]): Promise<string[]> => {
    const keys: string[] = []
    for await (const key of kv.keys(options)) keys.push(key)
    return keys
  }
  expect(await list({})).toEqual(['\u0001', 'a', 'b', 'ba', 'c'])
  expect(await list({ gt: 'b' })).toEqual(['ba', 'c'])
  expect(await list({ gte: 'b', lt: 'c' })).toEqual(['b', 'ba'])
  expect(await list({ lte: 'b' })).toEqual(['\u0001', 'a', 'b'])
  expect(await list({ prefix: 'b', limit: 1 })).toEqual(['b'])
})

test('the synchronous twin does the same without promises, and refuses stacks that cannot', async () => {
  const kv = keyValue(memory(), [json()])
  const now = sync(kv)
  now.set('a', { n: 1 })
  expect(now.get('a')).toEqual({ n: 1 })
  expect(now.update('a', () => ({ n: 2 }))).toEqual({ n: 2 })
  expect(now.getMany(['a', 'b'])).toEqual([{ n: 2 }, undefined])
  expect(Array.from(now.keys())).toEqual(['a'])
  expect(Array.from(now.entries(), ([key, { value }]) => [key, value])).toEqual([['a', { n: 2 }]])
  expect(now.namespace('x').count()).toBe(0)
  expect(() => now.set('a', Number.NaN)).toThrow(/JSON would change NaN/)
  expect(now.clear({ all: true })).toBe(1)
  expect(await kv.count()).toBe(0)
  const remote = slowStore({ capabilities: { sync: 'none' as never } })
  expect(() => sync(keyValue(remote.store))).toThrow(/cannot do this synchronously/)
  const reads = slowStore({ capabilities: { sync: 'reads' as never } })
  expect(() => sync(keyValue(reads.store)).set('a', bytes('1'))).toThrow(/cannot do this synchronously/)
  expect(reads.sent).toEqual([])
})
