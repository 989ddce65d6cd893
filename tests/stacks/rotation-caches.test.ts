import { randomBytes } from 'node:crypto'
import { cache } from '@unikv/cache'
import { type AnyLayer, type Bytes, compose, keyValue, newVersion, type Store, text } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { delta, sweepDeltas } from '@unikv/delta'
import { encryption, keyring, nameKey, reencrypt } from '@unikv/encryption'
import { mirror } from '@unikv/mirror'
import { resilience } from '@unikv/resilience'
import { writeBehind } from '@unikv/write-behind'
import { describe, expect, test } from 'vitest'

/*
 * The recipe of the README of encryption, with caches below it that keep envelopes of the former key: those of the process
 * that sweeps, and those of one that does not.
 */

const dataset = 'd'
const k1 = randomBytes(32)
const k2 = randomBytes(32)
const names = nameKey(randomBytes(32))
type Below = (store: MemoryStore) => readonly AnyLayer[]

/** What may stand between encryption and the store; made anew for each process, but for a tier that they share. */
const tiers: Readonly<Record<string, () => Below>> = {
  'a cache': () => () => [cache({ maxEntries: 100 })],
  'a cache that never asks again': () => () => [
    cache({ maxEntries: 100, freshForMs: Number.POSITIVE_INFINITY }),
  ],
  'a cache whose entries age': () => () => [cache({ maxEntries: 100, freshForMs: 1 })],
  'a cache that asks each time': () => () => [cache({ maxEntries: 100, localTier: 'validated' })],
  'a tier of its own': () => () => [cache({ store: memory() })],
  'a tier of its own whose records age': () => () => [cache({ store: memory(), freshForMs: 1 })],
  'a tier that all share': () => {
    const store = memory()
    return () => [cache({ store })]
  },
  'two tiers': () => () => [cache({ maxEntries: 100 }), cache({ store: memory() })],
  'a cache under resilience': () => () => [
    resilience({ hedge: { afterMs: 1000 } }),
    cache({ maxEntries: 100 }),
  ],
}

function processOver(store: MemoryStore, below: Below, hashed: boolean) {
  const keys = keyring({ primary: 'k1', keys: { k1 } })
  const sealed = hashed ? encryption({ dataset, keys, names }) : encryption({ dataset, keys })
  // The caches change what the stack declares, not what is called here.
  const open = () => keyValue(store, [text(), sealed])
  const layers: readonly AnyLayer[] = [text(), sealed, ...below(store)]
  return {
    keys,
    kv: keyValue<MemoryStore, readonly AnyLayer[]>(store, layers) as unknown as ReturnType<typeof open>,
  }
}

async function swept(kv: Parameters<typeof reencrypt>[0]): Promise<void> {
  for (;;) {
    const { rewritten, failed } = await reencrypt(kv)
    if (rewritten + failed === 0) return
  }
}

describe.each(Object.keys(tiers))('a rotation over %s', (name) => {
  test.each([false, true])('leaves every value readable, hashed names: %s', async (hashed) => {
    const store = memory()
    const below = (tiers[name] as () => Below)()
    const processes = [0, 1, 2].map(() => processOver(store, below, hashed))
    const [sweeper, reader, writer] = processes.map(({ kv }) => kv) as [Kv, Kv, Kv]
    const keys = ['a', 'b', 'c']
    await sweeper.setMany(keys.map((key) => [key, `value of ${key}`]))
    for (const kv of [sweeper, reader, reader]) await kv.getMany(keys)
    const { version } = (await reader.getEntry('a')) as { readonly version: string }
    for (const { keys: ring } of processes) ring.replace({ primary: 'k2', keys: { k1, k2 } })
    await writer.set('b', 'a newer value')
    await swept(sweeper)
    for (const { keys: ring } of processes) ring.destroy('k1')
    for (const kv of [sweeper, reader, writer]) {
      expect(await kv.get('a')).toBe('value of a')
      expect((await kv.getMany(['a', 'c', 'none'])).map(String)).toEqual([
        'value of a',
        'value of c',
        'undefined',
      ])
      expect(await kv.getEntry('a')).toMatchObject({ version })
    }
    await reader.set('a', 'written on', { ifVersion: version })
    expect(await reader.get('a')).toBe('written on')
  })
})

type Kv = ReturnType<typeof processOver>['kv']

