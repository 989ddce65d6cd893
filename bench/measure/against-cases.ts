import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type * as cachePackage from '@unikv/cache'
import type * as corePackage from '@unikv/core'
import type * as memoryPackage from '@unikv/core/memory'
import type * as encryptionPackage from '@unikv/encryption'
import type * as lmdbPackage from '@unikv/lmdb'
import type * as monitorPackage from '@unikv/monitor'
import type * as postgresPackage from '@unikv/postgres'
import type * as redisPackage from '@unikv/redis'

/** The packages of one clone, by the exports that the cases use. */
export interface Packages {
  readonly core: typeof corePackage
  readonly memory: typeof memoryPackage
  readonly cache: typeof cachePackage
  readonly monitor: typeof monitorPackage
  readonly encryption: typeof encryptionPackage
  readonly redis: typeof redisPackage
  readonly postgres: typeof postgresPackage
  readonly lmdb: typeof lmdbPackage
}

/** Some operations that are timed together. */
export interface Chunk {
  /** Operations in one call of `loop`. */
  readonly chunk: number
  readonly loop: () => Promise<void>
}

const keys = Array.from({ length: 1_000 }, (_, i) => `user:${i}`)
const userOf = (key: string) => ({ id: key, name: 'Ada Lovelace', email: 'ada@example.org' })

/** Any KeyValue of strings to users or bytes. */
interface Target {
  get(key: string): Promise<unknown>
  set(key: string, value: never): Promise<unknown>
}

async function filled(kv: Target, valueOf: (key: string) => unknown, count: number): Promise<Target> {
  for (const key of keys.slice(0, count)) await kv.set(key, valueOf(key) as never)
  for (const key of keys.slice(0, count)) await kv.get(key)
  return kv
}

/** Gets one key after the other. */
function gets(kv: Target, chunk: number, count = keys.length): Chunk {
  return {
    chunk,
    loop: async () => {
      for (let i = 0; i < chunk; i++) await kv.get(keys[i % count] as string)
    },
  }
}

function sets(kv: Target, value: unknown, chunk: number): Chunk {
  return {
    chunk,
    loop: async () => {
      for (let i = 0; i < chunk; i++) await kv.set(keys[i % 100] as string, value as never)
    },
  }
}

/** Calls of one tick, which are merged. */
function merged(call: (key: string) => Promise<unknown>, chunk: number): Chunk {
  return {
    chunk,
    loop: async () => {
      await Promise.all(keys.slice(0, chunk).map(call))
    },
  }
}

const bytes = new Uint8Array(1_024).fill(7)

const sealed = async ({ core, memory, encryption }: Packages): Promise<Target> => {
  const keys = encryption.keyring({
    primary: 'k1',
    keys: { k1: Uint8Array.from({ length: 32 }, (_, i) => i) },
  })
  const layer = encryption.encryption({ dataset: 'against', keys })
  return filled(core.keyValue(memory.memory(), [layer]) as never, () => bytes, 100)
}

type MakeStore = (packages: Packages) => unknown

const redis: MakeStore = ({ redis }) => redis.redis({ url: urlOf('redis') })
const postgres: MakeStore = ({ postgres }) => postgres.postgres({ url: urlOf('postgres'), prepare: true })
const lmdb: MakeStore = async ({ lmdb }) =>
  lmdb.lmdb({ path: await mkdtemp(join(tmpdir(), 'unikv-against-')) })

async function on(make: MakeStore, packages: Packages): Promise<Target> {
  const { core } = packages
  const kv = core.keyValue((await make(packages)) as never, [core.json()] as never).namespace('against:')
  return filled(kv, userOf, 100)
}

function urlOf(server: 'redis' | 'postgres'): string {
  const name = `UNIKV_TEST_${server.toUpperCase()}_URL`
  const url = process.env[name]
  if (url === undefined) throw new Error(`${name} names no server.`)
  return url
}

/** A cache in the process, below these layers. */
function cached({ core, memory, cache }: Packages, above: readonly unknown[]): Promise<Target> {
  const layers = [...above, cache.cache(), core.json()]
  return filled(core.keyValue(memory.memory(), layers as never) as never, userOf, keys.length)
}

function inTwoTiers({ core, memory, cache }: Packages): Promise<Target> {
  const layers = [cache.cache(), core.json(), cache.cache({ store: memory.memory() })]
  return filled(core.keyValue(memory.memory(), layers as never) as never, userOf, keys.length)
}

/** Work that no change may make slower, by name. */
export const againstCases: Record<string, (packages: Packages) => Promise<Chunk>> = {
  'cached get': async (packages) => gets(await cached(packages, []), 5_000),
  'cached get, monitored': async (packages) =>
    gets(await cached(packages, [packages.monitor.monitor()]), 5_000),
  'two tiers, get': async (packages) => gets(await inTwoTiers(packages), 5_000),
  'two tiers, set': async (packages) => sets(await inTwoTiers(packages), { n: 1 }, 1_000),
  seal: async (packages) => sets(await sealed(packages), bytes, 500),
  open: async (packages) => gets(await sealed(packages), 500, 100),
  'memory get': async ({ core, memory }) =>
    gets(await filled(core.keyValue(memory.memory(), [core.json()]) as never, userOf, 1_000), 2_000),
  ...onStore('Redis', redis),
  ...onStore('PostgreSQL', postgres),
  ...onStore('LMDB', lmdb),
}

/** Single and merged calls. */
function onStore(name: string, make: MakeStore): Record<string, (packages: Packages) => Promise<Chunk>> {
  return {
    [`${name} get`]: async (packages) => gets(await on(make, packages), 100, 100),
    [`${name} set`]: async (packages) => sets(await on(make, packages), { n: 1 }, 100),
    [`${name}, 64 gets of one tick`]: async (packages) => {
      const kv = await on(make, packages)
      return merged((key) => kv.get(key), 64)
    },
    [`${name}, 64 sets of one tick`]: async (packages) => {
      const kv = await on(make, packages)
      return merged((key) => kv.set(key, { n: 1 } as never), 64)
    },
  }
}
