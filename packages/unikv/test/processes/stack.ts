import { setTimeout as pause } from 'node:timers/promises'
import { type CacheStats, cache, type ObjectCacheOptions, type StoreCacheOptions } from '@unikv/cache'
import { type AnyLayer, type Bytes, json, keyValue, passThrough, type Store } from '@unikv/core'
import { endOf } from '@unikv/core/adapter'
import { redis } from '@unikv/redis'
import type { Random } from './random.ts'

/** The stack of one process; all processes of a run share what it lies on. */
export interface StackSetting {
  readonly sourceUrl: string
  readonly cacheUrl: string
  /** Of the run, in both servers. */
  readonly dataset: string
  readonly near: ObjectCacheOptions | undefined
  readonly far: Omit<StoreCacheOptions, 'store' | 'background'>
}

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
  readonly far: Handle
}

/** Two caches over a linearizable source; `below` are layers next to the source. */
export function openStack(setting: StackSetting, below: readonly AnyLayer[]): Stack {
  const { sourceUrl, cacheUrl, dataset } = setting
  const far = cache({ ...setting.far, store: redis({ url: cacheUrl, dataset }), namespace: 'processes' })
  const near = setting.near && cache(setting.near)
  const layers = [...(near ? [near] : []), json(), far, ...below]
  const kv = keyValue(redis({ url: sourceUrl, dataset: `${dataset}_source` }), layers as never)
  return { kv: kv as unknown as Kv, near, far }
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
