import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { json, keyValue } from '@unikv/core'
import { lmdb } from '@unikv/lmdb'
import { postgres } from '@unikv/postgres'
import { sqlite } from '@unikv/sqlite'
import { noteCounts } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { Pool } from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { type CellStore, PositionsByCells } from '../positions/by-cells.ts'
import { cellKey, cellsAround, geohash } from '../positions/geohash.ts'
import { positionsInPostgres } from '../positions/in-postgres.ts'
import { Flights } from '../positions/made-up.ts'
import { kmBetween, type Place, type Position } from '../positions/sphere.ts'
import type { Tracker } from '../positions/tracker.ts'
import { flightsMove } from './positions-run.ts'

/** `npm run prove -- positions` sets it. */
const large = process.env['UNIKV_RECORDS']
const seed = Number(process.env['UNIKV_SEED'] ?? 1)
const count = Number(large ?? 1000)
const size =
  large === undefined
    ? { movesPerSecond: 300, asksPerSecond: [20], spanMs: 750 }
    : { movesPerSecond: 10_000, asksPerSecond: [10, 50, 100, 200, 400, 800], spanMs: 8000 }

/** Up to so many answers a second are promised; what more do is only told. */
const promised = 50

const name = `positions_${process.pid}`
const folder = await mkdtemp(join(tmpdir(), 'unikv-positions-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const codecs = { keys: cellKey() }

function finds(open: () => Promise<Tracker>): void {
  test('what is near while everything moves', async () => {
    const tracker = await open()
    const result = await flightsMove(tracker, new Flights(seed, count), size)
    await tracker.close()
    const { currentTestName: title } = expect.getState()
    noteCounts({ title, seed, count, ...size, ...result, load: loadavg() })
    expect([result.wrong, result.different]).toEqual([0, 0])
    if (large === undefined) return
    for (const [i, asks] of result.asks.entries()) {
      if ((size.asksPerSecond[i] as number) > promised) break
      expect.soft(asks.p99, `answers at ${size.asksPerSecond[i]} a second`).toBeLessThan(1000)
      expect.soft(result.moves[i]?.perSecond).toBeGreaterThan(9900)
    }
  })
}

describe('by cells', () => {
  const opened = (store: unknown): Promise<Tracker> => PositionsByCells.open(store as CellStore)

  describe('on lmdb', () => {
    finds(() =>
      opened(
        keyValue(lmdb({ path: join(folder, 'lmdb'), durability: 'buffered' }), [json<Position>()], codecs),
      ),
    )
  })
  describe('on sqlite', () => {
    finds(() => opened(keyValue(sqlite({ path: join(folder, 'flights.db') }), [json<Position>()], codecs)))
  })
  describeWith('postgres', (url) => {
    afterAll(() => dropped(url, name))
    finds(() => opened(keyValue(postgres({ url, table: name, prepare: true }), [json<Position>()], codecs)))
  })
})

describe('by an index for places', () => {
  describeWith('postgres', (url) => {
    afterAll(() => dropped(url, `${name}_native`))
    finds(() => positionsInPostgres(url, `${name}_native`))
  })
})

async function dropped(url: string, table: string): Promise<void> {
  const pool = new Pool({ connectionString: url })
  await pool.query(`DROP TABLE IF EXISTS ${table}`)
  await pool.end()
}

test('a geohash as others compute it', () => {
  expect(geohash({ lat: 57.64911, lon: 10.40744 }, 11)).toBe('u4pruydqqvj')
  expect(geohash({ lat: -25.382708, lon: -49.265506 }, 8)).toBe('6gkzwgjz')
})

test.each([
  [{ lat: 51, lon: 4 }, 100],
  [{ lat: -33, lon: 179.9 }, 100],
  [{ lat: 89.9, lon: 10 }, 100],
  [{ lat: 0, lon: -180 }, 5],
] as [Place, number][])('cells around %o cover %d km', (place, km) => {
  const cells = cellsAround(place, km)
  expect(cells.length).toBeLessThanOrEqual(32)
  for (const { lat, lon } of circle(place, km))
    expect(cells.some((cell) => geohash({ lat, lon }, cell.length) === cell)).toBe(true)
})

/** Places at most so far away, in all directions. */
function circle(place: Place, km: number): readonly Place[] {
  const found: Place[] = []
  for (let i = 0; i < 20_000; i++) {
    const lat = Math.max(-90, Math.min(90, place.lat + (((i * 7919) % 2000) / 1000 - 1)))
    const lon = ((place.lon + ((i * 104_729) % 360_000) / 1000 + 540) % 360) - 180
    if (kmBetween(place, { lat, lon }) <= km) found.push({ lat, lon })
  }
  return found
}
