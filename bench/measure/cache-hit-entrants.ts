import { cache, type ObjectCacheLayer, type ObjectCacheOptions } from '@unikv/cache'
import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { type MonitorOptions, monitor } from '@unikv/monitor'
import { Cacheable } from 'cacheable'
import Keyv from 'keyv'
import { LRUCache } from 'lru-cache'
import { median, type Round } from './rounds.ts'

// Entrants of `cache-hit`, each made in a process of its own (`own-process.ts`).

const durationMs = Number(process.env['DURATION_MS'] ?? 300)
const chunk = 2_000
const keys = Array.from({ length: 1_000 }, (_, i) => `user:${i}`)
const userOf = (key: string) => ({ id: key, name: 'Ada Lovelace', email: 'ada@example.org' })

/** Gets `chunk` keys, starting at this one. */
type Loop = (from: number) => Promise<void>

export interface Entrant {
  /** How a cached value is handed to its reader. */
  readonly sharing: string
  readonly loop: Loop
}

/** Measure one round of an entrant: the median of many chunks. */
export async function roundOf({ loop }: Entrant): Promise<Round> {
  const chunksMs: number[] = []
  const endAt = performance.now() + durationMs
  for (let before = performance.now(), from = 0; before < endAt; from += chunk) {
    await loop(from)
    const now = performance.now()
    chunksMs.push(now - before)
    before = now
  }
  const p50Us = (median(chunksMs) * 1_000) / chunk
  return { opsPerSecond: 1e6 / p50Us, p50Us }
}

function bareLru(timedEvery: number): Entrant {
  const lru = new LRUCache<string, object>({ max: 10_000 })
  for (const key of keys) lru.set(key, userOf(key))
  const latencies = new Uint32Array(4_096)
  let hits = 0
  let misses = 0
  let calls = 0
  const find = (key: string): object | undefined => {
    const value = lru.get(key)
    if (value === undefined) misses++
    else hits++
    return value
  }
  const get = async (key: string): Promise<object | undefined> => {
    if (calls++ % timedEvery !== 0) return find(key)
    const before = performance.now()
    const value = find(key)
    const bucket = Math.min(4_095, Math.floor((performance.now() - before) * 1e5))
    latencies[bucket] = (latencies[bucket] as number) + 1
    return value
  }
  return {
    sharing: 'reference',
    loop: async (from) => {
      for (let i = from; i < from + chunk; i++) await get(keys[i % 1_000] as string)
      if (misses > 0 || hits === 0) throw new Error('The cache does not hold every key.')
    },
  }
}

async function unikv(
  cacheOptions: ObjectCacheOptions,
  monitorOptions: MonitorOptions | undefined,
): Promise<Entrant> {
  const near = cache(cacheOptions)
  const kv =
    monitorOptions === undefined
      ? keyValue(memory(), [near, json()])
      : keyValue(memory(), [monitor(monitorOptions), near, json()])
  for (const key of keys) await kv.set(key, userOf(key))
  return hitsOf(kv, near, cacheOptions.share ?? 'freeze')
}

interface Readable {
  get(key: string): Promise<unknown>
}

/** Reads what is there once, then again and again from the cache. */
async function hitsOf(kv: Readable, near: ObjectCacheLayer, sharing: unknown): Promise<Entrant> {
  for (const key of keys) await kv.get(key)
  const { loads } = near.stats()
  return {
    sharing: String(sharing),
    loop: async (from) => {
      for (let i = from; i < from + chunk; i++) await kv.get(keys[i % 1_000] as string)
      if (near.stats().loads !== loads) throw new Error('The cache does not hold every key.')
    },
  }
}

async function keyv(): Promise<Entrant> {
  const store = new Keyv()
  for (const key of keys) await store.set(key, userOf(key))
  return {
    sharing: await sharingOf(async () => await store.get(keys[0] as string)),
    loop: async (from) => {
      for (let i = from; i < from + chunk; i++) await store.get(keys[i % 1_000] as string)
    },
  }
}

async function cacheable(): Promise<Entrant> {
  const store = new Cacheable()
  for (const key of keys) await store.set(key, userOf(key))
  return {
    sharing: await sharingOf(async () => await store.get(keys[0] as string)),
    loop: async (from) => {
      for (let i = from; i < from + chunk; i++) await store.get(keys[i % 1_000] as string)
    },
  }
}

