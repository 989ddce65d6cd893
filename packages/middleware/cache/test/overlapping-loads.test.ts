import { type Bytes, keyValue, type Store } from '@unikv/core'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { cache } from '../src/index.ts'
import { bytes, textOf } from './gated-cache.ts'
import { turn } from './gated-store.ts'

/** A memory store that looks at once, and answers each read when its gate is opened. */
function gatedReads(inner: MemoryStore) {
  const gates: (() => void)[] = []
  const store: Store<Bytes, MemoryStore['capabilities']> = {
    ...inner,
    capabilities: { ...inner.capabilities, sync: 'none' as never },
    read: (reads, call) =>
      new Promise((resolve) => {
        const seen = inner.read(reads, call)
        gates.push(() => resolve(seen))
      }),
    write: async (mutations, call) => inner.write(mutations, call),
  }
  return { store, gates }
}

test.each([
  ['there', 'new'],
  ['gone', undefined],
] as const)('a strong read that a later one overtakes leaves nothing older behind: %s', async (_, value) => {
  const inner = memory()
  const others = keyValue(inner)
  await others.set('k', bytes('old'))
  const { store, gates } = gatedReads(inner)
  const kv = keyValue(store, [cache()])
  const first = kv.get('k')
  gates[0]?.()
  expect(textOf(await first)).toBe('old')
  if (value === undefined) await others.delete('k')
  else await others.set('k', bytes(value))
  const strong = [1, 2].map(() => kv.get('k', { consistency: 'strong' }))
  await turn()
  expect(gates.length).toBe(3)
  gates[1]?.()
  expect(textOf(await strong[0])).toBe(value)
  const plain = kv.get('k')
  gates[2]?.()
  await strong[1]
  gates[3]?.()
  expect(textOf(await plain)).toBe(value)
})

test('a load that fails as a whole ends for its key', async () => {
  const inner = memory()
  await keyValue(inner).set('k', bytes('v'))
  let isBroken = true
  const clock = () => {
    if (!isBroken) return 1
    isBroken = false
    throw new Error('clock')
  }
  const store: Store<Bytes, MemoryStore['capabilities']> = {
    ...inner,
    capabilities: { ...inner.capabilities, sync: 'none' as never },
    read: async (reads, call) => inner.read(reads, call),
    write: async (mutations, call) => inner.write(mutations, call),
  }
  const kv = keyValue(store, [cache({ monotonicClock: clock })])
  await expect(kv.get('k')).rejects.toThrow()
  expect(textOf(await kv.get('k'))).toBe('v')
})

test.each([true, false])('also in a cache store, with leases: %s', async (leases) => {
  const inner = memory()
  const remote = memory()
  const others = keyValue(inner)
  await others.set('k', bytes('old'))
  const { store, gates } = gatedReads(inner)
  const kv = keyValue(store, [cache({ store: remote, leases })])
  const until = async (count: number): Promise<void> => {
    while (gates.length < count) await turn()
  }
  const first = kv.get('k')
  await until(1)
  gates[0]?.()
  expect(textOf(await first)).toBe('old')
  await others.set('k', bytes('new'))
  const strong = [1, 2].map(() => kv.get('k', { consistency: 'strong' }))
  await until(3)
  gates[1]?.()
  expect(textOf(await strong[0])).toBe('new')
  const plain = kv.get('k')
  await turn()
  gates[2]?.()
  await strong[1]
  for (let i = 0; i < 20; i++) {
    await turn()
    gates[3]?.()
  }
  expect(textOf(await plain)).toBe('new')
})
