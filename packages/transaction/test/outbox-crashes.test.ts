import { pause } from '@unikv/core/platform'
import { mulberry32, noteCounts } from '@unikv/test-kit'
import { expect, it } from 'vitest'
import { change, orderOf, type Shop, shop, until } from './outbox-world.ts'
import { endingAt, Process, type Shared, sharedMemory } from './world.ts'

const kills = Number(process.env['UNIKV_KILLS'] ?? 40)
const seed = Number(process.env['UNIKV_SEED'] ?? 1)
const worlds = 10
const keys = ['a', 'b', 'c', 'd', 'e', 'f']
const never = new Promise<never>(() => {})

/** The values that were handed on, by key. */
type Seen = ReadonlyMap<string, number[]>

function relayOf({ events }: Shop, process: Process, seen: Seen, random: () => number, leaseMs = 40) {
  const take = ({ key, value }: { readonly key: string | undefined; readonly value: unknown }) => {
    // A process that is gone has no effect.
    if (process.isGone) return never
    seen.get(key as string)?.push(value as number)
    return pause(random() < 0.8 ? 0 : 5)
  }
  return events.relay(take, { pollMs: 5, leaseMs, concurrency: 1 })
}

/** A process that publishes and hands on until it is gone, at a step. */
async function lives(shared: Shared, random: () => number, seen: Seen): Promise<void> {
  const process = new Process(endingAt(1 + Math.floor(random() * 80), random))
  const own = shop(shared, process, 2)
  const relay = relayOf(own, process, seen, random)
  const write = async (): Promise<void> => {
    while (!process.isGone) {
      const key = keys[Math.floor(random() * keys.length)] as string
      await change(own, key).catch(() => {})
    }
  }
  await Promise.race([write(), process.gone])
  void relay.stop()
  for (const arrive of process.late) void arrive()
}

/** Two processes at a time, each followed by another one when it is gone. */
async function killed(of: number): Promise<number> {
  const random = mulberry32(seed * 1000 + of)
  const shared = sharedMemory()
  const seen: Seen = new Map(keys.map((key) => [key, []]))
  const rounds = Math.ceil(kills / worlds / 2)
  const chain = async (): Promise<void> => {
    for (let i = 0; i < rounds; i++) await lives(shared, random, seen)
  }
  await Promise.all([chain(), chain()])
  const last = new Process()
  const own = shop(shared, last)
  const relay = relayOf(own, last, seen, random, 500)
  // No message is lost, and those of a key are never out of order; some are handed on twice.
  let published = 0
  for (const key of keys) {
    const value = (await own.orders.get(orderOf(key))) ?? 0
    const values = seen.get(key) as number[]
    await until(() => values.at(-1) === value || value === 0, 600_000)
    expect(values, `key ${key} of world ${of}, seed ${seed}`).toEqual(values.toSorted((a, b) => a - b))
    expect([...new Set(values)]).toEqual(Array.from({ length: value }, (_, i) => i + 1))
    published += value
  }
  const waiting = async (): Promise<number> => {
    let count = 0
    for await (const key of own.kv.keys()) if (key.startsWith('message')) count++
    return count
  }
  await until(async () => (await waiting()) === 0, 600_000)
  // What they have left stops no later transaction.
  await Promise.all(keys.map((key) => change(own, key, 5000)))
  await relay.stop()
  return published
}

it('no message is lost or out of order, at each step of its processes', {
  timeout: 3_600_000,
}, async () => {
  const published = await Promise.all(Array.from({ length: worlds }, (_, i) => killed(i)))
  const all = published.reduce((sum, count) => sum + count, 0)
  noteCounts({ kills, seed, published: all })
  expect(all).toBeGreaterThan(kills)
})
