import { expect, test } from 'vitest'
import { codec, compose, json, keyValue } from '../src/index.ts'
import { memory } from '../src/memory/memory.ts'
import { checkOptions } from '../src/options/check-options.ts'
import { sync } from '../src/sync/sync.ts'

// What plain JavaScript writes: types would not let these pass.

const any = (given: unknown): never => given as never
const value = Buffer.from('value')

function messageOf(run: () => unknown): { code: string; message: string } {
  try {
    run()
  } catch (error) {
    return error as { code: string; message: string }
  }
  throw new Error('nothing was thrown')
}

test.each([
  [() => keyValue(any(memory), []), /takes a store, got a function.*memory\(\)/],
  [() => keyValue(any('redis://user:secret@host'), []), /takes a store, got a string.*url/],
  [() => keyValue(any(undefined)), /takes a store, got undefined/],
  [() => keyValue(any(Promise.resolve(memory()))), /takes a store, got a Promise/],
  [() => keyValue(any(keyValue(memory()))), /KeyValue.* are not stores/],
  [() => keyValue(memory(), any(json())), /got a layer\. Write keyValue\(store, \[layer\]\)/],
  [() => keyValue(memory(), any({ timeoutMs: 5 })), /Write keyValue\(store, \[\], options\)/],
  [() => keyValue(memory(), any([json])), /Item 1 .* got a function\. Call it/],
  [() => keyValue(memory(), any([undefined])), /Item 1 .* got undefined/],
  [() => keyValue(memory(), any([memory()])), /Item 1 .* must be a layer/],
  [() => keyValue(memory(), [], any({ timeout: 5 })), /`timeout` of keyValue\(\)\. Did you mean `timeoutMs`/],
  [() => keyValue(memory(), [], any(5_000)), /options of keyValue\(\) must be an object/],
  [() => keyValue(memory(), [], any({ clock: 5 })), /`clock` of keyValue\(\) must be a function/],
  [() => keyValue(memory(), [], any({ keys: 'text' })), /`keys` of keyValue\(\) must be a key codec/],
  [() => keyValue(memory(), [], any({ coalesce: 'no' })), /`coalesce` of keyValue\(\) must be true or false/],
  [() => compose(any(memory), []), /compose\(\) takes a store/],
  [() => compose(memory(), any(json())), /compose\(store, \[layer\]\)/],
  [() => compose(memory(), [], any({ coalese: false })), /Did you mean `coalesce`/],
  [() => memory(any({ maxEntires: 5 })), /`maxEntires` of memory\(\)\. Did you mean `maxEntries`\?/],
  [() => memory(any({ ttl: 5 })), /`ttl` of memory\(\)\. It takes `maxEntries`/],
  [() => memory(any(100)), /options of memory\(\) must be an object/],
])('%s says what to write', (run, message) => {
  const error = messageOf(run)
  expect(error.code).toBe('INVALID_CONFIG')
  expect(error.message).toMatch(message)
  expect(error.message).not.toContain('secret')
})

test('options that are undefined are as if absent, for every factory of core', async () => {
  const none = {
    timeoutMs: undefined,
    graceMs: undefined,
    clock: undefined,
    random: undefined,
    keys: undefined,
  }
  const kv = keyValue(memory({ maxEntries: undefined }), undefined, { ...none, coalesce: undefined })
  await kv.set('key', value)
  compose(memory(), [], { coalesce: undefined })
})

test('an option is told by the name that other libraries give it, and never repeated if it may be data', async () => {
  const kv = keyValue(memory())
  for (const [given, meant] of [
    [{ ttl: 5 }, 'ttlMs'],
    [{ EX: 5 }, 'ttlMs'],
    [{ maxAge: 5 }, 'ttlMs'],
    [{ nx: true }, 'ifVersion'],
    [{ ttlms: 5 }, 'ttlMs'],
    [{ timeout: 5 }, 'timeoutMs'],
  ] as const)
    await expect(kv.set('key', value, any(given))).rejects.toThrow(`Did you mean \`${meant}\`?`)
  await expect(kv.set('key', value, any({ 'a secret': 5 }))).rejects.toThrow('Unknown option of set().')
  const names = { constructor: undefined, toString: 1, __proto__: null }
  expect(() => checkOptions('f', names, {})).toThrow('`toString` of f(). It takes no options')
})

test('options may come from a class or another realm', async () => {
  const kv = keyValue(memory())
  class Settings {
    readonly timeoutMs = 50
  }
  await kv.get('key', new Settings())
  await kv.get('key', Object.assign(Object.create(null) as object, { timeoutMs: 50 }))
})

