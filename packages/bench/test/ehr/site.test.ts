import { type Bytes, compose, keyValue, passThrough, type Store, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import type { History } from '../../src/ehr/fill.ts'
import { bytesOf, dataIn, histories } from '../../src/ehr/histories.ts'
import { type Observation, observation } from '../../src/ehr/observation.ts'
import { moved, type Patient, patient } from '../../src/ehr/patient.ts'
import { Site, type SiteStores } from '../../src/ehr/site/site.ts'
import { portableRandom } from '../../src/random/random.ts'

const most = 20
const ids = ['patient1', 'patient2', 'patient3', 'patient10']
const unlisted = passThrough('unlisted', { capabilities: { scan: false }, wrap: () => ({}) })

type Write = Store<Bytes>['write']

/** A store that is cut at one record, counted from 1, of all that are written: before it takes effect, or after. */
function cut(store: Store<Bytes>, at: number, when: 'before' | 'after'): Store<Bytes> {
  let count = 0
  const write: Write = async (mutations, options) => {
    const left = at - count
    count += mutations.length
    if (left <= 0 || count < at) return store.write(mutations, options)
    const done = mutations.slice(0, when === 'before' ? left - 1 : left)
    if (done.length > 0) await store.write(done, options)
    throw new StoreError('UNAVAILABLE', 'the line is cut')
  }
  return Object.assign(Object.create(store) as Store<Bytes>, { write })
}

type Central = SiteStores['central']

/** Four patients with three observations each. */
async function filled(store: Store<Bytes>): Promise<Central> {
  const random = portableRandom(1)
  const central = keyValue(store) as Central
  const three = (id: string): Observation[] =>
    [1, 2, 3].map((day) => observation(random, id, Date.UTC(2025, 0, day)))
  await histories(central, most).load(
    ids.map((id) => ({ patient: patient(random, id), observations: three(id) })),
  )
  return central
}

/** A morning and a day at the site: each patient has two more observations, and two of them move. */
async function treated(site: Site): Promise<void> {
  const random = portableRandom(2)
  expect(await site.load(ids)).toBe(ids.length)
  for (const id of ids)
    for (const day of [1, 2]) await site.add(id, observation(random, id, Date.UTC(2026, 0, day)))
  for (const id of ids.slice(0, 2))
    await site.change(id, (before) => moved(random, before, Date.UTC(2026, 0, 2)))
}

async function charts(central: Central): Promise<readonly (History | undefined)[]> {
  return Promise.all(ids.map((id) => histories(central, most).chart(id, most)))
}

const layouts: readonly (readonly [string, (store: Store<Bytes>) => Store<Bytes>])[] = [
  ['a record for each observation', (store) => store],
  ['a list for each patient', (store) => compose(store, [unlisted])],
]

describe.each(layouts)('a center with %s', (_, open) => {
  test.each(['before', 'after'] as const)(
    'has all once, wherever a flush is cut %s a write, when another process repeats it',
    async (when) => {
      const wanted = await filled(open(memory()))
      const quiet = new Site({ local: keyValue(memory()), central: wanted, most })
      await treated(quiet)
      expect(await quiet.flush(await quiet.pending())).toEqual({ sent: 8, conflicts: [] })
      expect(await quiet.pending()).toEqual([])
      let cuts = 0
      for (let isCut = true; isCut; cuts++) {
        const [near, far] = [memory(), memory()]
        const central = await filled(open(far))
        const local = keyValue(near)
        const poor = keyValue(open(cut(far, cuts + 1, when))) as Central
        const site = new Site({ local, central: poor, most })
        await treated(site)
        isCut = await site.flush(await site.pending()).then(
          () => false,
          () => true,
        )
        const again = new Site({ local: keyValue(near), central, most })
        await again.flush(await again.pending())
        expect(await charts(central)).toEqual(await charts(wanted))
        expect(await again.pending()).toEqual([])
      }
      // Eight observations and two patients, and the flush that was not cut.
      expect(cuts).toBeGreaterThanOrEqual(11)
    },
  )
})

test('a patient who was changed in both stores is told, and each keeps its own', async () => {
  const central = await filled(memory())
  const local = keyValue(memory())
  const site = new Site({ local, central, most })
  await treated(site)
  const other = (value: Bytes | undefined) =>
    value && bytesOf(moved(portableRandom(3), dataIn<Patient>(value), Date.UTC(2026, 0, 3)))
  const kept = await central.update('patient1', other)
  for (const sent of [8, 0])
    expect(await site.flush(await site.pending())).toEqual({ sent, conflicts: ['patient1'] })
  // The next morning does not overwrite what was not flushed.
  await site.load(ids)
  expect(await central.get('patient1')).toEqual(kept)
  const [here, there] = await Promise.all(['patient1', 'patient2'].map((id) => site.chart(id, most)))
  const [first, second] = await charts(central)
  expect(here?.patient).not.toEqual(first?.patient)
  expect([here?.observations, there]).toEqual([first?.observations, second])
  // Who gives up the record of the site takes that of the center.
  await local.delete('patient1')
  await site.load(['patient1'])
  expect(await site.chart('patient1', most)).toEqual(first)
  expect(await site.pending()).toEqual([])
})

test('what is written while a flush is under way waits for the next one', async () => {
  const far = memory()
  const central = await filled(far)
  const late = observation(portableRandom(4), 'patient1', Date.UTC(2026, 0, 4))
  const local = keyValue(memory())
  const beside = new Site({ local, central, most })
  let isAdded = false
  const busy: Store<Bytes> = Object.assign(Object.create(far) as Store<Bytes>, {
    write: (async (...args) => {
      if (!isAdded) await beside.add('patient1', late)
      isAdded = true
      return far.write(...args)
    }) satisfies Write,
  })
  const site = new Site({ local, central: keyValue(busy) as Central, most })
  await treated(site)
  await site.flush(['patient1'])
  while ((await site.pending()).length > 0) await site.flush(await site.pending())
  const [first] = await charts(central)
  expect(first?.observations[0]).toEqual(late)
  expect(first?.observations.length).toBe(6)
})

test('patients whom the center does not have are not loaded, and changes of them are refused', async () => {
  const central = await filled(memory())
  const site = new Site({ local: keyValue(memory()), central, most })
  expect(await site.load(['patient1', 'patient7'])).toBe(1)
  const one = observation(portableRandom(5), 'patient7', 0)
  expect([await site.chart('patient7', most), await site.add('patient7', one)]).toEqual([undefined, false])
  const poor = keyValue(compose(memory(), [unlisted]))
  expect(() => new Site({ local: poor, central, most })).toThrow('lists its keys and has conditional writes')
})