// The used part of bentocache and unstorage: their declarations need those of databases that they do not
// install, so they are imported without.

interface Bentocache {
  readonly BentoCache: new (
    options: object,
  ) => {
    get(options: { readonly key: string }): Promise<unknown>
    set(options: { readonly key: string; readonly value: unknown }): Promise<unknown>
  }
  readonly bentostore: () => { useL1Layer(driver: unknown): unknown }
}

async function bentocache(): Promise<Entrant> {
  const { BentoCache, bentostore } = (await import(import.meta.resolve('bentocache'))) as Bentocache
  const { memoryDriver } = (await import(import.meta.resolve('bentocache/drivers/memory'))) as {
    readonly memoryDriver: (options: object) => unknown
  }
  const bento = new BentoCache({
    default: 'memory',
    stores: { memory: bentostore().useL1Layer(memoryDriver({})) },
  })
  for (const key of keys) await bento.set({ key, value: userOf(key) })
  return {
    sharing: await sharingOf(async () => await bento.get({ key: keys[0] as string })),
    loop: async (from) => {
      for (let i = from; i < from + chunk; i++) await bento.get({ key: keys[i % 1_000] as string })
    },
  }
}

interface Unstorage {
  readonly createStorage: () => {
    getItem(key: string): Promise<unknown>
    setItem(key: string, value: unknown): Promise<void>
  }
}

async function unstorage(): Promise<Entrant> {
  const { createStorage } = (await import(import.meta.resolve('unstorage'))) as Unstorage
  const storage = createStorage()
  for (const key of keys) await storage.setItem(key, userOf(key))
  return {
    sharing: await sharingOf(async () => await storage.getItem(keys[0] as string)),
    loop: async (from) => {
      for (let i = from; i < from + chunk; i++) await storage.getItem(keys[i % 1_000] as string)
    },
  }
}

/** Objects in the process before bytes in another store, before the store. */
async function unikvInTwoTiers(): Promise<Entrant> {
  const near = cache({})
  const kv = keyValue(memory(), [monitor({}), near, json(), cache({ store: memory() })])
  for (const key of keys) await kv.set(key, userOf(key))
  return hitsOf(kv, near, 'freeze')
}

/** One stack beside five others in the process: what each call site of the library then sees is of many kinds. */
async function unikvAmongOthers(): Promise<Entrant> {
  const first = await unikv({}, {})
  const all = [
    first,
    await unikv({}, { timeEverySync: true }),
    await unikv({}, undefined),
    await unikv({ share: 'reference' }, {}),
    await unikv({ share: 'copy' }, {}),
    await unikv({ share: 'copy' }, undefined),
  ]
  for (let turn = 0; turn < 50; turn++) for (const { loop } of all) await loop(0)
  return first
}

/** Whether two readers of one key share a value. */
async function sharingOf(get: () => Promise<unknown>): Promise<string> {
  const [one, two] = [await get(), await get()]
  if (one === undefined || one === null) throw new Error('The cache does not hold every key.')
  return one === two ? 'reference' : 'copy'
}

/** How each entrant is made, by the name in the table. */
export const entrants: Readonly<Record<string, () => Entrant | Promise<Entrant>>> = {
  'async function around lru-cache, 1 in 16 timed': () => bareLru(16),
  'async function around lru-cache, every hit timed': () => bareLru(1),
  'unikv: monitor + cache + json': () => unikv({}, {}),
  'unikv: monitor + two tiers + json': unikvInTwoTiers,
  'unikv: the same, every hit timed': () => unikv({}, { timeEverySync: true }),
  'unikv: the same among five other stacks': unikvAmongOthers,
  'unikv: cache + json': () => unikv({}, undefined),
  'unikv: the same, share: reference': () => unikv({ share: 'reference' }, {}),
  'unikv: the same, share: copy': () => unikv({ share: 'copy' }, {}),
  'keyv 5': keyv,
  'cacheable 2': cacheable,
  'bentocache 1': bentocache,
  'unstorage 1': unstorage,
}