test('an argument that throws is the caller’s mistake, with its error as the cause', async () => {
  const own = new Error('own')
  const fail = (): never => {
    throw own
  }
  const told = { code: 'INVALID_ARGUMENT', retryable: false, cause: own }
  const keys = { name: 'own', encode: fail, decode: (text: string) => text }
  await expect(keyValue(memory(), [], { keys }).get('key')).rejects.toMatchObject(told)
  await expect(keyValue(memory(), [], { clock: fail }).set('key', value, { ttlMs: 5 })).rejects.toMatchObject(
    told,
  )
  await expect(
    keyValue(memory(), [], { clock: () => Number.NaN }).set('key', value, { ttlMs: 5 }),
  ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', retryable: false })
  const settings = {
    get timeoutMs(): number {
      return fail()
    },
  }
  await expect(keyValue(memory()).get('key', settings)).rejects.toMatchObject(told)
  let broken = false
  const kv = keyValue(memory({ clock: () => (broken ? fail() : 0) }))
  await kv.set('key', value, { ttlMs: 5 })
  broken = true
  await expect(kv.get('key')).rejects.toMatchObject(told)
})

test('a codec or a schema that throws keeps its error as the cause', async () => {
  const own = new Error('own')
  const fail = (): never => {
    throw own
  }
  const store = memory()
  await keyValue(store).set('key', Buffer.from('1'))
  const bad = keyValue(store, [codec({ name: 'own', encode: fail, decode: fail })])
  await expect(bad.set('key', any(1))).rejects.toMatchObject({ code: 'INVALID_VALUE', cause: own })
  await expect(bad.get('key')).rejects.toMatchObject({ code: 'CORRUPT', cause: own })
  const schema = { '~standard': { version: 1, vendor: 'own', validate: fail } } as const
  const checked = keyValue(store, [json(schema)])
  await expect(checked.set('key', 1)).rejects.toMatchObject({ code: 'INVALID_VALUE', cause: own })
  await expect(checked.get('key')).rejects.toMatchObject({ code: 'CORRUPT', cause: own })
})

test('a key codec that throws at a listed key is CORRUPT with the cause', async () => {
  const store = memory()
  await keyValue(store).set('key', value)
  const own = new Error('own')
  const decode = (): never => {
    throw own
  }
  const kv = keyValue(store, [], { keys: { name: 'own', encode: (key: string) => key, decode } })
  await expect(kv.count()).rejects.toMatchObject({ code: 'CORRUPT', cause: own })
})

test('an operation that a layer takes away names the layer', async () => {
  const kv = keyValue(memory(), [json()])
  const increment = (kv as unknown as { increment(key: string): Promise<number> }).increment('n')
  await expect(increment).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    message:
      'memory declares increment, but json above it removes it, which increment needs. Use update(), or a second KeyValue over the same store without that layer.',
  })
})

test('close refuses options, which it does not take', async () => {
  const kv = keyValue(memory())
  const close = kv.close.bind(kv) as (given: object) => Promise<void>
  await expect(close({ graceMs: 5 })).rejects.toThrow('Pass `graceMs` to keyValue()')
  await close(new Event('close'))
})

test('the synchronous twin checks the settings of a call as the promises do', () => {
  const kv = sync(keyValue(memory()))
  kv.set('a', value)
  const refused: readonly [() => unknown, string][] = [
    [() => [...kv.keys(any({ consistency: 'bogus' }))], 'UNSUPPORTED'],
    [() => [...kv.keys({ timeoutMs: -1 })], 'INVALID_ARGUMENT'],
    [() => [...kv.entries(any({ lt: 'b', lte: 'd' }))], 'INVALID_ARGUMENT'],
    [() => [...kv.keys(any({ revers: true }))], 'INVALID_ARGUMENT'],
    [() => kv.count(any({ limit: 1 })), 'INVALID_ARGUMENT'],
    [() => kv.clear(any({ prefix: 'a', all: true })), 'INVALID_ARGUMENT'],
    [() => kv.clear({ all: true, timeoutMs: -1 }), 'INVALID_ARGUMENT'],
    [() => kv.clear({ all: true, signal: AbortSignal.abort() }), 'ABORTED'],
    [() => kv.getMany(any('abc')), 'INVALID_ARGUMENT'],
    [() => kv.deleteMany(any('abc')), 'INVALID_ARGUMENT'],
    [() => kv.set('a', value, any({ ttl: 5 })), 'INVALID_ARGUMENT'],
    [
      () =>
        kv.update(
          'a',
          any(async () => value),
        ),
      'INVALID_ARGUMENT',
    ],
    [() => kv.update('a', () => value, { timeoutMs: 0 }), 'INVALID_ARGUMENT'],
    [() => kv.touch('a', any({})), 'INVALID_ARGUMENT'],
  ]
  for (const [run, code] of refused) expect(messageOf(run).code, String(run)).toBe(code)
  expect(kv.count()).toBe(1)
})

test('settings of an empty batch are checked, and a closed KeyValue takes none', async () => {
  const kv = keyValue(memory())
  const calls = (settings?: object) => [
    kv.getMany([], settings),
    kv.setMany([], settings),
    kv.deleteMany([], settings),
    kv.write([], settings),
  ]
  const codesOf = async (settings?: object) =>
    (await Promise.allSettled(calls(settings))).map((end) => end.status === 'rejected' && end.reason.code)
  expect(await Promise.all(calls())).toEqual([[], [], [], []])
  expect(new Set(await codesOf({ timeoutMs: -1 }))).toEqual(new Set(['INVALID_ARGUMENT']))
  await kv.close()
  expect(new Set(await codesOf())).toEqual(new Set(['CLOSED']))
})

/** Compiled, never run. */
export async function typed(): Promise<void> {
  const kv = keyValue(memory())
  // @ts-expect-error a string is not an iterable of keys
  await kv.getMany('abc')
  // @ts-expect-error a string is not an iterable of keys
  await kv.deleteMany('abc')
  // @ts-expect-error a string is not an iterable of pairs
  await kv.setMany('abc')
  // @ts-expect-error one of both
  await kv.clear({ prefix: 'a', all: true })
  // @ts-expect-error one of both
  kv.keys({ lt: 'b', lte: 'd' })
  // @ts-expect-error one of both
  kv.entries({ gt: 'a', gte: 'd' })
  // @ts-expect-error no time to live
  await kv.set('a', value, { ttl: 60 })
  await kv.getMany(new Set(['a']))
  await kv.deleteMany(new Map([['a', 1]]).keys())
  kv.keys({ gt: 'a', lte: 'd', prefix: undefined })
}