test('a cache that kept the envelope of a former key is asked around once: then it has the new one', async () => {
  const store = memory()
  let reads = 0
  const counted: Store<Bytes> = {
    ...store,
    read: (asked, call) => {
      reads++
      return store.read(asked, call)
    },
  }
  const layers = (keys: ReturnType<typeof keyring>) =>
    [text(), encryption({ dataset, keys }), cache({ maxEntries: 100 })] as const
  const [ours, theirs] = [0, 1].map(() => keyring({ primary: 'k1', keys: { k1 } })) as [Keys, Keys]
  const sweeper = keyValue(store, layers(ours))
  const reader = keyValue(counted as typeof store, layers(theirs))
  await sweeper.set('a', 'value')
  await reader.get('a')
  for (const keys of [ours, theirs]) keys.replace({ primary: 'k2', keys: { k1, k2 } })
  await swept(sweeper)
  theirs.destroy('k1')
  reads = 0
  for (let i = 0; i < 5; i++) expect(await reader.get('a')).toBe('value')
  expect(reads).toBe(1)
})

type Keys = ReturnType<typeof keyring>

test('a key that nobody has any more stays an error, and is asked for twice at most', async () => {
  const store = memory()
  const keys = keyring({ primary: 'k1', keys: { k1, k2 } })
  const kv = keyValue(store, [text(), encryption({ dataset, keys }), cache({ maxEntries: 100 })])
  await kv.set('a', 'value')
  keys.replace({ primary: 'k2', keys: { k2 } })
  await expect(kv.get('a')).rejects.toMatchObject({ code: 'UNKNOWN_KEY_ID' })
})

test('sweepDeltas over a stack with a cache removes no part that the head in the store names', async () => {
  const store = memory()
  const layers = [delta({ inlineBytes: 200 })] as const
  const ours = keyValue(store, layers)
  const below = compose(store, [cache({ maxEntries: 1000, freshForMs: Number.POSITIVE_INFINITY })])
  const theirs = keyValue(below, [delta({ inlineBytes: 200 })])
  let value = randomBytes(20_000)
  const edited = (): Buffer => {
    value = Buffer.from(value)
    randomBytes(60).copy(value, 9000)
    return value
  }
  await ours.set('doc', value)
  await ours.set('doc', edited())
  await theirs.get('doc')
  for (let i = 0; i < 12; i++) await ours.set('doc', edited())
  const clock = (): number => Number.parseInt(newVersion().slice(0, 12), 16) + 9_000_000
  await sweepDeltas(below, { clock })
  const read = await keyValue(store, [delta()]).get('doc')
  expect(Buffer.from(read as Uint8Array).equals(value)).toBe(true)
  expect(store.read([{ key: 'none' }], callOptions())).toEqual([undefined])
})

test('a mirror of stores with caches below encryption is read through', async () => {
  const [first, second] = [memory(), memory()]
  const open = () => {
    const keys = keyring({ primary: 'k1', keys: { k1 } })
    const cached = (store: MemoryStore) => compose(store, [cache({ maxEntries: 100 })])
    const both = mirror(cached(first), cached(second), { background: () => {} })
    return { keys, kv: keyValue(both, [text(), encryption({ dataset, keys })]) }
  }
  const [sweeper, reader] = [open(), open()]
  await sweeper.kv.set('a', 'value')
  await reader.kv.get('a')
  for (const { keys } of [sweeper, reader]) keys.replace({ primary: 'k2', keys: { k1, k2 } })
  await swept(keyValue(first, [text(), encryption({ dataset, keys: sweeper.keys })]))
  for (const { keys } of [sweeper, reader]) keys.destroy('k1')
  for (const { kv } of [sweeper, reader]) expect(await kv.get('a')).toBe('value')
  for (const { kv } of [sweeper, reader]) await kv.close()
})

test('the journal of a process that ended is drained first: its writes are there after the key has gone', async () => {
  const [store, journal] = [memory(), memory()]
  const open = () => {
    const keys = keyring({ primary: 'k1', keys: { k1 } })
    // Each process closes its own handle to what is one journal.
    const records = { ...journal, close: () => Promise.resolve() } as MemoryStore
    const behind = writeBehind({ background: () => {}, journal: records, delayMs: 60_000, retryMs: 1 })
    const seal = encryption({ dataset, keys })
    return {
      keys,
      behind,
      queued: keyValue(store, [text(), seal, behind]),
      kv: keyValue(store, [text(), seal]),
    }
  }
  const ended = open()
  await ended.kv.set('a', 'older')
  await ended.queued.set('a', 'acknowledged') // in the journal alone: this process does nothing more
  const next = open()
  next.keys.replace({ primary: 'k2', keys: { k1, k2 } })
  await next.queued.get('a')
  await next.behind.flush()
  expect(next.behind.stats()).toMatchObject({ replayed: 1, queued: 0 })
  await swept(next.kv)
  next.keys.destroy('k1')
  expect(await next.kv.get('a')).toBe('acknowledged')
  expect(await keyValue(store, [text(), encryption({ dataset, keys: next.keys })]).get('a')).toBe(
    'acknowledged',
  )
})
