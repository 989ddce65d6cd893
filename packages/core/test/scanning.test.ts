import { expect, test } from 'vitest'
import { keyValue, type MemoryStore, memory } from '../src/index.ts'

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
  await expect(kv.clear({ prefix: '' })).rejects.toMatchObject({ ...place, operation: 'clear' })
})

test('clear that is told nothing is refused and clears nothing', async () => {
  const kv = keyValue(memory())
  await kv.set('key', Buffer.from('value'))
  for (const nothing of [undefined, null, {}, 1] as unknown as { all: true }[]) {
    await expect(kv.clear(nothing)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  }
  expect(await kv.has('key')).toBe(true)
})
