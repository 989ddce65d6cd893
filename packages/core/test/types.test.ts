import {
  type AnyLayer,
  type Bytes,
  type Capabilities,
  type ComposeOptions,
  codec,
  compose,
  type Entry,
  json,
  type KeyValue,
  type KeyValueOf,
  type KeyValueOptions,
  keyValue,
  layer,
  passThrough,
  type Store,
  type Supporting,
  supports,
  text,
} from '@unikv/core'
import { type MemoryCapabilities, memory } from '@unikv/core/memory'
import { type Structured, structured } from '@unikv/core/structured'
import { expect, test } from 'vitest'
import { z } from 'zod'

// What the compiler must accept and refuse. The file is type-checked by `npm run test:types`; at run time it only
// shows that the same stacks are refused there too.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const equal = <A, B>(_: Equal<A, B>): void => {}

const User = z.object({ name: z.string(), born: z.coerce.date().optional() })
type User = z.infer<typeof User>

const monitor = () => passThrough('monitor', { wrap: () => ({}) })
const compression = () =>
  layer<Bytes, Bytes>('compression', { inner: 'bytes', outer: 'bytes', wrap: () => ({}) })
const sealing = () =>
  layer<Bytes, Bytes, { readonly sealed: true; readonly increment: false }>('sealing', {
    inner: 'bytes',
    outer: 'bytes',
    capabilities: { sealed: true, increment: false },
    wrap: () => ({}),
  })
const delta = () =>
  layer<Bytes, Bytes, { readonly touch: false }, { readonly conditionalWrite: true }>('delta', {
    inner: 'bytes',
    outer: 'bytes',
    needs: { conditionalWrite: true },
    capabilities: { touch: false },
    wrap: () => ({}),
  })

interface PlainCapabilities extends Capabilities {
  readonly scan: { readonly order: 'none'; readonly delivery: 'at-least-once'; readonly prefix: 'filtered' }
  readonly conditionalWrite: false
  readonly conditionalRead: false
  readonly ttl: false
  readonly touch: false
  readonly increment: false
}
const plain = (): Store<Bytes, PlainCapabilities, 'client'> => {
  const full = memory()
  return {
    ...full,
    native: 'client',
    capabilities: {
      ...full.capabilities,
      scan: { order: 'none', delivery: 'at-least-once', prefix: 'filtered' },
      conditionalWrite: false,
      conditionalRead: false,
      ttl: false,
      touch: false,
      increment: false,
    },
  }
}

test('value, capabilities and native client are inferred through eight layers', () => {
  const users = keyValue(memory(), [
    monitor(),
    monitor(),
    monitor(),
    json(User),
    delta(),
    compression(),
    sealing(),
    monitor(),
  ])
  equal<Awaited<ReturnType<typeof users.get>>, User | undefined>(true)
  equal<typeof users.capabilities.increment, false>(true)
  equal<typeof users.capabilities.sealed, true>(true)
  equal<typeof users.capabilities.ttl, MemoryCapabilities['ttl']>(true)
  equal<typeof users.native, ReadonlyMap<string, Entry<Bytes>>>(true)
  expect(users.capabilities.touch).toBe(false)
})

test('a stack without layers, with one and composed twice keeps its types', () => {
  const none = keyValue(memory())
  equal<Awaited<ReturnType<typeof none.get>>, Bytes | undefined>(true)
  const one = keyValue(memory(), [text()])
  equal<Awaited<ReturnType<typeof one.get>>, string | undefined>(true)
  const twice = keyValue(compose(memory(), [json(User), compression()]), [monitor()])
  equal<Awaited<ReturnType<typeof twice.get>>, User | undefined>(true)
  const stack = compose(memory(), [json(User)])
  const exported: KeyValueOf<typeof stack> = keyValue(stack)
  expect(exported.name).toBe('memory')
})

test('a wrong order is refused at the wrong layer, when compiled and when run', () => {
  const order = /Wrong order: compression needs bytes but what it wraps \(to its right\) holds objects/
  // @ts-expect-error compression of objects
  expect(() => keyValue(memory(), [compression(), json()])).toThrow(order)
  // @ts-expect-error json over json
  expect(() => keyValue(memory(), [json(), json()])).toThrow(/Wrong order: json/)
  // @ts-expect-error encryption of objects
  expect(() => keyValue(memory(), [monitor(), sealing(), text()])).toThrow(/Wrong order: sealing/)
  // @ts-expect-error delta needs versions
  expect(() => keyValue(plain(), [json(), delta()])).toThrow(
    /Not possible here: delta needs a store that declares conditionalWrite/,
  )
})

