import { randomBytes } from 'node:crypto'
import { cache } from '@unikv/cache'
import {
  type AnyLayer,
  type AnyStore,
  type Bytes,
  compose,
  json,
  keyValue,
  newVersion,
  type PassThrough,
  passThrough,
  type Store,
  StoreError,
} from '@unikv/core'
import { callOptions, derive, valueDelta } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { delta } from '@unikv/delta'
import { encryption, keyring, reencrypt } from '@unikv/encryption'
import { fallback } from '@unikv/mirror'
import { monitor } from '@unikv/monitor'
import { resilience } from '@unikv/resilience'
import { transactional, transactions } from '@unikv/transaction'
import { writeBehind } from '@unikv/write-behind'
import { describe, expect, test } from 'vitest'

// What layers tell each other passes by layers that know nothing of it, wherever they stand.

/** As examples/own-layer.ts, and one that makes everything anew that it passes on. */
const foreign: Readonly<Record<string, () => PassThrough>> = {
  passes: () =>
    passThrough('passing', {
      wrap: (inner) => ({
        read: (reads, call) => inner.read(reads, call),
        write: (mutations, call) => inner.write(mutations, call),
      }),
    }),
  copies: () =>
    passThrough('copying', {
      wrap: (inner) => ({
        read: (reads, call) => inner.read(reads, derive(call, {})),
        write: (mutations, call) =>
          inner.write(
            mutations.map((one) => ({ ...one })),
            derive(call, {}),
          ),
        scan: (range, call) => inner.scan({ ...range }, derive(call, {})),
      }),
    }),
}

const plainly = () => keyValue(memory(), [json()])
type Kv = ReturnType<typeof plainly>
/** A stack of these layers, perhaps with another one between. */
type Open = (store: AnyStore, layers: readonly AnyLayer[]) => Kv

/** What a program over a stack sees, and how many places its stack has for one layer more. */
interface Scene {
  readonly places: number
  readonly sees: unknown
  readonly play: (open: Open) => Promise<unknown>
}

const kept = { absentForMs: 60_000, freshForMs: 60_000 }

/** A store of which some verbs fail, while it is away. */
function failing(inner: Store<Bytes>, isAway: () => boolean): Store<Bytes> {
  const reached = async <T>(work: () => T): Promise<T> => {
    if (isAway()) throw new StoreError('UNAVAILABLE', 'Away.')
    return work()
  }
  return {
    ...inner,
    native: undefined,
    capabilities: { ...inner.capabilities, sync: 'none' },
    read: async (reads, call) => reached(() => inner.read(reads, call)),
    write: async (mutations, call) => reached(() => inner.write(mutations, call)),
    async *scan(range, call) {
      yield* await reached(() => inner.scan(range, call))
    },
  }
}

