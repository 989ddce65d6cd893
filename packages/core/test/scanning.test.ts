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
