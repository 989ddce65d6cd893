import { type Bytes, compose, type KeyValue, keyValue, passThrough, supports } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { ehr } from '../../src/ehr/ehr.ts'
import { histories } from '../../src/ehr/histories.ts'
import { type Observation, observation } from '../../src/ehr/observation.ts'
import { entityHistories } from '../../src/ehr/style.ts'
import { portableRandom } from '../../src/random/random.ts'

const unlisted = passThrough('unlisted', { capabilities: { scan: false }, wrap: () => ({}) })
type Open = () => KeyValue<string, Bytes>
type Style = readonly [name: string, open: Open, over: typeof histories, style: 'key-value' | 'entities']
const styles: readonly Style[] = [
  ['a record for each observation', () => keyValue(memory()), histories, 'key-value'],
  [
    'a list for each patient',
    () => keyValue(compose(memory(), [unlisted])) as KeyValue<string, Bytes>,
    histories,
    'key-value',
  ],
  ['a group of entities for each patient', () => keyValue(memory()), entityHistories, 'entities'],
]

const keyOf = (i: number): string => `patient${i}`
const place = (kv: KeyValue<string, Bytes>, records: number) => ({
  store: 'here',
  kv,
  keyOf,
  records,
  firstRecord: 0,
  signal: new AbortController().signal,
})

describe.each(styles)('%s', (name, open, over, style) => {
  test('gives the five most recent observations, the newest first', async () => {
    const kv = open()
    expect(supports(kv, 'orderedScan')).toBe(!name.startsWith('a list'))
    const kept = over(kv)
    const random = portableRandom(1)
    const all: Observation[] = []
    for (let i = 0; i < 30; i++) {
      const one = observation(random, 'patient1', Date.UTC(2025, 0, 1) + Math.floor(random.next() * 1e10))
      await kept.add('patient1', one)
      await kept.add('patient10', one)
      all.push(one)
      const newest = all
        .toSorted((a, b) => b.effectiveDateTime.localeCompare(a.effectiveDateTime))
        .slice(0, 5)
      expect(await kept.recent('patient1', 5)).toEqual(newest)
    }
    expect(await kept.recent('patient2', 5)).toEqual([])
  })

  test('begins with 0 to 20 observations of each patient, the same for the same seed', async () => {
    const [one, same, other] = [open(), open(), open()]
    const patients = 150
    const counts = async (kv: KeyValue<string, Bytes>, seed: number): Promise<readonly number[]> => {
      await ehr({ patients, seed, style }).setup?.(place(kv, patients))
      const all = Array.from({ length: patients }, (_, i) => over(kv).recent(keyOf(i), 100))
      return (await Promise.all(all)).map(({ length }) => length)
    }
    const found = await counts(one, 1)
    expect(await counts(same, 1)).toEqual(found)
    expect(await counts(other, 2)).not.toEqual(found)
    expect([Math.min(...found), Math.max(...found)]).toEqual([0, 20])
    // Each count is as likely: the mean of 150 is within four standard errors (6.06 / √150) of 10.
    expect(Math.abs(found.reduce((sum, count) => sum + count, 0) / patients - 10)).toBeLessThan(1.98)
  })
})

test('an observation has the size of real ones', () => {
  const random = portableRandom(3)
  const sizes = Array.from(
    { length: 500 },
    () => JSON.stringify(observation(random, 'patient6284781860667377211', 0)).length,
  )
  expect(Math.min(...sizes)).toBeGreaterThan(600)
  expect(Math.max(...sizes)).toBeLessThan(1_000)
})

test.each([
  [{ patients: 0 }, '`patients` of ehr() must be a whole number'],
  [{ mostObservations: 1.5 }, '`mostObservations` of ehr() must be'],
  [{ reads: 101 }, '`reads` of ehr() must be from 0 to 100'],
  [{ seed: -1 }, '`seed` of ehr()'],
  [{ style: 'sql' }, "`style` of ehr() must be 'key-value', 'entities' or 'native', got sql."],
  [{ database: 'a; DROP' }, '`database` of ehr() must have letters'],
  [{ patient: 5 }, '`patient`'],
  [null, 'null'],
])('%j is refused', (options, words) => {
  expect(() => ehr(options as never)).toThrow(words)
})
