import { cache } from '@unikv/cache'
import { type Bytes, compose, json, keyValue, type Layer } from '@unikv/core'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { encryption, keyring, nameKey } from '@unikv/encryption'
import { mirror } from '@unikv/mirror'
import { writeBehind } from '@unikv/write-behind'
import { expect, test } from 'vitest'

const keys = keyring({ primary: 'k1', keys: { k1: Uint8Array.from({ length: 32 }, (_, i) => i * 5 + 3) } })
const names = nameKey(Uint8Array.from({ length: 32 }, (_, i) => i * 11 + 1))
const sealed = (dataset: string): Layer<Bytes, Bytes> => encryption({ dataset, keys, names })

const planted = Array.from({ length: 40 }, (_, i) => `planted${i}`)

/** No planted name in any key or value of a store, nor its encodings; and something in it. */
function expectHidden(store: MemoryStore): void {
  expect(store.native.size).toBeGreaterThan(5)
  const text = [...store.native]
    .map(([key, { value }]) => key + Buffer.from(value).toString('latin1'))
    .join('\n')
  for (const name of planted) {
    expect(text).not.toContain(name)
    for (const form of ['hex', 'base64'] as const)
      expect(text).not.toContain(Buffer.from(name).toString(form))
  }
}

/** An application that uses keys and namespaces with these names. */
async function use(
  users: ReturnType<typeof keyValue<MemoryStore, [ReturnType<typeof json>]>>,
): Promise<void> {
  for (const name of planted) {
    const space = users.namespace(name)
    await Promise.all([users.set(name, { name }), space.set(name, { name })])
    expect(await users.get(name)).toEqual({ name })
    expect(await space.get(name)).toEqual({ name })
    expect(await users.get(`absent ${name}`)).toBeUndefined()
  }
}

test('a cache above keeps names in the process alone, and its invalidation meets them', async () => {
  const store = memory()
  const [near, here] = [cache(), cache()]
  const users = keyValue(store, [near, json(), sealed('users')])
  await use(users as never)
  const other = keyValue(store, [here, json(), sealed('users')])
  await users.set('planted0', { name: 'later' })
  expect(await users.get('planted0')).toEqual({ name: 'later' })
  expect(await other.get('planted0')).toEqual({ name: 'later' })
  await users.get('planted0')
  expect(near.stats().hits).toBeGreaterThan(0)
  expectHidden(store)
})

test('a cache tier in a store, beside a sealed store and below the encryption, holds no name', async () => {
  const [store, tier, lower] = [memory(), memory(), memory()]
  const remote = compose(tier, [sealed('tier')])
  const users = keyValue(store, [
    json(),
    cache({ store: remote }),
    sealed('users'),
    cache({ store: lower, plaintext: 'allowed' }),
  ])
  await use(users as never)
  expect(await users.count()).toBe(40)
  for (const one of [store, tier, lower]) expectHidden(one)
})

test('what a warm restart saves in such a store holds no name, and comes back', async () => {
  const [store, saved] = [memory(), memory()]
  const open = () => {
    const near = cache({ warm: { store: compose(saved, [sealed('saved')]) } })
    return { near, users: keyValue(store, [near, json(), sealed('users')]) }
  }
  const first = open()
  await use(first.users as never)
  await first.near.save()
  expect(saved.native.size).toBeGreaterThan(1)
  const text = [...saved.native]
    .map(([key, { value }]) => key + Buffer.from(value).toString('latin1'))
    .join('\n')
  for (const name of planted) expect(text).not.toContain(name)
  const second = open()
  await second.near.loaded()
  expect(second.near.stats().entries).toBeGreaterThan(39)
  expect(await second.users.get('planted7')).toEqual({ name: 'planted7' })
})

test('a mirror below has the same hidden names on both sides', async () => {
  const [one, two, journal] = [memory(), memory(), memory()]
  const users = keyValue(mirror(one, two, { journal }), [json(), sealed('users')])
  await use(users as never)
  await users.namespace('planted1').clear({ all: true })
  expect(await users.namespace('planted1').count()).toBe(0)
  for (const store of [one, two]) expectHidden(store)
  const text = [...journal.native.keys()].join('\n')
  for (const name of planted) expect(text).not.toContain(name)
  await users.close()
})

test('a queue of writes stands above, where it knows true keys: below, a rekey would lose what it holds', async () => {
  const journal = compose(memory(), [encryption({ dataset: 'journal', keys })])
  const early = () => writeBehind({ background: () => {}, journal })
  const refusal = expect.objectContaining({ code: 'INVALID_CONFIG' })
  expect(() => keyValue(memory(), [json(), sealed('users'), early()])).toThrow(refusal)
  expect(() => keyValue(mirror(compose(memory(), [early()]), memory()), [json(), sealed('users')])).toThrow(
    refusal,
  )
  const users = keyValue(memory(), [json(), early(), sealed('users')])
  await users.set('ada', 1)
  expect(await users.get('ada')).toBe(1)
  await users.close()
  await keyValue(memory(), [json(), sealed('users'), writeBehind()]).set('ada', 1)
})
