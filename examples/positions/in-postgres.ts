// The native way: PostgreSQL with `earthdistance`, which comes with it, and an index of its own kind for places (GiST).
import { Pool } from 'pg'
import { earthKm, nearestOf, type Place, type Position } from './sphere.ts'
import { Gatherer, type Limits, type Tracker } from './tracker.ts'

/** Places are points of a sphere in space. `earth()` is its radius in metres, a little larger than ours. */
const here = 'll_to_earth(lat, lon)'
const asked = 'll_to_earth($1, $2)'

/** Positions in a table. The extensions are made in the database where they are missing. */
export async function positionsInPostgres(url: string, table: string): Promise<Tracker> {
  const pool = new Pool({ connectionString: url, max: 10 })
  await pool.query('CREATE EXTENSION IF NOT EXISTS cube')
  await pool.query('CREATE EXTENSION IF NOT EXISTS earthdistance')
  await pool.query(
    `CREATE TABLE IF NOT EXISTS ${table} (id TEXT PRIMARY KEY, lat FLOAT8, lon FLOAT8, at INT8)`,
  )
  await pool.query(`CREATE INDEX IF NOT EXISTS ${table}_place ON ${table} USING gist (${here})`)
  const gatherer = new Gatherer((positions) => pool.query(writeSql(table), columnsOf(positions)))
  return {
    move: (position) => gatherer.move(position),
    async nearest(place, limits) {
      const { rows } = await pool.query<Position>(nearestSql(table), valuesOf(place, limits))
      return nearestOf(rows, place, limits)
    },
    close: () => pool.end(),
  }
}

function writeSql(table: string): string {
  return `INSERT INTO ${table} SELECT * FROM unnest($1::text[], $2::float8[], $3::float8[], $4::int8[])
    ON CONFLICT (id) DO UPDATE SET lat = excluded.lat, lon = excluded.lon, at = excluded.at`
}

function columnsOf(positions: readonly Position[]): unknown[][] {
  return (['id', 'lat', 'lon', 'at'] as const).map((name) => positions.map((position) => position[name]))
}

function nearestSql(table: string): string {
  return `SELECT id, lat, lon, at::float8 AS at FROM ${table} WHERE earth_box(${asked}, $3 * earth()) @> ${here}
    ORDER BY ${here} <-> ${asked} LIMIT $4`
}

function valuesOf({ lat, lon }: Place, { most, withinKm }: Limits): unknown[] {
  return [lat, lon, withinKm / earthKm, most]
}
