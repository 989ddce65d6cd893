import assert from 'node:assert/strict'
import type { Bytes } from '@unikv/core'
import { activeResources, assertReleased } from '../resources.ts'
import { concerns, type Need, type Setting } from '../topic.ts'
import { cutRequests } from './cut-requests.ts'
import { deeds } from './deeds.ts'
import { callBeforeConnected, closeBeforeConnected, closeUnder, outliveRestarts } from './endings.ts'
import { accidents } from './faults.ts'
import { answerLate, cutAnswers } from './late-replies.ts'
import { loseReplies } from './lost-replies.ts'
import { type NetworkFixture, openNetwork } from './network-fixture.ts'
import type { NetworkOptions } from './network-options.ts'
import { readings } from './reads.ts'
import { callAfterPause, startBeforeServer } from './starts.ts'
import { noStrays } from './strays.ts'
import { callUnder, type Operations, pauseLong } from './under-faults.ts'

interface NetworkCase {
  readonly title: string
  readonly run: (t: NetworkFixture) => Promise<void>
}

/**
 * Register the tests that a store passes whose network fails: every call ends within its deadline, a lost reply never
 * becomes a second effect, what is told is true, no answer reaches the wrong call, and the store works again soon after.
 *
 * @returns when all are registered: await it before the test file ends
 */
export function networkFaults(options: NetworkOptions<Bytes>): Promise<void>
export function networkFaults<V>(
  options: NetworkOptions<V> & { readonly value: (n: number) => V },
): Promise<void>
export async function networkFaults<V>(options: NetworkOptions<V>): Promise<void> {
  const untyped = options as unknown as NetworkOptions<unknown>
  const cases = casesFor(await settingOf(untyped), untyped)
  const title = 'network faults'
  const register = (prefix: string): void => {
    for (const one of cases) untyped.test(prefix + one.title, () => runCase(untyped, one))
  }
  if (options.describe === undefined) register(`${title}: `)
  else options.describe(title, () => register(''))
}

function casesFor(setting: Setting, options: NetworkOptions<unknown>): readonly NetworkCase[] {
  const chosen = <T extends { readonly needs?: readonly Need[] }>(all: readonly T[]): readonly T[] =>
    all.filter(({ needs }) => concerns(setting, { title: '', needs, run: async () => {} }))
  const all: Operations = { deeds: chosen(deeds), readings: chosen(readings) }
  return [
    ...all.deeds.map((deed) => ({
      title: `a lost reply of ${deed.title} is told truly and has no second effect`,
      run: (t: NetworkFixture) => loseReplies(t, deed),
    })),
    { title: 'a request that is cut off has no effect or all of it', run: (t) => cutRequests(t, all) },
    ...accidents.map((accident) => ({
      title: `${accident.title}: calls end in time and tell the truth, and the store recovers`,
      run: (t: NetworkFixture) => callUnder(t, all, accident),
    })),
    ...((options.rounds ?? 1) > 1
      ? [{ title: 'a pause of 30 seconds: calls end in time, and the store recovers', run: pauseLong }]
      : []),
    { title: 'an answer that comes late reaches no other call', run: answerLate },
    { title: 'an answer that is cut off reaches no other call', run: cutAnswers },
    {
      title: 'a call ends in time while the store is not connected yet',
      run: (t) => callBeforeConnected(t, all),
    },
    { title: 'a store that starts before its server works when that is there', run: startBeforeServer },
    ...(options.asksIdleConnections === false
      ? []
      : [
          {
            title: 'connections that died unseen between calls are not used for the next calls',
            run: callAfterPause,
          },
        ]),
    { title: 'close ends before the store is connected', run: closeBeforeConnected },
    { title: 'close ends in a black hole', run: (t) => closeUnder(t, 'blackHole') },
    { title: 'close ends in a pause and leaves no connection', run: (t) => closeUnder(t, 'pause') },
    ...(options.restart === undefined
      ? []
      : [{ title: 'a server that is killed and started again is found again', run: outliveRestarts }]),
  ]
}

async function runCase(options: NetworkOptions<unknown>, { title, run }: NetworkCase): Promise<void> {
  // Deadlines wait on timers that hold no process; node:test would end before they do.
  const alive = setInterval(() => {}, 60_000)
  try {
    await noStrays(async () => {
      const before = activeResources()
      const t = await openNetwork(options, options.seed ?? 1)
      try {
        await run(t)
      } catch (error) {
        // The first failure is reported.
        await t.end().catch(() => {})
        throw error
      }
      await t.end()
      await assertReleased(before, t.patienceMs)
      options.report?.({
        store: t.store.name,
        title,
        lostReplies: t.lostReplies,
        timedCalls: t.watch.calls,
        latestMs: t.watch.latestMs,
      })
    })
  } finally {
    clearInterval(alive)
  }
}

async function settingOf(options: NetworkOptions<unknown>): Promise<Setting> {
  return {
    capabilities: options.capabilities ?? (await askStore(options)),
    bytes: options.value === undefined,
    clock: false,
    reopen: false,
    corrupt: false,
    versions: options.foreign !== true,
    ownResults: true,
  }
}

async function askStore(options: NetworkOptions<unknown>): Promise<Setting['capabilities']> {
  const proxy = await options.proxy()
  const store = await options.open(proxy.url, proxy)
  assert.ok(store.capabilities.sync === 'none', 'a store behind a network answers by promise')
  await store.close()
  await options.discard?.(store)
  await proxy.close()
  return store.capabilities
}