test('operations that are not declared are compile errors', () => {
  const kv = keyValue(plain(), [text()])
  const values = keyValue(memory(), [text()])
  const refused = (): void => {
    // @ts-expect-error no conditions
    void kv.update('a', () => 'b')
    // @ts-expect-error no counters above a codec
    void values.increment('a')
    // @ts-expect-error no touch
    void kv.touch('a', { ttlMs: 1 })
    // @ts-expect-error no expiry
    void kv.set('a', 'b', { ttlMs: 1 })
    // @ts-expect-error no conditions
    void kv.set('a', 'b', { ifVersion: null })
    // @ts-expect-error no order
    void kv.keys({ gte: 'a' })
    // @ts-expect-error a wrong value
    void kv.set('a', 1)
    void values.set('a', 'b', { ttlMs: 'keep', ifVersion: null })
    void values.keys({ gte: 'a', lt: 'b' })
    void keyValue(memory()).increment('a')
  }
  expect(refused).toBeTypeOf('function')
})

test('a portable function takes any store, and values do not widen', () => {
  const portable = async (kv: KeyValue<string, User>): Promise<User | undefined> => {
    if (supports(kv, 'scan')) for await (const key of kv.keys()) return kv.get(key)
    return kv.get('ada')
  }
  const users = keyValue(memory(), [json(User)])
  void portable(users)
  void portable(keyValue(plain(), [json(User)]))
  // @ts-expect-error widening of the value
  const wide: KeyValue<string, User | string> = users
  expect(wide).toBeDefined()
})

test('a callback without annotations knows its value', () => {
  const own = codec({
    name: 'upper',
    encode: (value: string) => Buffer.from(value.toUpperCase()),
    decode: (stored) => stored.toString(),
  })
  equal<Parameters<typeof own.plan.wrap>['length'], 1>(true)
  const kv = keyValue(memory(), [own])
  void kv.update('a', (value) => value?.toLowerCase())
  const any = keyValue(memory(), [structured<Map<string, Date>>()])
  equal<Awaited<ReturnType<typeof any.get>>, Map<string, Date> | undefined>(true)
  const plainly = keyValue(memory(), [structured()])
  equal<Awaited<ReturnType<typeof plainly.get>>, Structured>(true)
  expect(kv.capabilities.increment).toBe(false)
})

interface Account {
  readonly name: string
  readonly roles?: readonly string[]
}

test('a type of values may be named, an interface too', async () => {
  const ada: Account = { name: 'Ada' }
  const accounts = keyValue(memory(), [monitor(), json<Account>(), compression()])
  equal<Awaited<ReturnType<typeof accounts.get>>, Account | undefined>(true)
  await accounts.set('ada', ada)
  const kept = keyValue(memory(), [structured<Account>()])
  equal<Awaited<ReturnType<typeof kept.get>>, Account | undefined>(true)
  await kept.set('ada', ada)
  const events = keyValue(memory(), [structured(User)])
  equal<Awaited<ReturnType<typeof events.get>>, User | undefined>(true)
  const portable: KeyValue<string, Account> = accounts
  const anything = keyValue(memory(), [monitor(), json<any>()]) // oxlint-disable-line no-explicit-any -- what users may write
  equal<Awaited<ReturnType<typeof anything.get>>, any>(true) // oxlint-disable-line no-explicit-any -- the type that is read then
  // @ts-expect-error a wrong value
  const wrong = (): unknown => accounts.set('ada', { nam: 'Ada' })
  expect([portable.name, wrong]).toHaveLength(2)
})

