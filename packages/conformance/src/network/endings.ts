import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { within } from '../within.ts'
import type { NetworkFixture } from './network-fixture.ts'
import { type Told, told } from './outcome.ts'
import { reads } from './reads.ts'
import { type Operations, shortMs } from './under-faults.ts'
import { checkTruth, prepared, start } from './work.ts'

const graceMs = 300
/** How long a store may take to say goodbye to a server that does not answer. */
const goodbyeMs = 2_000
/** More writes than most stores have connections: some wait for one when the store is closed. */
const manyWrites = 80

/** A call whose deadline comes before the store is connected. */
export async function callBeforeConnected(t: NetworkFixture, { deeds }: Operations): Promise<void> {
  const [deed] = deeds
  if (deed === undefined) return
  for (const kind of ['blackHole', 'pause'] as const) {
    const kv = await t.another()
    const work = await prepared(t, deed)
    t.proxy.inject(kind === 'pause' ? { kind: 'hold', side: 'both' } : { kind: 'blackHole' })
    const short = { ...t, kv, settings: { timeoutMs: shortMs } }
    const [outcomes] = await Promise.all([
      t.watch.time(shortMs, () => start(short, work)),
      t.watch.time(shortMs, () => reads(() => kv.get(work.keys[0] as string, short.settings))),
    ])
    t.proxy.pass()
    await t.recovered()
    await checkTruth(t, work, outcomes)
    await until(t.patienceMs, 'a store whose first connection failed connects again', () =>
      reads(() => kv.get(work.keys[0] as string, { timeoutMs: t.patienceMs })),
    )
    await kv.close()
  }
  t.watch.check()
}

/** Close while nothing is answered: what waits is told, and never sent; the connections go, and close ends. */
export async function closeUnder(t: NetworkFixture, fault: 'blackHole' | 'pause'): Promise<void> {
  const keys = Array.from({ length: 5 }, (_, i) => t.key(`closing ${i}`))
  const kv = t.keyValue({ graceMs, timeoutMs: 60_000 })
  await t.recovered(keys)
  const injected = t.proxy.inject(fault === 'pause' ? { kind: 'hold', side: 'both' } : { kind: 'blackHole' })
  const ends = [
    ...keys.map((key) => reads(() => kv.get(key))),
    ...keys.map((key) => told(() => kv.set(key, t.value(2)))),
  ]
  const written = Array.from({ length: manyWrites }, (_, i) => {
    const key = t.key(`closing, written ${i}`)
    return { key, outcome: told(() => kv.set(key, t.value(2))) }
  })
  await injected.struck
  await t.watch.time(graceMs + goodbyeMs, () => within(t.patienceMs, 'To close a store', kv.close()))
  await Promise.all(ends)
  t.watch.check()
  // The proxy resets what a black hole swallowed; after a pause only the client itself can have hung up.
  t.proxy.pass()
  await until(t.patienceMs, 'a closed store leaves no connection', async () => t.proxy.connections === 0)
  for (const { key, outcome } of written)
    if ((await outcome).kind === 'not done')
      assert.equal(await t.direct.has(key), false, 'what was told as not applied is not there')
}

/** Close a store whose first connection is never answered. */
export async function closeBeforeConnected(t: NetworkFixture): Promise<void> {
  const kv = await t.another({ graceMs })
  t.proxy.inject({ kind: 'blackHole' })
  const call = reads(() => kv.get(t.key('never')))
  await pause(shortMs)
  await t.watch.time(graceMs + goodbyeMs, () => within(t.patienceMs, 'To close a store', kv.close()))
  await call
  t.watch.check()
}

/** Calls while the server is killed and started again end in time and tell the truth; the store finds it again. */
export async function outliveRestarts(t: NetworkFixture): Promise<void> {
  for (let round = 0; round < t.rounds; round++) await outliveRestart(t)
  t.watch.check()
}

async function outliveRestart(t: NetworkFixture): Promise<void> {
  const key = t.key('restart')
  await t.recovered([key])
  let over = false
  const restart = t.restart().finally(() => {
    over = true
  })
  const settings = { timeoutMs: shortMs }
  const written: { readonly own: string; readonly outcome: Promise<Told> }[] = []
  const answered: Promise<boolean>[] = []
  while (!over) {
    const own = t.key('during the restart')
    const set = (): Promise<unknown> => t.kv.set(own, t.value(1), settings)
    written.push({ own, outcome: t.watch.time(shortMs, () => told(set)) })
    answered.push(t.watch.time(shortMs, () => reads(() => t.kv.get(key, settings))))
    await pause(20)
  }
  await restart
  await Promise.all(answered)
  const outcomes = await Promise.all(written.map(({ outcome }) => outcome))
  await t.recovered([key])
  for (const [i, { kind }] of outcomes.entries()) {
    const found = await t.kv.has(written[i]?.own as string)
    if (kind === 'not done') assert.equal(found, false, 'what was told as not applied is not there')
    if (kind === 'done' && t.capabilities.durability !== 'memory')
      assert.equal(found, true, 'what was acknowledged survives the end of the server')
  }
}

async function until(patienceMs: number, complaint: string, holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + patienceMs
  while (!(await holds())) {
    assert.ok(performance.now() < giveUpAt, complaint)
    await pause(20)
  }
}
