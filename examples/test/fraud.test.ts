import { loadavg } from 'node:os'
import { noteCounts } from '@unikv/test-kit'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import type { Database } from '../fraud/database.ts'
import { List } from '../fraud/lists.ts'
import { inMariadb } from '../fraud/native/mariadb.ts'
import { inMongodb } from '../fraud/native/mongodb.ts'
import { inPostgres } from '../fraud/native/postgres.ts'
import { type FraudResult, type FraudSize, newRule } from './fraud-run.ts'

/** `npm run prove -- fraud` sets it. */
const large = process.env['UNIKV_RECORDS']
const seed = Number(process.env['UNIKV_SEED'] ?? 1)
const timeout = large === undefined ? 300_000 : 3_600_000
const name = `payments_${process.pid}`

/** The short form: the order of events, and that the index is used. */
const short = { seed, everyMs: 400, measureMs: 1000, thinkMs: 4000 } as const
const long = {
  seed,
  again: 2000,
  perSecond: 200,
  mostAtOnce: 8,
  everyMs: 5000,
  measureMs: 30_000,
  thinkMs: 15_000,
} as const

/**
 * @param shortSize so many records are read slowly without an index
 * @param share of the records and the rate of the long form
 */
function findsTheIndex(
  database: () => Database,
  shortSize: Pick<FraudSize, 'records' | 'perSecond' | 'mostAtOnce' | 'again'>,
  share = 1,
): void {
  test('a new rule on an attribute without an index', { timeout }, async ({ expect, task }) => {
    const longSize = { ...long, records: Number(large) * share, perSecond: long.perSecond * share }
    const size: FraudSize = large === undefined ? { ...short, ...shortSize } : longSize
    const result = await newRule(database(), size)
    const { steps, again, before, after, best, plans, effectiveAfterMs } = result
    report(task.suite?.name, result, size)
    expect(steps).toEqual(['proposed', 'approved', 'begun', 'checking', 'kept'])
    expect(plans[0]).not.toMatch(/unikv_tune/)
    expect(plans[1]).toMatch(/unikv_tune/)
    if (large === undefined) expect(best).toBeLessThan(before.p50)
    else expect.soft(before.p50 / after.p50).toBeGreaterThan(100)
    expect(again.payments).toBe(size.again)
    expect(again.broken.get('device') ?? 0).toBe(again.expected)
    expect(again.expected).toBeGreaterThan(0)
    if (large === undefined) return
    expect(before.p50 / after.p50).toBeGreaterThan(100)
    expect(again.perMinute).toBeGreaterThan(10_000)
    expect.soft(effectiveAfterMs).toBeLessThan(9000)
    expect.soft(after.p999).toBeLessThan(10)
    expect.soft(after.refused).toBe(0)
  })
}

function report(title: string | undefined, result: FraudResult, size: FraudSize): void {
  const broken = Object.fromEntries(result.again.broken)
  noteCounts({ title, ...size, ...result, plans: undefined, broken, load: loadavg() })
}

// One after the other: beside the load of another database a good index may be judged harmful.
describe('every database', () => {
  const tens = { perSecond: 50, mostAtOnce: 4, again: 200 }
  describeWith('postgres', (url) => findsTheIndex(() => inPostgres(url, name), { records: 60_000, ...tens }))
  // One store proves the kind; the others take their time.
  if (!isWhole && large === undefined) return
  describeWith('mariadb', (url) => findsTheIndex(() => inMariadb(url, name), { records: 30_000, ...tens }))
  const few = { records: 5000, perSecond: 10, mostAtOnce: 2, again: 50 }
  // The server of the tests, which is not MongoDB itself, reads 50 documents in a millisecond and answers some 200 queries a second.
  describeWith('mongodb', (url) => findsTheIndex(() => inMongodb(url, name), few, 0.05))
})

test('lists of cards, countries and ranges of addresses', () => {
  const list = new List({
    cards: ['card-7'],
    countries: ['XX'],
    addresses: [
      ['10.9.0.0', '10.9.0.255'],
      ['10.0.0.5', '10.0.1.0'],
    ],
  })
  const payment = { card: 'card-1', ip: '10.5.0.0', device: 'device-1', country: 'BE', cents: 1, at: 0 }
  const has = (changed: object): boolean => list.has({ ...payment, ...changed })
  expect(has({})).toBe(false)
  expect([has({ card: 'card-7' }), has({ country: 'XX' })]).toEqual([true, true])
  const addresses = ['10.0.0.4', '10.0.0.5', '10.0.0.200', '10.0.1.0', '10.0.1.1', '10.9.0.255', '10.9.1.0']
  expect(addresses.map((ip) => has({ ip }))).toEqual([false, true, true, true, false, true, false])
})
