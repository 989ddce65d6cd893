import { cache, type ObjectCacheOptions } from '@unikv/cache'
import { json, keyValue, memory } from '@unikv/core'
import { type MonitorOptions, monitor } from '@unikv/monitor'
import { Cacheable } from 'cacheable'
import Keyv from 'keyv'
import { LRUCache } from 'lru-cache'
import { type BudgetLine, budgetRows } from './measure/micro.ts'
import { printTable, times, writeResults } from './measure/report.ts'
import { type Contestant, interleaved, median, type Outcome, type Round } from './measure/rounds.ts'

// What a cached get costs: 1,000 hot keys, a small object, `await` in a loop. Against an async function around a bare
// lru-cache that counts hits and times one in 16, and against other caches in their default modes. Medians of
// interleaved rounds; within a round, the median of many chunks, so that what else the machine does falls on few.

const rounds = Number(process.env['ROUNDS'] ?? 7)
const durationMs = Number(process.env['DURATION_MS'] ?? 300)
const chunk = 2_000
const keys = Array.from({ length: 1_000 }, (_, i) => `user:${i}`)
const userOf = (key: string) => ({ id: key, name: 'Ada Lovelace', email: 'ada@example.org' })

/** Gets `chunk` keys, starting at this one; each contestant has a loop of its own, so that none spoils another's. */
type Loop = (from: number) => Promise<void>

interface Entrant {
  readonly name: string
  /** How a cached value is handed to its reader. */
  readonly sharing: string
  readonly loop: Loop
}

function contestant({ name, loop }: Entrant): Contestant {
  return {
    name,
    run: async (): Promise<Round> => {
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
    },
  }
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
    name: `async function around lru-cache, ${timedEvery === 1 ? 'every hit' : `1 in ${timedEvery}`} timed`,
    sharing: 'reference',
    loop: async (from) => {
      for (let i = from; i < from + chunk; i++) await get(keys[i % 1_000] as string)
      if (misses > 0 || hits === 0) throw new Error('The cache was to hold every key.')
    },
  }
}

async function unikv(
  name: string,
  cacheOptions: ObjectCacheOptions,
  monitorOptions: MonitorOptions | undefined,
): Promise<Entrant> {
  const near = cache(cacheOptions)
  const kv =
    monitorOptions === undefined
      ? keyValue(memory(), [near, json()])
      : keyValue(memory(), [monitor(monitorOptions), near, json()])
  for (const key of keys) await kv.set(key, userOf(key))
  for (const key of keys) await kv.get(key)
  const { loads } = near.stats()
  return {
    name,
    sharing: String(cacheOptions.share ?? 'freeze'),
    loop: async (from) => {
      for (let i = from; i < from + chunk; i++) await kv.get(keys[i % 1_000] as string)
      if (near.stats().loads !== loads) throw new Error('The cache was to hold every key.')
    },
  }
}

async function keyv(): Promise<Entrant> {
  const store = new Keyv()
  for (const key of keys) await store.set(key, userOf(key))
  return {
    name: 'keyv 5',
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
    name: 'cacheable 2',
    sharing: await sharingOf(async () => await store.get(keys[0] as string)),
    loop: async (from) => {
      for (let i = from; i < from + chunk; i++) await store.get(keys[i % 1_000] as string)
    },
  }
}

// Of bentocache and unstorage the part that is used here: their declarations need those of databases that they do not
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
    name: 'bentocache 1',
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
    name: 'unstorage 1',
    sharing: await sharingOf(async () => await storage.getItem(keys[0] as string)),
    loop: async (from) => {
      for (let i = from; i < from + chunk; i++) await storage.getItem(keys[i % 1_000] as string)
    },
  }
}

/** What two readers of one key get. */
async function sharingOf(get: () => Promise<unknown>): Promise<string> {
  const [one, two] = [await get(), await get()]
  if (one === undefined || one === null) throw new Error('The cache was to hold every key.')
  return one === two ? 'reference' : 'copy'
}

const entrants: readonly Entrant[] = [
  bareLru(16),
  bareLru(1),
  await unikv('unikv: monitor + cache + json', {}, {}),
  await unikv('unikv: the same, every hit timed', {}, { timeEverySync: true }),
  await unikv('unikv: cache + json', {}, undefined),
  await unikv('unikv: monitor + cache + json', { share: 'reference' }, {}),
  await unikv('unikv: monitor + cache + json', { share: 'copy' }, {}),
  await keyv(),
  await cacheable(),
  await bentocache(),
  await unstorage(),
]
const outcomes = await interleaved(entrants.map(contestant), rounds)
const at = (i: number): Outcome => outcomes[i] as Outcome
/** Round by round, how many times as long as another contestant this one takes. */
const ratio = (i: number, to: number): number =>
  median(at(i).rounds.map(({ p50Us }, round) => p50Us / (at(to).rounds[round] as Round).p50Us))

printTable(
  `A cached get of a small object, ${rounds} rounds`,
  ['', 'sharing', 'ns', '× bare lru-cache', 'unikv is … × as fast'],
  outcomes.map(({ name, p50Us }, i) => [
    name,
    entrants[i]?.sharing ?? '',
    (p50Us * 1_000).toFixed(0),
    times(ratio(i, 0)),
    i < 7 ? '' : times(ratio(i, 2)),
  ]),
)

const most = (what: string, measured: number, limit: number): BudgetLine => ({
  what,
  limit: `≤ ${times(limit)}`,
  measured: times(measured),
  kept: measured <= limit,
})
const least = (what: string, measured: number, limit: number): BudgetLine => ({
  what,
  limit: `≥ ${times(limit)}`,
  measured: times(measured),
  kept: measured >= limit,
})
const budget = [
  most('monitor + cache + json, to lru-cache in an async function', ratio(2, 0), 1.8),
  most('the same, every hit timed', ratio(3, 0), 2.6),
  least('faster than keyv', ratio(7, 2), 12),
  least('faster than cacheable', ratio(8, 2), 20),
  least('faster than bentocache', ratio(9, 2), 20),
  least('faster than unstorage', ratio(10, 2), 7),
]
printTable('Budget', ['', 'limit', 'measured', ''], budgetRows(budget))
await writeResults('cache-hit', {
  rounds,
  contestants: outcomes.map((outcome, i) => ({ ...outcome, sharing: entrants[i]?.sharing })),
  budget,
})
