import { setImmediate } from 'node:timers/promises'
import { codec, json, keyValue, type Schema, type StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { sync } from '@unikv/core/sync'
import { expect, test } from 'vitest'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A codec whose functions return promises without being declared `async`. */
const late = codec<string>({
  name: 'late',
  encode: (value) => Promise.resolve().then(() => utf8(value)),
  decode: (stored) => Promise.resolve().then(() => new TextDecoder().decode(stored)),
})

const lateSchema: Schema<number> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => setImmediate().then(() => ({ value: value as number })),
  },
}

const refused = expect.objectContaining({ code: 'UNSUPPORTED', retryable: false }) as Error

for (const [name, layer, value] of [
  ['codec', late, 'new'],
  ['schema', json(lateSchema), 2],
] as const) {
  test(`above a ${name} that answers later, nothing is sent`, async () => {
    const store = memory()
    const kv = keyValue(store, [layer as typeof late]) as ReturnType<typeof keyValue>
    const now = sync(kv)
    await kv.set('old', value)
    const before = new Map(store.native)
    expect(() => now.set('a', value)).toThrow(refused)
    expect(() => now.setMany([['b', value]])).toThrow(refused)
    expect(() => now.update('c', () => value)).toThrow(refused)
    expect(() => now.set('old', value)).toThrow(refused)
    expect(() => now.get('old')).toThrow(refused)
    for (let turn = 0; turn < 10; turn++) await setImmediate()
    expect(new Map(store.native)).toEqual(before)
    // The key is free for later calls.
    await kv.set('a', value)
    expect(await kv.get('a')).toBe(value)
  })
}

test('a call that would have to wait for an earlier one is not sent later', async () => {
  const store = memory()
  const kv = keyValue(store, [late])
  const earlier = kv.set('a', '1')
  expect(() => sync(kv).delete('a')).toThrow(refused)
  await earlier
  await setImmediate()
  expect(store.native.size).toBe(1)
})

test('a listing, a count or clear that would have to wait for an earlier write is refused', async () => {
  const kv = keyValue(memory(), [late])
  const now = sync(kv)
  await kv.set('old', '0')
  const earlier = kv.set('a', '1')
  for (const listing of [
    () => [...now.keys()],
    () => [...now.entries({ prefix: 'a' })],
    () => now.count(),
    () => now.clear({ prefix: 'a' }),
    () => now.clear({ all: true }),
  ])
    expect(listing).toThrow(expect.objectContaining({ code: 'UNSUPPORTED', store: 'memory' }) as Error)
  expect([...now.keys({ prefix: 'b' })]).toEqual([])
  await earlier
  const clearing = kv.clear({ all: true })
  expect(() => [...now.keys()]).toThrow(refused)
  expect(await clearing).toBe(2)
  expect([...now.keys()]).toEqual([])
})

test('an expiry that has passed deletes, and refusals tell their operation', () => {
  const now = sync(keyValue(memory(), [json<number>()]))
  now.set('a', 1)
  expect([now.touch('a', { expiresAt: 0 }), now.touch('a', { expiresAt: 0 })]).toEqual([true, false])
  for (const [operation, call] of Object.entries({
    get: () => now.get(''),
    set: () => now.set('a', Number.NaN),
    update: () => now.update('', () => 1),
    take: () => now.take('a', { timeoutMs: -1 }),
  }))
    expect(call).toThrow(expect.objectContaining({ operation }) as Error)
})

test('a store that breaks its word took the write', async () => {
  const inner = memory()
  const store = { ...inner, write: async (...call: Parameters<typeof inner.write>) => inner.write(...call) }
  const kv = keyValue(store)
  expect(() => sync(kv).set('a', utf8('1'))).toThrow(
    expect.objectContaining({ code: 'OUTCOME_UNKNOWN' }) as Error,
  )
  expect(await kv.get('a')).toEqual(utf8('1'))
})

test('a stack says that it answers later where that can be known', () => {
  const declared = codec<string>({ name: 'declared', encode: async (value) => utf8(value), decode: String })
  const said = codec<string>({ name: 'said', sync: false, encode: utf8, decode: String })
  for (const layer of [declared, said]) {
    const kv = keyValue(memory(), [layer])
    expect(kv.capabilities.sync).toBe('none')
    expect(() => sync(kv)).toThrow(refused)
  }
  expect(keyValue(memory(), [json()]).capabilities.sync).toBe('all')
})

test('the refusal names the ways out', () => {
  const now = sync(keyValue(memory(), [late]))
  const message = (work: () => unknown): string => {
    try {
      return String(work())
    } catch (error) {
      return (error as StoreError).message
    }
  }
  expect(message(() => now.set('a', '1'))).toMatch(/syncFrom.*lmdb\(\{ path, sync: true \}\)/)
})
