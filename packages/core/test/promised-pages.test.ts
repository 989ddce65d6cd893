import { expect, test } from 'vitest'
import { codec, keyValue, layer, mapPages } from '../src/index.ts'
import { memory } from '../src/memory/memory.ts'

test('a scan goes through two layers that answer later, over a store that answers at once', async () => {
  const later = layer<Uint8Array, Uint8Array>('later', {
    inner: 'bytes',
    outer: 'bytes',
    capabilities: { sync: 'none' },
    wrap: (inner) => ({
      scan: (range, call) => mapPages(inner.scan(range, call), async (page) => page),
    }),
  })
  const text = codec<string>({
    name: 'text-later',
    encode: async (value) => Buffer.from(value),
    decode: async (bytes) => Buffer.from(bytes).toString(),
  })
  const kv = keyValue(memory(), [text, later])
  await kv.set('a', 'Ada')
  await kv.set('b', 'Bob')
  const found: unknown[] = []
  for await (const [key, { value }] of kv.entries()) found.push([key, value])
  expect(found).toEqual([
    ['a', 'Ada'],
    ['b', 'Bob'],
  ])
})
