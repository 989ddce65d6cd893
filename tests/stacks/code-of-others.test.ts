import { type AnyLayer, codec, isStoreError, json, keyValue, type Store, StoreError, text } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { delta } from '@unikv/delta'
import { encryption, type KmsProvider, keyring, kmsKeys, localKms, reencrypt } from '@unikv/encryption'
import { fallback, mirror } from '@unikv/mirror'
import { monitor } from '@unikv/monitor'
import { resilience } from '@unikv/resilience'
import { writeBehind } from '@unikv/write-behind'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

// Every function that an application hands to a package, going wrong in every way. Those of caches and loaders have a
// table of their own, in the tests of @unikv/cache.

type Fn = (...args: readonly unknown[]) => never

const wrongs: Record<string, () => unknown> = {
  throws: () => {
    throw new Error('of the application')
  },
  rejects: () => Promise.reject(new Error('of the application')),
  'never settles': () => new Promise<never>(() => {}),
  'returns nonsense': () => ({ no: 'sense' }),
  'returns nothing': () => undefined,
}

/** The calls that an application makes. Each settles, whatever comes of it. */
interface Subject {
  get(key: string, settings: { timeoutMs: number }): Promise<unknown>
  set(key: string, value: never, settings: { timeoutMs: number }): Promise<unknown>
  update?(key: string, change: Fn, settings: { timeoutMs: number }): Promise<unknown>
  close(): Promise<void>
}

interface Made {
  readonly kv: Subject
  /** Other calls. */
  readonly more?: () => readonly Promise<unknown>[]
  /** Whether what is read may be trusted to be what was written. */
  readonly isTrue?: false
}

/** `fails` and `waits` are the store's: a layer does most where that goes wrong. */
function moody() {
  const inner = memory()
  const state = { fails: false }
  const asked = async <T>(work: () => T): Promise<T> => {
    await Promise.resolve()
    if (state.fails) throw new StoreError('UNAVAILABLE', 'down')
    return work()
  }
  const store = {
    ...inner,
    capabilities: { ...inner.capabilities, sync: 'none' as const },
    read: (...args: Parameters<typeof inner.read>) => asked(() => inner.read(...args)),
    write: (...args: Parameters<typeof inner.write>) => asked(() => inner.write(...args)),
  } as unknown as Store<Uint8Array>
  return { store, state }
}

function opened(store: Store<Uint8Array>, layers: readonly AnyLayer[], options: object = {}): Subject {
  return keyValue(store, layers, { graceMs: 100, ...options })
}

const strings = text()
const objects = json()

/** A store whose failures and recoveries make the layer call all that it has been given. */
function troubled(layer: AnyLayer): Made {
  const { store, state } = moody()
  const kv = opened(store, [strings, layer])
  const more = (): readonly Promise<unknown>[] => {
    state.fails = true
    const failing = Array.from({ length: 8 }, (_, i) => kv.get(`${i}`, { timeoutMs: 60 }))
    return [...failing, Promise.all(failing).catch(() => (state.fails = false))]
  }
  return { kv, more }
}

function mirrored(options: object): Made {
  const [primary, secondary] = [moody(), moody()]
  const both = mirror(primary.store, secondary.store, { baseMs: 1, capMs: 5, graceMs: 100, ...options })
  const kv = opened(both, [strings])
  const more = (): readonly Promise<unknown>[] => {
    secondary.state.fails = true
    const owed = kv.set('owed', 'x' as never, { timeoutMs: 60 })
    return [owed, owed.finally(() => (secondary.state.fails = false)).then(() => both.repair())]
  }
  return { kv, more }
}

function primaryThat(fn: Fn): Made {
  const inner = memory()
  let isBroken = false
  const store = {
    ...inner,
    read: (...args: Parameters<typeof inner.read>) => (isBroken ? fn() : inner.read(...args)),
  }
  const kv = opened(fallback(store, inner, { afterMs: 1 }), [strings, resilience({ retry: { baseMs: 1 } })])
  return {
    kv,
    more: () => {
      isBroken = true
      return [kv.get('a', { timeoutMs: 60 }).finally(() => (isBroken = false))]
    },
  }
}

const ring = () => keyring({ primary: 'k', keys: { k: Uint8Array.from({ length: 32 }, (_, i) => i) } })

function withKms(own: Partial<Record<'generateDataKey' | 'decryptDataKey', Fn>>): Made {
  const kms = localKms({ keys: ring() })
  const provider: KmsProvider = {
    id: kms.id,
    info: kms.info,
    generateDataKey: (...args) => kms.generateDataKey(...args),
    decryptDataKey: (...args) => kms.decryptDataKey(...args),
    ...own,
  }
  const keys = kmsKeys({ providers: provider })
  return { kv: opened(memory(), [strings, encryption({ dataset: 'd', keys })]) }
}

function reencrypted(onProgress: Fn): Made {
  const layer = encryption({ dataset: 'd', keys: ring() })
  const kv = opened(memory(), [strings, layer])
  return { kv, more: () => [reencrypt(kv as never, { onProgress })] }
}

