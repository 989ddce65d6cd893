import {
  type Bytes,
  compose,
  type Json,
  json,
  type KeyValueOf,
  keyValue,
  type PassThrough,
  passThrough,
  type Store,
} from '@unikv/core'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { cache, type ObjectCacheOptions, type WarmCacheLayer, type WarmOptions } from '../src/index.ts'

/** What survives a process: the store, the store of the warm restart, and time. */
export interface World {
  readonly source: MemoryStore
  readonly files: MemoryStore
  /** Wall clock, monotonic clock of a process, and uptime of the machine, in milliseconds. */
  wall: number
  uptime: number
  boot: string
}

export function world(): World {
  const made = {
    wall: 1_700_000_000_000,
    uptime: 50_000,
    boot: 'boot 1',
  }
  const clock = () => made.wall
  return Object.assign(made, { source: memory({ clock }), files: memory({ clock }) })
}

/** One run of a program: a cache with `warm` over the source of a world. */
export interface Run {
  readonly near: WarmCacheLayer
  readonly kv: KeyValueOf<Store<Json, MemoryStore['capabilities']>>
  /** Keys that the source was asked for. */
  readonly asked: string[]
}

/** Start a program. Its monotonic clock starts at 0 and goes with the uptime. */
export function run(here: World, options: ObjectCacheOptions = {}, warm: Partial<WarmOptions> = {}): Run {
  const startedAt = here.uptime
  const clock = () => here.wall
  const near = cache({
    clock,
    monotonicClock: () => here.uptime - startedAt,
    ...options,
    warm: {
      store: here.files,
      maxAgeMs: Number.POSITIVE_INFINITY,
      uptime: async () => ({ boot: here.boot, ms: here.uptime }),
      ...warm,
    },
  })
  const asked: string[] = []
  const stack = compose(here.source, [near, json(), noting(asked)])
  const kv = keyValue(stack as never, [], { clock }) as unknown as Run['kv']
  return { near, kv, asked }
}

/** Notes the keys that come by, and takes its time. */
function noting(asked: string[]): PassThrough {
  return passThrough('noting', {
    capabilities: { sync: 'none' },
    wrap: (inner) => ({
      read: async (reads, call) => {
        asked.push(...reads.map(({ key }) => key))
        return inner.read(reads, call)
      },
    }),
  })
}

/** Let so much time pass for everybody. */
export function pass(here: World, ms: number): void {
  here.wall += ms
  here.uptime += ms
}

/** A store of bytes that takes smaller values. */
export function narrow(store: Store<Bytes>, maxValueBytes: number): Store<Bytes> {
  const layer = passThrough('narrow', { capabilities: { maxValueBytes }, wrap: () => ({}) })
  return compose(store, [layer])
}

/** Read each key once, so that it is cached. */
export async function readAll(kv: Run['kv'], keys: readonly string[]): Promise<void> {
  for (const key of keys) await kv.get(key)
}

/** What `filled` sets. */
export const letters = ['a', 'b', 'c', 'd', 'e']

/** A world whose source has these keys, and whose files are empty. */
export async function filled(keys: readonly string[] = letters) {
  const here = world()
  const { kv } = run(here, {}, { store: memory() })
  for (const key of keys) await kv.set(key, { key })
  return here
}
