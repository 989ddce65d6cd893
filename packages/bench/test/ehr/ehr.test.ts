import { type Bytes, compose, type KeyValue, keyValue, passThrough, supports } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { ehr } from '../../src/ehr/ehr.ts'
import { histories } from '../../src/ehr/histories.ts'
import { type Observation, observation } from '../../src/ehr/observation.ts'
import { moved, type Patient, patient } from '../../src/ehr/patient.ts'
import { entityHistories } from '../../src/ehr/style.ts'
import { portableRandom } from '../../src/random/random.ts'

const unlisted = passThrough('unlisted', { capabilities: { scan: false }, wrap: () => ({}) })
interface Telecom {
  readonly system: string
}

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

/** Whether an observation refers to a patient. */
function isOf(one: Observation, subject: Patient | undefined): boolean {
  return (one as { subject?: { reference: string } }).subject?.reference === `Patient/${subject?.id}`
}

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
    const kept = over(kv, 20)
    const random = portableRandom(1)
    const all: Observation[] = []
    const [one, ten] = ['patient1', 'patient10'].map((id) => patient(random, id)) as [Patient, Patient]
    await kept.load([one, ten].map((each) => ({ patient: each, observations: [] })))
    expect(await kept.chart('patient1', 20)).toEqual({ patient: one, observations: [] })
    for (let i = 0; i < 30; i++) {
      const next = observation(random, 'patient1', Date.UTC(2025, 0, 1) + Math.floor(random.next() * 1e10))
      await kept.add('patient1', next)
      await kept.add('patient10', next)
      all.push(next)
      const newest = all
        .toSorted((a, b) => b.effectiveDateTime.localeCompare(a.effectiveDateTime))
        .slice(0, 5)
      expect(await kept.recent('patient1', 5)).toEqual(newest)
    }
    expect(await kept.recent('patient2', 5)).toEqual([])
    expect(await kept.chart('patient2', 20)).toBeUndefined()
    // All twenty that a list keeps, and the patient.
    const observations = all
      .toSorted((a, b) => b.effectiveDateTime.localeCompare(a.effectiveDateTime))
      .slice(0, 20)
    expect(await kept.chart('patient1', 20)).toEqual({ patient: one, observations })
    expect((await kept.chart('patient10', 20))?.patient).toEqual(ten)
  })

  test('begins with 0 to 20 observations of each patient, the same for the same seed', async () => {
    const [one, same, other] = [open(), open(), open()]
    const patients = 150
    const counts = async (kv: KeyValue<string, Bytes>, seed: number): Promise<readonly number[]> => {
      await ehr({ patients, seed, style }).setup?.(place(kv, patients))
      const all = Array.from({ length: patients }, (_, i) => over(kv, 20).chart(keyOf(i), 20))
      return (await Promise.all(all)).map((chart, i) => {
        const { observations = [] } = chart ?? {}
        expect(chart?.patient.id).toBe(keyOf(i))
        expect(observations.every((each) => isOf(each, chart?.patient))).toBe(true)
        return observations.length
      })
    }
    const found = await counts(one, 1)
    expect(await counts(same, 1)).toEqual(found)
    expect(await counts(other, 2)).not.toEqual(found)
    expect([Math.min(...found), Math.max(...found)]).toEqual([0, 20])
    // Each count is as likely: the mean of 150 is within four standard errors (6.06 / √150) of 10.
    expect(Math.abs(found.reduce((sum, count) => sum + count, 0) / patients - 10)).toBeLessThan(1.98)
  })
})

test('a patient has one to three addresses and telephone numbers, the home first; who moves keeps the former one as old', () => {
  const random = portableRandom(5)
  const all = Array.from({ length: 300 }, (_, i) => patient(random, `patient${i}`))
  const phones = all.map(({ telecom }) => telecom.filter((one) => (one as Telecom).system === 'phone').length)
  for (const counts of [phones, all.map(({ address }) => address.length)])
    expect([...new Set(counts)].toSorted((a, b) => a - b)).toEqual([1, 2, 3])
  expect(all.every(({ address }) => address[0]?.use === 'home')).toBe(true)
  const sizes = all.map((one) => JSON.stringify(one).length)
  expect(Math.min(...sizes)).toBeGreaterThan(900)
  expect(Math.max(...sizes)).toBeLessThan(2_000)
  const [before] = all as [Patient]
  const { address, ...others } = moved(random, before, Date.UTC(2026, 5, 1))
  const { address: former, ...same } = before
  expect(others).toEqual(same)
  expect(address[0]).toMatchObject({ use: 'home', period: { start: '2026-06-01' } })
  expect(address[1]).toEqual({
    ...former[0],
    use: 'old',
    period: { ...former[0]?.period, end: '2026-06-01' },
  })
  expect(address.slice(2)).toEqual(former.slice(1))
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
  [{ style: 'sql' }, "`style` of ehr() must be 'key-value' or 'entities' or 'native', or left out"],
  [{ database: 'a; DROP' }, '`database` of ehr() must have letters'],
  [{ patient: 5 }, '`patient`'],
  [{ site: {} }, '`site.central` of ehr() must be the URL'],
  [{ site: { central: 'memory:', appointments: 0 } }, '`site.appointments` of ehr() must be'],
  [{ site: { central: 'memory:' }, style: 'native' }, "must be 'key-value' with `site`, got native"],
  [{ site: { center: 'memory:' } }, '`center`'],
  [null, 'null'],
])('%j is refused', (options, words) => {
  expect(() => ehr(options as never)).toThrow(words)
})