const scenes: Readonly<Record<string, Scene>> = {
  'clear is told to caches': {
    places: 4,
    sees: [
      ['a', 'b'],
      [undefined, undefined],
    ],
    play: async (open) => {
      const store = memory()
      const kv = open(store, [cache(kept), json(), cache({ store: memory(), ...kept })])
      await kv.setMany([
        ['a', 'a'],
        ['b', 'b'],
      ])
      const before = await kv.getMany(['a', 'b'])
      // The listing does not show it any more, and a cache has it still.
      await store.write([{ type: 'delete', key: 'a', version: newVersion() }], callOptions())
      await kv.clear({ all: true })
      return [before, await kv.getMany(['a', 'b'])]
    },
  },
  'clear takes no listing of a stand-in': {
    places: 2,
    sees: ['PARTIAL or UNAVAILABLE', 'old'],
    play: async (open) => {
      const [primary, secondary] = [memory(), memory()]
      await keyValue(secondary, [json()]).set('a', 'old')
      const kv = open(
        fallback(
          failing(primary, () => true),
          secondary,
          { scans: 'fallback' },
        ),
        [json()],
      )
      const refusal: unknown = await kv.clear({ all: true }).catch((error: StoreError) => error.code)
      return [
        ['PARTIAL', 'UNAVAILABLE'].includes(refusal as string) ? 'PARTIAL or UNAVAILABLE' : refusal,
        await kv.get('a'),
      ]
    },
  },
  'caches forget what a queue loses': {
    places: 4,
    sees: ['1', undefined],
    play: async (open) => {
      const inner = memory()
      let isOpen = false
      const store: Store<Bytes> = {
        ...inner,
        native: undefined,
        write: (mutations) => {
          if (!isOpen) throw new StoreError('UNAVAILABLE', 'Away.')
          return mutations.map(() => new StoreError('VALUE_TOO_LARGE', 'No.'))
        },
      }
      const queue = writeBehind({ background: () => {}, delayMs: 0, retryMs: 1, onLost: () => {} })
      const kv = open(store, [cache({ onWrite: 'through', ...kept }), json(), queue])
      await kv.set('lost', '1')
      const before = await kv.get('lost')
      isOpen = true
      await queue.flush().catch(() => {})
      return [before, await kv.get('lost')]
    },
  },
  'a cache is answered by a queue, and the application is not': {
    places: 4,
    sees: ['queued', 'TIMEOUT'],
    play: async (open) => {
      const inner = memory()
      const hanging: Store<Bytes> = {
        ...inner,
        native: undefined,
        capabilities: { ...inner.capabilities, sync: 'none' },
        write: () => new Promise<never>(() => {}),
      }
      const queue = writeBehind({ background: () => {}, graceMs: 1, onLost: () => {} })
      const kv = open(hanging, [cache(kept), json(), queue])
      await kv.set('k', 'queued')
      const strong = kv.get('k', { consistency: 'strong', timeoutMs: 20 })
      return [await kv.get('k'), await strong.catch((error: StoreError) => error.code)]
    },
  },
  'no cache keeps what a stand-in tells': {
    places: 6,
    sees: ['old', undefined, 'new', 'new'],
    play: async (open) => {
      let isAway = false
      const [primary, secondary] = [memory(), memory()]
      await keyValue(secondary, [json()]).set('a', 'old')
      for (const key of ['a', 'b']) await keyValue(primary, [json()]).set(key, 'new')
      const either = fallback(
        failing(primary, () => isAway),
        secondary,
        { absent: 'answer' },
      )
      const hedge = resilience({ retry: false, hedge: { afterMs: 60_000 } })
      const tiers = [cache(kept), json(), cache({ store: memory(), ...kept }), hedge]
      const kv = open(either, [...tiers, cache({ ...kept, tier: 'lowest' })])
      isAway = true
      const away = await Promise.all(['a', 'b'].map((key) => kv.get(key)))
      isAway = false
      return [...away, await kv.get('a'), await kv.get('b')]
    },
  },
  'deltas reach the store that applies them': {
    places: 3,
    sees: [true, 4],
    play: async (open) => {
      const inner = memory()
      let applied = 0
      const store: Store<Bytes> = {
        ...inner,
        native: undefined,
        capabilities: { ...inner.capabilities, deltas: true },
        write: (mutations, call) => {
          for (const one of mutations)
            if (one.type === 'set' && valueDelta.of(one.facts)?.of === one.value) applied++
          return inner.write(mutations, call)
        },
      }
      const kv = open(store, [json(), delta()])
      const of = (n: number): string => `${'a long value that changes little '.repeat(100)}${n}`
      for (let n = 0; n <= 4; n++) await kv.update('k', () => of(n))
      return [(await kv.get('k')) === of(4), applied]
    },
  },
  'a transaction reads past caches, and loses a conflict': {
    places: 4,
    sees: [[1, 3], 4],
    play: async (open) => {
      const [store, log] = [memory(), keyValue(memory(), [json()])]
      const layers = () => [cache(kept), json(), cache({ store: memory(), ...kept })]
      const make = () => open(compose(store, [transactional({ log })]), layers())
      const [here, there] = [make(), make()]
      const db = transactions({ log, kv: here } as never) as unknown as {
        run<T>(work: (tx: { kv: Kv }) => Promise<T>): Promise<T>
      }
      await here.set('n', 1)
      await here.get('n')
      const read: unknown[] = []
      await db.run(async ({ kv }) => {
        const n = (await kv.get('n')) as number
        read.push(n)
        if (read.length === 1) await there.set('n', 3)
        await kv.set('n', n + 1)
      })
      return [read, await here.get('n')]
    },
  },
  'a record that does not open is read anew past caches': {
    places: 4,
    sees: 'value',
    play: async (open) => {
      const [store, k1, k2] = [memory(), randomBytes(32), randomBytes(32)]
      const ring = keyring({ primary: 'k1', keys: { k1 } })
      const sealed = () => encryption({ dataset: 'd', keys: ring })
      const kv = open(store, [json(), sealed(), cache(kept)])
      const sweeper = keyValue(store, [json(), sealed()])
      await kv.set('a', 'value')
      await kv.get('a')
      ring.replace({ primary: 'k2', keys: { k1, k2 } })
      await reencrypt(sweeper)
      ring.destroy('k1')
      return kv.get('a')
    },
  },
  'a value is that of its call': {
    places: 3,
    sees: [{ n: 1 }, { n: 3 }],
    play: async (open) => {
      const kv = open(
        failing(memory(), () => false),
        [resilience(), json()],
      )
      const value = { n: 1 }
      const written = [kv.set('first', value)]
      value.n = 2
      written.push(kv.set('second', value))
      value.n = 3
      written.push(kv.set('second', value))
      value.n = 4
      await Promise.all(written)
      return kv.getMany(['first', 'second'])
    },
  },
  'who answered absent is counted': {
    places: 4,
    sees: { hits: { near: 2 }, misses: 1, absent: 3 },
    play: async (open) => {
      const above = monitor()
      const kv = open(memory(), [above, json(), cache({ ...kept, tier: 'near' })])
      for (let n = 0; n < 3; n++) await kv.get('none')
      const { hits, misses, absent } = above.snapshot().stores['memory']?.read ?? {}
      return { hits, misses, absent }
    },
  },
}

/** A stack with this layer in one of its places: `places - 1` is next to the store. */
const openWith =
  (place: number, made: () => PassThrough): Open =>
  (store, layers) =>
    keyValue<AnyStore, readonly AnyLayer[]>(store, layers.toSpliced(place, 0, made())) as unknown as Kv

const plain: Open = (store, layers) => keyValue<AnyStore, readonly AnyLayer[]>(store, layers) as unknown as Kv

describe.each(Object.entries(scenes))('%s', (_, { places, sees, play }) => {
  test('without another layer', async () => {
    expect(await play(plain)).toEqual(sees)
  })

  test.each(Object.keys(foreign))('with a layer in any place that %s', async (name) => {
    for (let place = 0; place < places; place++)
      expect(await play(openWith(place, foreign[name] as () => PassThrough)), `place ${place}`).toEqual(sees)
  })
})
