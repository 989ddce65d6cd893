import { keyValue, newVersion } from '@unikv/core'
import { copyNotice, within } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { beforeEach, expect, test } from 'vitest'
import { TunerLog } from '../src/index.ts'
import { Copies } from '../src/run/copies.ts'

const store = memory()
const log = new TunerLog(keyValue(memory()))
let now = 1e12
const place = { name: 'users', kind: 'memory', table: 'users', kv: keyValue(store), manager: {} }
const placeOf = (name: string) => (name === 'users' ? (place as never) : undefined)
const copies = new Copies({ placeOf, clock: () => now, by: 'web-1', log })

/** A copy tells that it goes on. */
const renewed = () =>
  store.write(
    [{ type: 'set', key: copyNotice.key, value: Buffer.from(newVersion()), version: newVersion() }],
    within(1000),
  )
const pauses = async () => (await log.pauses.now()).map(({ store: name, by }) => [name, by])

beforeEach(async () => void (await log.pauses.end()))

test('a store is paused as long as a copy renews its notice, and not by one that was killed', async () => {
  await copies.look(['users', 'carts', 'users'])
  expect(await pauses()).toEqual([])
  for (let i = 0; i < 3; i += 1) {
    await renewed()
    now += 60_000
    await copies.look(['users', 'carts'])
    expect(await pauses()).toEqual([['users', 'web-1']])
    await log.pauses.end()
  }
  now += copyNotice.patienceMs - 1
  await copies.look(['users'])
  expect(await pauses()).toEqual([['users', 'web-1']])
  await log.pauses.end()
  now += 1
  await copies.look(['users'])
  expect(await pauses()).toEqual([])
})

test.each(['users', null])('a longer pause of the owner (%s) is left as it is', async (paused) => {
  const fromAt = Date.now()
  await log.pauses.begin({ store: paused, fromAt, untilAt: fromAt + 3_600_000, by: 'ada', why: 'repair' })
  await renewed()
  await copies.look(['users'])
  expect(await pauses()).toEqual([[paused, 'ada']])
})

test('a store that cannot be read is not paused, and keeps no other from it', async () => {
  const broken = { ...place, kv: {} }
  const some = new Copies({
    placeOf: (name) => (name === 'users' ? place : broken) as never,
    clock: () => now,
    by: 'web-1',
    log,
  })
  await renewed()
  await some.look(['carts', 'users'])
  expect(await pauses()).toEqual([['users', 'web-1']])
})
