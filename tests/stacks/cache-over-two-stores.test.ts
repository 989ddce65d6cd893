import { cache } from '@unikv/cache'
import { type Bytes, compose, keyValue, passThrough, type Store, text } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { fallback, mirror } from '@unikv/mirror'
import { expect, test } from 'vitest'

/** A store that answers by promises. */
function distant(): Store<Bytes> {
  return compose(memory(), [
    passThrough('distant', {
      capabilities: { sync: 'none' },
      wrap: (inner) => ({ read: async (reads, call) => inner.read(reads, call) }),
    }),
  ]) as Store<Bytes>
}

test('a cache above a fallback renews what it answered stale', async () => {
  let now = 0
  const work: Promise<unknown>[] = []
  const layer = cache({
    freshForMs: 10,
    staleWhileRevalidateMs: 1_000,
    background: (one) => work.push(one),
    monotonicClock: () => now,
  })
  const primary = distant()
  const kv = keyValue(fallback(primary, distant()), [text(), layer])
  await kv.set('a', '1')
  await kv.get('a')
  await keyValue(primary, [text()]).set('a', '2')
  now += 10
  expect(await kv.get('a')).toBe('1')
  await Promise.all(work)
  expect(await kv.get('a')).toBe('2')
  expect(layer.stats()).toMatchObject({ failures: 0 })
  await kv.close()
})

test.each([
  ['fallback', fallback],
  ['mirror', mirror],
] as const)('a cache above a %s does not pass by that of its primary', async (_name, pair) => {
  const [outer, inner] = [cache(), cache()]
  const primary = compose(distant(), [inner])
  const kv = keyValue(pair(primary, distant()), [text(), outer])
  await kv.set('a', '1')
  for (let i = 0; i < 3; i++) {
    outer.clear()
    expect(await kv.get('a')).toBe('1')
  }
  expect(inner.stats()).toMatchObject({ hits: 2, misses: 1 })
  await kv.close()
})
