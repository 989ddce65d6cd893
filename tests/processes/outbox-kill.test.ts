import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { noteCounts } from '@unikv/test-kit'
import { describeWith, someOf } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShop, type ShopPlaces, tellingRelay } from './fixtures/outbox-process.ts'
import { bundle, killed, numbers } from './killed-writer.ts'

const kills = Number(process.env['UNIKV_KILLS'] ?? 2)
const seed = Number(process.env['UNIKV_SEED'] ?? 1)
const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

let script = ''

beforeAll(async () => {
  // Beside the tests, as drivers are not bundled.
  script = fileURLToPath(new URL(`../../node_modules/.outbox-writer-${process.pid}.mjs`, import.meta.url))
  await bundle(new URL('fixtures/outbox-writer.ts', import.meta.url), script, [
    'lmdb',
    'ioredis',
    'pg',
    'redis',
  ])
})
afterAll(() => rm(script, { force: true }))

/** A message that began, or a change that was committed. */
interface Told {
  readonly what: string
  readonly at: bigint
  readonly key: string
  readonly value: number
}

function toldIn(line: string): Told {
  const [what = '', at = '', key = '', value] = line.split(' ')
  return { what, at: BigInt(at), key, value: Number(value) }
}

async function expectKept(places: ShopPlaces): Promise<void> {
  const name = `outbox${seed}x${process.pid}`
  const next = numbers(seed)
  const told: Told[] = []
  for (let count = 0; count < kills; count += 2) {
    const lives = [1, 2].map((life) => {
      const wanted = 5 + next(60)
      const command = [script, JSON.stringify(places), name, String(count + life), ...keys]
      return killed(command, (lines) => lines.length >= wanted, next(20))
    })
    for (const lines of await Promise.all(lives)) told.push(...lines.map(toldIn))
  }
  const shop = openShop(places, name)
  const relay = tellingRelay(shop, (key, value) =>
    told.push({ what: 'sent', at: process.hrtime.bigint(), key, value }),
  )
  let published = 0
  for (const key of keys) {
    const value = (await shop.orders.get(key)) ?? 0
    await expect.poll(() => sentOf(told, key).includes(value) || value === 0, { timeout: 60_000 }).toBe(true)
    const sent = sentOf(told, key)
    // None is lost, none is handed on after a later one, and what was told committed is there.
    expect(sent, `key ${key} after ${kills} kills of seed ${seed}`).toEqual(sent.toSorted((a, b) => a - b))
    expect([...new Set(sent)]).toEqual(Array.from({ length: value }, (_, i) => i + 1))
    const committed = told.filter((one) => one.what === 'committed' && one.key === key)
    expect(Math.max(0, ...committed.map((one) => one.value))).toBeLessThanOrEqual(value)
    published += value
  }
  await relay.stop()
  await shop.close()
  const twice = told.filter(({ what }) => what === 'sent').length - published
  noteCounts({ store: Object.keys(places).join(' '), kills, seed, published, twice })
  expect(published).toBeGreaterThan(kills)
}

/** The values of a key in the order in which their messages began. */
function sentOf(told: readonly Told[], key: string): readonly number[] {
  return told
    .filter((one) => one.what === 'sent' && one.key === key)
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ value }) => value)
}

const timeout = 3_600_000

describeWith('redis', (redis) => {
  describeWith('postgres', (postgres) => {
    test.each(someOf(1, ['postgres', 'lmdb'] as const))(
      'no kill loses a message, or its order: orders in %s, messages in Redis',
      { timeout },
      async (orders) => {
        if (orders === 'postgres') return expectKept({ redis, postgres })
        const lmdb = await mkdtemp(join(tmpdir(), 'unikv-outbox-'))
        await expectKept({ redis, lmdb })
        await rm(lmdb, { recursive: true, force: true })
        return undefined
      },
    )
  })
})
