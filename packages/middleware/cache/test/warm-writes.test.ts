import { type Bytes, compose, json, keyValue, passThrough, type Store } from '@unikv/core'
import type { MemoryStore } from '@unikv/core/memory'
import { Random } from '@unikv/test-kit/schedules'
import { expect, test } from 'vitest'
import { cache } from '../src/index.ts'
import { turn } from './gated-store.ts'
import { narrow, readAll, run, type World, world } from './warm-setting.ts'

const schedules = Number(process.env['UNIKV_SCHEDULES'] ?? 60)
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)
const keys = Array.from({ length: 12 }, (_, i) => `k${i}`)

/** Calls that take a few turns before they have an effect, and after it. */
function slow(inner: Store<Bytes>, chance: Random, turns: number): Store<Bytes> {
  const wait = async () => {
    for (let left = chance.below(turns); left > 0; left--) await turn()
  }
  const layer = passThrough('slow', {
    capabilities: { sync: 'none' },
    wrap: (store) => ({
      read: async (reads, call) => {
        await wait()
        const found = await store.read(reads, call)
        await wait()
        return found
      },
      write: async (mutations, call) => {
        await wait()
        const results = await store.write(mutations, call)
        await wait()
        return results
      },
    }),
  })
  return compose(inner, [layer])
}

/** A world in which value 0 of each key is saved as fresh, and others have written value 1 since, or removed it. */
async function overtaken(): Promise<World> {
  const here = world()
  const first = run(here, { freshForMs: 1e9 }, { store: narrow(here.files, 1_024) })
  for (const key of keys) await first.kv.set(key, [0, 'x'.repeat(200)])
  await readAll(first.kv, keys)
  await first.kv.close()
  const others = keyValue(here.source, [json()])
  for (const [i, key] of keys.entries()) await (i % 2 === 0 ? others.delete(key) : others.set(key, [1]))
  return here
}

interface Seen {
  readonly wrong: string[]
  /** Reads that were answered from what was saved, and entries that were loaded back. */
  warm: number
  loaded: number
}

async function runSchedule(seed: number, seen: Seen): Promise<void> {
  const chance = new Random(seed)
  const here = await overtaken()
  const near = cache({
    freshForMs: 1e9,
    clock: () => here.wall,
    monotonicClock: () => 0,
    warm: {
      store: slow(narrow(here.files, 1_024), chance, 6),
      resume: 'fresh',
      maxAgeMs: 1e9,
      uptime: async () => undefined,
    },
  })
  const stack = compose(slow(here.source as Store<unknown> as Store<Bytes>, chance, 4), [
    near,
    json(),
  ]) as never
  const kv = keyValue(stack as Store<readonly unknown[], MemoryStore['capabilities']>)
  /** What each key is at least, for reads that begin now. */
  const least = new Map<string, number>()
  const know = (key: string, value: number) => least.set(key, Math.max(value, least.get(key) ?? 0))
  let next = 2
  const work = async () => {
    for (let step = 0; step < 6; step++) {
      for (let left = chance.below(8); left > 0; left--) await turn()
      // Loading takes a thread's time, too: on a busy machine all would be done before it.
      if (chance.chance(0.1)) await near.loaded()
      const key = chance.pick(keys)
      if (chance.chance(0.3)) {
        const value = next++
        await kv.set(key, [value])
        know(key, value)
      } else if (chance.chance(0.02)) near.clear()
      else {
        const atLeast = least.get(key) ?? 0
        const consistency = chance.chance(0.1) ? 'strong' : undefined
        const found = chance.chance(0.2)
          ? (await kv.getMany([key], { consistency }))[0]
          : await kv.get(key, { consistency })
        const value = (found?.[0] ?? 1) as number
        if (value < atLeast) seen.wrong.push(`seed ${seed}: ${key} was ${atLeast}, then ${value}`)
        if (value === 0) seen.warm++
        know(key, value)
      }
    }
  }
  await Promise.all([work(), work(), work(), work()])
  await near.loaded()
  seen.loaded += near.stats().warm?.loaded ?? 0
  for (const key of keys) {
    const value = ((await kv.get(key))?.[0] ?? 1) as number
    if (value < (least.get(key) ?? 0)) seen.wrong.push(`seed ${seed}, at rest: ${key} is ${value}`)
  }
  await kv.close()
}

test('nothing that is loaded back is older than what was written or read since the start', async () => {
  const seen: Seen = { wrong: [], warm: 0, loaded: 0 }
  for (let seed = firstSeed; seed < firstSeed + schedules; seed++) await runSchedule(seed, seen)
  if (process.env['UNIKV_SCHEDULES'] !== undefined)
    console.log(JSON.stringify({ schedules, firstSeed, ...seen, wrong: seen.wrong.length }))
  expect(seen.wrong.slice(0, 5)).toEqual([])
  expect(seen.loaded).toBeGreaterThan(schedules)
  expect(seen.warm).toBeGreaterThan(schedules / 10)
}, 600_000)
