import { expect, test } from 'vitest'
import { takesAtOnce } from '../src/adapter/index.ts'
import { type Bytes, keyValue, layer, type Mutation, type Store } from '../src/index.ts'
import { type MemoryStore, memory } from '../src/memory/memory.ts'

/** A layer that stores copies of its own, and notes what it was given. */
function copying(atOnce: boolean | undefined) {
  const given: unknown[] = []
  const own = (mutation: Mutation<Bytes>): Mutation<Bytes> => {
    if (mutation.type !== 'set') return mutation
    given.push(mutation.value)
    return { ...mutation, value: Uint8Array.from(mutation.value) }
  }
  const made = layer<Bytes, Bytes>('copying', {
    inner: 'bytes',
    outer: 'bytes',
    facts: takesAtOnce.with(atOnce === true),
    wrap: (inner) => ({ write: (mutations, call) => inner.write(mutations.map(own), call) }),
  })
  return { given, made }
}

const later = (store: MemoryStore): MemoryStore => {
  const answersLater: Store<Bytes> = {
    ...store,
    capabilities: { ...store.capabilities, sync: 'none' },
    write: async (mutations, call) => store.write(mutations, call),
  }
  return answersLater as MemoryStore
}

test.each([
  [
    'that takes values at once gets them as they are, over a store that answers at once',
    true,
    memory(),
    true,
  ],
  ['that does not say so gets copies', undefined, memory(), false],
  ['over a store that answers later gets copies', true, later(memory()), false],
])('a layer %s', async (_, atOnce, store, isTheSame) => {
  const { given, made } = copying(atOnce)
  const kv = keyValue(store, [made])
  const buffer = new Uint8Array(4)
  for (let n = 1; n <= 3; n++) {
    buffer.fill(n)
    const written = kv.set(`key ${n}`, buffer)
    buffer.fill(99)
    await written
  }
  expect(given.at(-1) === buffer).toBe(isTheSame)
  const values = await kv.getMany(['key 1', 'key 2', 'key 3'])
  expect(values).toEqual([1, 2, 3].map((n) => new Uint8Array(4).fill(n)))
})