test('supports reaches operations and options, and namespaces keep them', async () => {
  const portable = async (kv: KeyValue<string, string>): Promise<void> => {
    // @ts-expect-error not known to expire
    void kv.set('a', 'b', { ttlMs: 1 }).catch(() => {})
    if (!supports(kv, 'ttl') || !supports(kv, 'conditionalWrite')) throw new Error('not this store')
    await kv.set('a', 'b', { ttlMs: 1000, ifVersion: undefined })
    const inner = kv.namespace('one').namespace('two')
    await inner.set('a', 'b', { ttlMs: 1000, ifVersion: null })
    await inner.update('a', () => 'c')
    // @ts-expect-error not known to touch
    void inner.touch('a', { ttlMs: 1 })
    if (supports(inner, 'orderedScan')) expect(inner.keys({ gte: 'a' }).pages()).toBeDefined()
    if (supports(inner, 'touch')) await inner.touch('a', { ttlMs: 1 })
  }
  await portable(keyValue(memory(), [text()]))
  await expect(portable(keyValue(plain(), [text()]))).rejects.toThrow('not this store')
})

test('supports tells every feature of stores and KeyValues, and knows no other', () => {
  const features = [
    'scan',
    'orderedScan',
    'conditionalWrite',
    'conditionalRead',
    'ttl',
    'touch',
    'increment',
  ] as const
  const kv: KeyValue<string, Bytes> = keyValue(memory())
  expect(features.filter((feature) => supports(kv, feature))).toEqual(features)
  const none: Store<Bytes> = plain()
  expect(features.filter((feature) => supports(none, feature))).toEqual(['scan'])
  expect(
    supports(kv, 'sealed') || supports(kv, 'evicts') || supports(kv, 'documents') || supports(kv, 'deltas'),
  ).toBe(false)
  // @ts-expect-error not a feature
  expect(() => supports(kv, 'expiry')).toThrow(/'expiry' is not a feature/)
  const store: Store<Bytes> = memory()
  if (supports(store, 'ttl')) void keyValue(store, [text()]).set('a', 'b', { ttlMs: 1000 })
  const needy = (some: KeyValue<string, string, Supporting<'ttl' | 'scan'>>): unknown =>
    some.set('a', 'b', { ttlMs: 1 })
  void needy(keyValue(memory(), [text()]))
  // @ts-expect-error it does not declare ttl
  expect(() => needy(keyValue(plain(), [text()]))).toBeDefined()
})

test('layers in a variable keep their order, or are one compile error', () => {
  const order = [monitor(), json(User)] as const
  const users = keyValue(memory(), order)
  equal<Awaited<ReturnType<typeof users.get>>, User | undefined>(true)
  const wrong = [compression(), json()] as const
  // @ts-expect-error compression of objects
  expect(() => keyValue(memory(), wrong)).toThrow(/Wrong order/)
  const loose = [monitor(), json()]
  // @ts-expect-error the order is not in the type
  expect(keyValue(memory(), loose).name).toBe('memory')
  // @ts-expect-error the order is not in the type
  expect(compose(memory(), loose).name).toBe('memory')
  const monitors = [monitor(), monitor()]
  const watched = keyValue(memory(), [...monitors, json(User)])
  equal<Awaited<ReturnType<typeof watched.get>>, User | undefined>(true)
  equal<typeof watched.capabilities.ttl, MemoryCapabilities['ttl']>(true)
  const checkedWhenRun: AnyLayer[] = [monitor(), json()]
  const kv = keyValue(memory(), checkedWhenRun)
  equal<Awaited<ReturnType<typeof kv.get>>, unknown>(true)
})

test('an option that is undefined is an option left out', async () => {
  const composing: ComposeOptions = { coalesce: undefined }
  const options: KeyValueOptions<string> = {
    keys: undefined,
    timeoutMs: undefined,
    graceMs: undefined,
    coalesce: undefined,
    clock: undefined,
    random: undefined,
  }
  const kv = keyValue(compose(memory(), [text()], composing), [], options)
  await kv.set('a', 'b', {
    ttlMs: undefined,
    ifVersion: undefined,
    timeoutMs: undefined,
    signal: undefined,
    consistency: undefined,
  })
  expect(await kv.count({ prefix: undefined })).toBe(1)
  const range = {
    prefix: undefined,
    gt: undefined,
    gte: undefined,
    lt: undefined,
    lte: undefined,
    limit: undefined,
    pageSize: undefined,
    cursor: undefined,
  }
  expect(kv.keys(range)).toBeDefined()
})
