import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Deed } from './deeds.ts'
import type { NetworkFixture } from './network-fixture.ts'
import type { NetworkFault } from './network-options.ts'
import { checkTruth, entriesOf, prepared, start, type Work } from './work.ts'

/** Attempts to hit an effect, for each that is wanted. */
const mostTries = 6
/** Requests that a store may make before the one with the effect: to learn what the record is, to prepare. */
const mostBefore = 2
/** How long the effect of a request that went out is waited for, in the time of this process. */
const effectMs = 1_000
/** How long a second effect is waited for. */
export const afterMs = 150

/** Lose replies after their effect: what is told is true, then and later, and nothing happens twice. */
export async function loseReplies(t: NetworkFixture, deed: Deed): Promise<void> {
  const ended = [...(await cutReplies(t, deed)), ...(await breakBehindRival(t, deed))]
  await pause(afterMs)
  for (const check of ended) await check()
}

type Recheck = () => Promise<unknown>

/** Cut the connection at the first byte that comes back. */
async function cutReplies(t: NetworkFixture, deed: Deed): Promise<readonly Recheck[]> {
  const ended: Recheck[] = []
  await untilLost(t, deed, async (before) => {
    const work = await prepared(t, deed)
    const outcomes = await start(t, work, () => {
      void injectAfter(t, before, { kind: 'cut', side: 'response', afterBytes: 0 })
    })
    t.proxy.pass()
    ended.push(() => checkTruth(t, work, outcomes))
    return (await checkTruth(t, work, outcomes)) > 0
  })
  return ended
}

/**
 * Hold the reply, have somebody else write the same keys, and then break the connection: an attempt that were sent
 * again would undo what the other wrote.
 */
async function breakBehindRival(t: NetworkFixture, deed: Deed): Promise<readonly Recheck[]> {
  const ended: Recheck[] = []
  await untilLost(t, deed, async (before) => {
    const work = await prepared(t, deed)
    const ending = start(t, work, () => {
      void injectAfter(t, before, { kind: 'hold', side: 'response' })
    })
    const lost = await tookEffect(t, work)
    if (lost) ended.push(await overwritten(t, work))
    t.proxy.inject({ kind: 'reset' })
    t.proxy.pass()
    const outcomes = await ending
    if (lost)
      for (const { kind } of outcomes)
        assert.notEqual(kind, 'not done', 'a write that was applied is not denied')
    return lost
  })
  return ended
}

/**
 * Again and again, as what is lost first may be the answer to something else (a look at the record, a statement that is
 * prepared): then one more reply is let pass.
 */
async function untilLost(
  t: NetworkFixture,
  deed: Deed,
  lose: (before: number) => Promise<boolean>,
): Promise<void> {
  let lost = 0
  let before = 0
  for (let tries = t.rounds * mostTries; lost < t.rounds && tries > 0; tries--) {
    await warm(t, deed)
    if (await lose(before)) lost += 1
    else before = before === mostBefore ? 0 : before + 1
    await t.recovered()
  }
  assert.equal(lost, t.rounds, 'the reply that was lost was the one of the effect')
  t.lostReplies += lost
}

/** Break the network at the reply after so many others. Does nothing any more once the fault was lifted. */
async function injectAfter(t: NetworkFixture, before: number, fault: NetworkFault): Promise<void> {
  for (let passed = 0; passed < before; passed++) {
    await t.proxy.inject({ kind: 'hold', side: 'response' }).struck
    await t.proxy.inject({ kind: 'hold', side: 'request' }).struck
  }
  t.proxy.inject(fault)
}

/** Have the connection open and the statement known. */
async function warm(t: NetworkFixture, deed: Deed): Promise<void> {
  for (const { kind } of await start(t, await prepared(t, deed)))
    assert.equal(kind, 'done', `${deed.title} works without a fault`)
}

async function tookEffect(t: NetworkFixture, { deed, keys, before }: Work): Promise<boolean> {
  const giveUpAt = performance.now() + effectMs
  while (performance.now() < giveUpAt) {
    const after = await entriesOf(t, keys)
    if (after.every((entry, i) => deed.effect(t, { before: before[i], after: entry }) === 'once')) return true
    await pause(5)
  }
  return false
}

/** Another writer comes; what it wrote must stay. */
async function overwritten(t: NetworkFixture, { deed, keys }: Work): Promise<Recheck> {
  for (const key of keys)
    await (deed.title === 'increment' ? t.direct.increment(key, 100) : t.direct.set(key, t.value(9)))
  const written = await entriesOf(t, keys)
  return async () =>
    assert.deepEqual(
      await entriesOf(t, keys),
      written,
      `${deed.title} was not sent again after its reply was lost`,
    )
}
