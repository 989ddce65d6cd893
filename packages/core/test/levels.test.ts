import { expect, test } from 'vitest'
import { levelsAbove } from '../src/adapter/index.ts'
import { compose, keyValue, passThrough } from '../src/index.ts'
import { memory } from '../src/memory/memory.ts'
import { sync } from '../src/sync/sync.ts'

test.each([
  [['eventual', 'strong'], 'linearizable', ['eventual', 'strong']],
  [[], 'linearizable', ['strong']],
  [['eventual'], 'linearizable', ['eventual', 'strong']],
  [['eventual'], 'eventual', ['eventual']],
] as const)(
  'above a store with the levels %j and isolation %s the levels are %j',
  (consistency, isolation, levels) => {
    const { capabilities } = memory()
    expect(levelsAbove({ ...capabilities, consistency, isolation })).toEqual(levels)
  },
)

/** A memory store that takes levels, and the levels of the calls that reached it. */
function recorded() {
  const levels: (string | undefined)[] = []
  const recording = passThrough('levels', {
    capabilities: { consistency: ['strong', 'eventual'] },
    wrap: (inner) => ({
      read: (reads, call) => (levels.push(call.consistency), inner.read(reads, call)),
      write: (mutations, call) => (levels.push(call.consistency), inner.write(mutations, call)),
      scan: (range, call) => (levels.push(call.consistency), inner.scan(range, call)),
    }),
  })
  return { store: compose(memory(), [recording]), taken: () => levels.splice(0) }
}

const bytes = new Uint8Array([1])

test('reads that name no level have the one of readConsistency; writes, updates and clear do not', async () => {
  const { store, taken } = recorded()
  const kv = keyValue(store, [], { readConsistency: 'eventual' })
  const view = kv.namespace('view')
  for (const read of [
    () => kv.get('a'),
    () => view.get('a', { timeoutMs: 1000 }),
    () => kv.getEntry('a'),
    () => kv.getMany(['a', 'b']),
    () => kv.has('a'),
    () => kv.head('a', {}),
    () => kv.revalidate('a', '0', { consistency: undefined }),
    () => kv.keys().pages()[Symbol.asyncIterator]().next(),
    () => kv.entries({ limit: 1 }).pages()[Symbol.asyncIterator]().next(),
    () => kv.count({ timeoutMs: 1000 }),
  ]) {
    await read()
    expect(taken(), String(read)).toEqual(['eventual'])
  }
  await kv.get('a', { consistency: 'strong' })
  expect(taken()).toEqual(['strong'])
  await kv.set('a', bytes)
  await kv.update('a', () => bytes)
  await kv.take('a')
  await kv.clear({ all: true })
  expect(new Set(taken())).toEqual(new Set([undefined]))
})

test('the synchronous twin reads at the same level', () => {
  const { store, taken } = recorded()
  const kv = sync(keyValue(store, [], { readConsistency: 'eventual' }))
  kv.get('a')
  kv.getMany(['a'])
  for (const _ of kv.keys()) expect.unreachable()
  kv.count()
  expect(taken()).toEqual(['eventual', 'eventual', 'eventual', 'eventual'])
  kv.update('a', () => bytes)
  kv.clear({ all: true })
  expect(new Set(taken())).toEqual(new Set([undefined]))
})

test('a cache is refused, as it answers no read that has a level', () => {
  const { store } = recorded()
  const cache = passThrough('cache', { wrap: () => ({}) })
  expect(() => keyValue(store, [cache], { readConsistency: 'eventual' })).toThrow(/Leave out the cache/)
})

test('a level that the store does not offer is refused when the KeyValue is made', () => {
  expect(() => keyValue(memory(), [], { readConsistency: 'eventual' })).toThrow(
    expect.objectContaining({
      code: 'INVALID_CONFIG',
      message: 'memory does not offer this level as `readConsistency`. It offers: strong.',
    }),
  )
})