const table: Record<string, (fn: Fn) => Made> = {
  'onEvent of resilience()': (onEvent) =>
    troubled(
      resilience({ onEvent, retry: { baseMs: 1 }, breaker: { window: 2, openMs: 1 }, hedge: { afterMs: 1 } }),
    ),
  'monotonicClock of resilience()': (monotonicClock) =>
    troubled(resilience({ monotonicClock, breaker: { window: 2, openMs: 1 }, hedge: {} })),
  'random of resilience()': (random) =>
    troubled(resilience({ random, retry: { baseMs: 1 }, breaker: { window: 2, openMs: 1 } })),
  'clock of monitor()': (clock) => {
    const layer = monitor({ clock })
    return { ...troubled(layer), more: () => [Promise.resolve(layer.snapshot())] }
  },
  'monotonicClock of monitor()': (monotonicClock) => troubled(monitor({ monotonicClock })),
  'onEvent of mirror()': (onEvent) => mirrored({ onEvent }),
  'background of mirror()': (background) => mirrored({ background, acknowledge: 'primary' }),
  'monotonicClock of mirror()': (monotonicClock) => mirrored({ monotonicClock }),
  'random of mirror()': (random) => mirrored({ random }),
  'read of a store': primaryThat,
  'background of delta()': (background) => ({
    kv: opened(memory(), [strings, delta({ background, minBytes: 1 })]),
  }),
  'clock of delta()': (clock) => ({
    kv: opened(memory(), [strings, delta({ clock, minBytes: 1 })]),
  }),
  'generateDataKey of a key service': (generateDataKey) => withKms({ generateDataKey }),
  'decryptDataKey of a key service': (decryptDataKey) => withKms({ decryptDataKey }),
  'onProgress of reencrypt()': reencrypted,
  'onLost of writeBehind()': (onLost) => {
    const { store, state } = moody()
    const layer = writeBehind({
      background: () => {},
      onLost,
      graceMs: 50,
      retryMs: 1,
      dataset: 'd',
    })
    const kv = opened(store, [strings, layer])
    return { kv, isTrue: false, more: () => [kv.set('lost', 'x' as never, { timeoutMs: 60 }), unset(state)] }
  },
  'background of writeBehind()': (background) => ({
    kv: opened(memory(), [strings, writeBehind({ background, dataset: 'd' })]),
  }),
  'clock of writeBehind()': (clock) => ({
    kv: opened(memory(), [strings, writeBehind({ clock, background: () => {}, dataset: 'd' })]),
  }),
  'random of writeBehind()': (random) => ({
    kv: opened(memory(), [strings, writeBehind({ random, background: () => {}, dataset: 'd' })]),
  }),
  'clock of keyValue()': (clock) => ({ kv: opened(memory(), [objects], { clock }) }),
  'random of keyValue()': (random) => ({ kv: opened(memory(), [objects], { random }) }),
  'clock of memory()': (clock) => ({ kv: opened(memory({ clock }), [objects]) }),
  'encode of a key codec': (encode) => ({
    kv: opened(memory(), [strings], { keys: { name: 'own', encode, decode: (key: string) => key } }),
    isTrue: false,
  }),
  'encode of a codec': (encode) => ({
    kv: opened(memory(), [codec({ name: 'own', encode, decode: () => 'x' })]),
    isTrue: false,
  }),
  'decode of a codec': (decode) => ({
    kv: opened(memory(), [codec({ name: 'own', encode: () => new Uint8Array(1), decode })]),
    isTrue: false,
  }),
  'validate of a schema': (validate) => ({
    kv: opened(memory(), [json({ '~standard': { version: 1, vendor: 'own', validate } } as never)]),
    isTrue: false,
  }),
  'a function of update()': (change) => {
    const kv = opened(memory(), [strings])
    return { kv, more: () => [kv.update?.('b', change, { timeoutMs: 60 }) ?? Promise.resolve()] }
  },
}

function unset(state: { fails: boolean }): Promise<void> {
  state.fails = true
  return Promise.resolve()
}

/** What nobody caught. */
let uncaught: unknown[] = []
const note = (error: unknown): void => void uncaught.push(error)
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

beforeEach(() => {
  uncaught = []
  process.prependListener('unhandledRejection', note)
  process.prependListener('uncaughtException', note)
})

afterEach(async () => {
  for (let i = 0; i < 3; i++) await turn()
  process.off('unhandledRejection', note)
  process.off('uncaughtException', note)
  expect(uncaught).toEqual([])
})

/** A call that is not bounded by its deadline would hang the test. */
const settled = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => {
    expect(error).toSatisfy((it) => isStoreError(it) || (it as Error).message === 'of the application')
    return undefined
  })

describe.each(Object.keys(table))('%s', (what) => {
  test.each(Object.keys(wrongs))('that %s ends no process and hangs no call', async (how) => {
    const { kv, more, isTrue } = (table[what] as (typeof table)[string])(wrongs[how] as Fn)
    const settings = { timeoutMs: 60 }
    for (let i = 0; i < 2; i++) {
      const wasSet = await kv.set('a', `${i}` as never, settings).then(
        () => true,
        async (error: unknown) => settled(Promise.reject(error as Error)).then(() => false),
      )
      const found = await settled(kv.get('a', settings))
      if (wasSet && isTrue !== false && found !== undefined) expect(found).toBe(`${i}`)
    }
    for (const one of more?.() ?? []) await settled(one)
    await settled(kv.close())
  })
})
