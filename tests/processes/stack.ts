import { setTimeout as pause } from 'node:timers/promises'
import {
  type CacheStats,
  cache,
  type InvalidationBus,
  type ObjectCacheOptions,
  pubSubBus,
  type StoreCacheOptions,
} from '@unikv/cache'
import { type AnyLayer, type Bytes, json, keyValue, passThrough, type Store } from '@unikv/core'
import { endOf } from '@unikv/core/adapter'
import { redis, redisPubSub } from '@unikv/redis'
import type { Random } from '@unikv/test-kit/schedules'

/** The stack of one process; all processes of a run share what it lies on. */
export interface StackSetting {
  readonly sourceUrl: string
  /** Of the cache store, and of the bus. */
  readonly cacheUrl: string
  /** Of the run, in both servers. */
  readonly dataset: string
  readonly near: ObjectCacheOptions | undefined
  readonly far: FarOptions | undefined
  /** How `near` hears of the writes of other processes. `'blind'` is wrong: it trusts a bus of which it hears nothing. */
  readonly bus?: 'redis' | 'blind' | undefined
}

export type FarOptions = Omit<StoreCacheOptions, 'store' | 'background'>

/** The methods that the processes call. */
export interface Kv {
  get(key: string, call?: Call): Promise<string | undefined>
  getEntry(
    key: string,
    call?: Call,
  ): Promise<{ readonly value: string; readonly meta?: { readonly stale?: boolean } } | undefined>
  getMany(keys: readonly string[], call?: Call): Promise<readonly (string | undefined)[]>
  set(key: string, value: string, call?: Call): Promise<unknown>
  delete(key: string, call?: Call): Promise<unknown>
  touch(key: string, call: Call & { readonly ttlMs: number | undefined }): Promise<boolean>
  close(): Promise<void>
}

/** Settings of one call. */
export interface Call {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  readonly consistency?: string
}

interface Handle {
  stats(): CacheStats
}

/** A stack, with the handles of its caches. */
export interface Stack {
  readonly kv: Kv
  readonly near: Handle | undefined
  readonly far: Handle | undefined
}

/** One cache or two over a linearizable source; `below` are layers next to the source. */
export function openStack(setting: StackSetting, below: readonly AnyLayer[]): Stack {
  const { sourceUrl, cacheUrl, dataset } = setting
  const store = setting.far && redis({ url: cacheUrl, dataset })
  const far = store && cache({ ...setting.far, store, namespace: 'processes' })
  const near = setting.near && cache({ ...setting.near, bus: busOf(setting) })
  const layers = [...(near ? [near] : []), json(), ...(far ? [far] : []), ...below]
  const source = redis({ url: sourceUrl, dataset: `${dataset}_source` })
  const kv = keyValue(source, layers as never)
  return { kv: kv as unknown as Kv, near, far }
}

function busOf({ bus, cacheUrl, dataset }: StackSetting): InvalidationBus | undefined {
  if (bus === undefined) return undefined
  const honest = pubSubBus(redisPubSub({ url: cacheUrl, channel: dataset, silenceMs: 1_000 }))
  return bus === 'redis' ? honest : blind(honest)
}

/** Pings that come back without having gone anywhere, and losses that nobody is told of. */
function blind(bus: InvalidationBus): InvalidationBus {
  return {
    name: 'blind',
    join: async (listener) => {
      const member = await bus.join({
        up: () => listener.up(),
        down: () => {},
        written: (writes) => listener.written(writes),
        invalidated: (tags) => listener.invalidated(tags),
        missed: () => {},
        echo: () => {},
      })
      return {
        tell: (writes) => member.tell(writes),
        ping: async (token) => listener.echo(token),
        leave: () => member.leave(),
      }
    },
  }
}

/** Lets the network to the source take its time, before and after what it does. */
export function delays(random: Random, mostMs: number): AnyLayer {
  const delay = async (): Promise<void> => {
    if (random.chance(0.3)) await pause(random.next() * mostMs)
  }
  return passThrough('delays', {
    wrap: (inner) => ({
      read: async (reads, call) => {
        const results = await inner.read(reads, call)
        await delay()
        return results
      },
      write: async (mutations, call) => {
        await delay()
        const end = endOf(call, true)
        if (end !== undefined) throw end
        const results = await inner.write(mutations, call)
        await delay()
        return results
      },
    }),
  })
}

/** Says when the source is asked, before it is, and then takes so long. */
export function slowLoads(ms: number, asked: () => void): AnyLayer {
  return passThrough('slow loads', {
    wrap: (inner: Store<Bytes> | Store<unknown>) => ({
      read: async (reads, call) => {
        asked()
        await pause(ms)
        return inner.read(reads, call)
      },
    }),
  })
}
