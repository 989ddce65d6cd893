import { expect, test } from 'vitest'
import { type Bytes, keyValue, type Page } from '../src/index.ts'
import { type MemoryStore, memory } from '../src/memory/memory.ts'

test('a listing that is aborted between two pages asks the store for no further page', async () => {
  const inner = memory()
  let asked = 0
  const store: MemoryStore = {
    ...inner,
    scan: (range, options) =>
      (async function* () {
        for (const page of inner.scan(range, options) as Iterable<never>) {
          asked++
          yield page
        }
      })(),
  }
  const kv = keyValue(store)
  for (const key of ['a', 'b', 'c']) await kv.set(key, Buffer.from(key))
  const controller = new AbortController()
  const listed = async () => {
    for await (const _ of kv.keys({ signal: controller.signal, pageSize: 1 })) controller.abort()
  }
  await expect(listed()).rejects.toMatchObject({ code: 'ABORTED' })
  expect(asked).toBe(1)
})

test('a listing or clearing that is refused names its operation and store', async () => {
  const kv = keyValue(memory())
  const first = async (items: AsyncIterable<unknown>) => {
    for await (const _ of items) return
  }
  const place = { store: 'memory', code: 'INVALID_ARGUMENT' }
  await expect(first(kv.keys({ limit: 0 }))).rejects.toMatchObject({ ...place, operation: 'keys' })
  await expect(first(kv.entries({ pageSize: 0 }))).rejects.toMatchObject({ ...place, operation: 'entries' })
  await expect(first(kv.keys({ cursor: 'x' }))).rejects.toMatchObject({ ...place, operation: 'keys' })
  const nothing = null as never
  await expect(first(kv.keys({ pageSize: nothing }))).rejects.toMatchObject({ ...place, operation: 'keys' })
  await expect(kv.clear({ all: true, gt: nothing })).rejects.toMatchObject({ ...place, operation: 'clear' })
  await expect(kv.clear({ prefix: 'a', lt: nothing })).rejects.toMatchObject({ ...place, operation: 'clear' })
  await expect(kv.clear({ prefix: '' })).rejects.toMatchObject({ ...place, operation: 'clear' })
})

test('a layer is asked for a listing when the writes before it have ended, and not at all if it was left', async () => {
  const inner = memory()
  let scans = 0
  const store: MemoryStore = {
    ...inner,
    write: async (mutations, call) => {
      await new Promise(setImmediate)
      return inner.write(mutations, call)
    },
    scan: (range, call) => {
      scans++
      // It looks at once, not when it is asked for a page.
      return Array.from(inner.scan(range, call) as Iterable<Page<Bytes>>)
    },
  }
  const kv = keyValue(store)
  const [, cleared] = await Promise.all([kv.set('a', Buffer.from('1')), kv.clear({ prefix: 'a' })])
  expect([cleared, await kv.get('a')]).toEqual([1, undefined])
  scans = 0
  const written = kv.set('b', Buffer.from('1'))
  const controller = new AbortController()
  const listed = kv.keys({ signal: controller.signal })[Symbol.asyncIterator]().next()
  controller.abort()
  await expect(listed).rejects.toMatchObject({ code: 'ABORTED' })
  await written
  await new Promise(setImmediate)
  expect(scans).toBe(0)
})

test('clear that is told nothing is refused and clears nothing', async () => {
  const kv = keyValue(memory())
  await kv.set('key', Buffer.from('value'))
  for (const nothing of [undefined, null, {}, 1] as unknown as { all: true }[]) {
    await expect(kv.clear(nothing)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  }
  expect(await kv.has('key')).toBe(true)
})

test('the store sees the deadline of the page that is asked for, not of the scan', async () => {
  const inner = memory()
  const deadlines: number[] = []
  const kv = keyValue({
    ...inner,
    async *scan(range, call) {
      for (const page of inner.scan(range, call) as Iterable<Page<Bytes>>) {
        deadlines.push(call.deadlineAt)
        yield page
      }
    },
  })
  await kv.setMany([
    ['a', new Uint8Array(1)],
    ['b', new Uint8Array(1)],
  ])
  for await (const key of kv.keys({ pageSize: 1 })) {
    expect(key).toMatch(/a|b/)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect(deadlines).toHaveLength(2)
  expect(deadlines[1]).toBeGreaterThan(deadlines[0] as number)
  expect(deadlines.every(Number.isFinite)).toBe(true)
})
