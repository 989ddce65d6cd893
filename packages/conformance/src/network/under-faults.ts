import { setTimeout as pause } from 'node:timers/promises'
import type { Deed } from './deeds.ts'
import type { Accident } from './faults.ts'
import { afterMs } from './lost-replies.ts'
import type { NetworkFixture } from './network-fixture.ts'
import { told } from './outcome.ts'
import { type Reading, reads } from './reads.ts'
import { checkTruth, prepared, start } from './work.ts'

/** Long enough to be sent, short enough for a suite. */
export const shortMs = 250

/** Which operations concern the store. */
export interface Operations {
  readonly deeds: readonly Deed[]
  readonly readings: readonly Reading[]
}

/**
 * Every operation at the same time under one fault: each ends in time, what it tells is true when the fault is over,
 * and the store works again soon.
 */
export async function callUnder(t: NetworkFixture, all: Operations, accident: Accident): Promise<void> {
  for (let round = 0; round < t.rounds; round++) await oneRound(t, all, accident)
  t.watch.check()
}

const longPauseMs = 30_000

/** A pause in which drivers lose patience: calls go on ending in time, and when it is over the store is found again. */
export async function pauseLong(t: NetworkFixture): Promise<void> {
  const key = t.key('long pause')
  const settings = { timeoutMs: shortMs }
  await t.recovered([key])
  t.proxy.inject({ kind: 'hold', side: 'both' })
  const resumeAt = performance.now() + longPauseMs
  while (performance.now() < resumeAt) {
    await Promise.all([
      t.watch.time(shortMs, () => reads(() => t.kv.get(key, settings))),
      t.watch.time(shortMs, () => told(() => t.kv.set(t.key('in the pause'), t.value(2), settings))),
    ])
  }
  t.proxy.pass()
  await t.recovered([key])
  t.watch.check()
}

async function oneRound(
  t: NetworkFixture,
  { deeds, readings }: Operations,
  accident: Accident,
): Promise<void> {
  const works = await Promise.all(deeds.map((deed) => prepared(t, deed)))
  const readKeys = [t.key('read'), t.key('read'), t.key('read')]
  for (const key of readKeys) await t.direct.set(key, t.value(1))
  await t.recovered()
  accident.inject(t.proxy)
  const short = { ...t, settings: { timeoutMs: shortMs } }
  const [outcomes] = await Promise.all([
    Promise.all(works.map((work) => t.watch.time(shortMs, () => start(short, work)))),
    ...readings.map(({ run }) => t.watch.time(shortMs, () => reads(() => run(short, readKeys)))),
  ])
  t.proxy.pass()
  await t.recovered()
  await pause(afterMs)
  for (const [i, work] of works.entries()) await checkTruth(t, work, outcomes[i] ?? [])
  await t.recovered(works.flatMap(({ keys }) => keys))
}
