import assert from 'node:assert/strict'
import { type Awaitable, type GroupCall, isStoreError } from '@unikv/core'
import type { NetworkFault, NetworkProxy } from '../network/network-options.ts'
import type { DescribeFunction, TestFunction } from '../options.ts'
import { defaultPatienceMs } from '../patience.ts'
import { within } from '../within.ts'
import { attempt, breath, change, type GroupFixture, isLost, textOf, type Work } from './group-fixture.ts'
import type { OpenedGroupStore } from './group-options.ts'

/** Facts about groups behind a network that the suite needs. */
export interface GroupNetworkOptions {
  readonly test: TestFunction
  /** Without it the topic stands in front of each title. */
  readonly describe?: DescribeFunction | undefined
  /** A proxy of its own before the server. Called once a test; the suite closes it. */
  proxy(): Promise<NetworkProxy>
  /** Groups all of whose connections go to this address. Called once a test; the suite closes them. */
  open(url: string): Awaitable<OpenedGroupStore>
  /** Others over the same dataset, past the proxy. The suite closes them. */
  direct(opened: OpenedGroupStore): Awaitable<OpenedGroupStore>
  /** How long a condition is waited for before it counts as *never*. @default 60000 */
  readonly patienceMs?: number | undefined
  /** Places of a cut in requests and answers. @default 60 */
  readonly cuts?: number | undefined
  /** Outcomes that were not told, for the record of a proof. */
  readonly report?: ((counts: { readonly lost: number; readonly unknown: number }) => void) | undefined
}

interface Bench {
  readonly proxy: NetworkProxy
  readonly groups: GroupFixture['groups']
  readonly direct: GroupFixture['groups']
  readonly patienceMs: number
  readonly cuts: number
  lost: number
  unknown: number
}

/** Bytes from one cut to the next. */
const cutStep = 5
/** Deadline of a transaction behind a network that fails. */
const callMs = 3_000
/** Commits of others while the connection is away: around what groups are known to remember. */
const beside: readonly number[] = [0, 1, 8, 9, 64, 65]
/** Bytes of a request or an answer that still pass: for stores that commit in several messages. */
const cutsBeside: readonly number[] = [0, 60, 120]

/**
 * Register the tests that groups behind a network pass: a commit whose request or answer is lost takes effect once or never, what
 * is told is true, and the groups work again afterwards.
 */
export function groupNetwork(options: GroupNetworkOptions): void {
  const cases: readonly (readonly [string, (bench: Bench) => Promise<void>])[] = [
    [
      'a commit whose answer is cut off is told truly and takes effect once',
      (t) => cutEverywhere(t, 'response'),
    ],
    ['a commit whose request is cut off is told truly', (t) => cutEverywhere(t, 'request')],
    [
      'a commit whose answer is lost is told truly after any number of commits of others',
      (t) => awayBeside(t, 'response'),
    ],
    [
      'a commit whose request is lost is told truly after any number of commits of others',
      (t) => awayBeside(t, 'request'),
    ],
    ['a commit whose answer is lost before its group is forgotten and made again is told truly', madeAgain],
    [
      'a commit that makes a group, which others forget before it is asked about, takes effect once',
      madeFirst,
    ],
    ['a commit whose connection is reset is told truly', (t) => afterFault(t, { kind: 'reset' })],
    ['a commit in a black hole ends in time and is told truly', (t) => afterFault(t, { kind: 'blackHole' })],
  ]
  const title = 'network faults of groups'
  const register = (prefix: string): void => {
    for (const [name, run] of cases) options.test(prefix + name, () => runCase(options, run))
  }
  if (options.describe === undefined) register(`${title}: `)
  else options.describe(title, () => register(''))
}

async function runCase(options: GroupNetworkOptions, run: (bench: Bench) => Promise<void>): Promise<void> {
  const { patienceMs = defaultPatienceMs, cuts = 60 } = options
  const alive = setInterval(() => {}, 60_000)
  const proxy = await options.proxy()
  const opened = await options.open(proxy.url)
  const direct = await options.direct(opened)
  const bench: Bench = {
    proxy,
    groups: opened.groups,
    direct: direct.groups,
    patienceMs,
    cuts,
    lost: 0,
    unknown: 0,
  }
  try {
    await run(bench)
    options.report?.({ lost: bench.lost, unknown: bench.unknown })
  } finally {
    proxy.pass()
    await within(patienceMs, 'To close the stores', Promise.all([opened.close(), direct.close()]))
    await proxy.close()
    clearInterval(alive)
  }
}

async function cutEverywhere(t: Bench, side: 'request' | 'response'): Promise<void> {
  for (let i = 0; i < t.cuts; i++) await afterFault(t, { kind: 'cut', side, afterBytes: i * cutStep })
  assert.ok(t.lost > 0, 'some commits met the fault')
}

/** After the cut the connection stays away until others have committed to the group. */
async function awayBeside(t: Bench, side: 'request' | 'response'): Promise<void> {
  for (const others of beside)
    for (const afterBytes of cutsBeside)
      await afterFault(t, { kind: 'cut', side, afterBytes }, () => commitBeside(t, others))
  assert.ok(t.lost > 0, 'some commits met the fault')
}

/** The answer of a commit that empties its group is lost; a sweep forgets the group, and others make it anew. */
async function madeAgain(t: Bench): Promise<void> {
  const { proxy, direct, groups, patienceMs } = t
  const call = { deadlineAt: performance.now() + patienceMs }
  const put = (): Promise<boolean> => attempt(direct, 'made again', call, async () => [change('k', '1')])
  while (!(await put())) await breath(1)
  let wasForgotten = false
  const forgotten = async (): Promise<void> => {
    wasForgotten = await direct.forget('made again', Date.now() + 60_000, call)
    await put()
  }
  let away: Promise<unknown> = Promise.resolve()
  const outcome = await told(
    attempt(groups, 'made again', { deadlineAt: performance.now() + callMs }, async (tx) => {
      await tx.get(['k'])
      void proxy.inject({ kind: 'cut', side: 'response', afterBytes: 0 }).struck.then(() => {
        proxy.inject({ kind: 'reset' })
        away = forgotten().finally(() => proxy.pass())
      })
      return [change('k', undefined)]
    }),
  )
  await away
  // Only what took effect left an empty group, which a sweep can forget.
  assert.ok(outcome !== 'not committed' || !wasForgotten, 'what was swept is not told as not committed')
}

/** The answer of a commit that makes its group is lost; others empty the group, and a sweep forgets it: then it looks as before. */
async function madeFirst(t: Bench): Promise<void> {
  const { proxy, direct, groups, patienceMs } = t
  const call = { deadlineAt: performance.now() + patienceMs }
  const isThere = async (): Promise<boolean> =>
    (await direct.read([{ group: 'made first', key: 'k' }], call))[0] !== undefined
  let cameAt = 0
  for (let round = 1; cameAt === 0; round++) {
    assert.ok(performance.now() < call.deadlineAt, 'an answer is lost after its commit took effect')
    let away: Promise<unknown> = Promise.resolve()
    const forgotten = async (): Promise<void> => {
      if (!(await isThere())) return
      cameAt = round
      await emptied(direct, 'made first', call)
    }
    const outcome = await told(
      attempt(groups, 'made first', { deadlineAt: performance.now() + callMs }, async (tx) => {
        await tx.get(['k'])
        void proxy
          .inject({ kind: 'cut', side: 'response', afterBytes: (round - 1) * cutStep })
          .struck.then(() => {
            proxy.inject({ kind: 'reset' })
            away = forgotten().finally(() => proxy.pass())
          })
        return [change('k', '1')]
      }),
    )
    await away
    proxy.pass()
    if (cameAt === 0) await emptied(direct, 'made first', call)
    else assert.notEqual(outcome, 'not committed', 'an absent group proves nothing')
  }
  assert.equal(await isThere(), false, 'it is not made a second time')
}

/** Remove the record of a group, and the group. */
async function emptied(groups: Bench['groups'], name: string, call: GroupCall): Promise<void> {
  const empty: Work = async (tx) => {
    await tx.get(['k'])
    return [change('k', undefined)]
  }
  while (!(await attempt(groups, name, call, empty))) await breath(1)
  await groups.forget(name, Date.now() + 60_000, call)
}

async function commitBeside({ proxy, direct, patienceMs }: Bench, commits: number): Promise<void> {
  proxy.inject({ kind: 'reset' })
  const call = { deadlineAt: performance.now() + patienceMs }
  for (let i = 0; i < commits; i++)
    while (!(await attempt(direct, 'g', call, async () => [change(`of others ${i % 2}`, `${i}`)])))
      await breath(1)
}

/** Break the network between the read and the commit of a counter, and compare what is told with what is there. */
async function afterFault(
  t: Bench,
  fault: NetworkFault,
  away: () => Promise<void> = async () => {},
): Promise<void> {
  const before = await settledCount(t)
  let struck = false
  let back: Promise<void> = Promise.resolve()
  const outcome = await told(
    attempt(t.groups, 'g', { deadlineAt: performance.now() + callMs }, async (tx) => {
      const changes = await increment(tx)
      void t.proxy.inject(fault).struck.then(() => {
        struck = true
        // The cut connection stays cut; a new one works. A black hole stays.
        if (fault.kind !== 'blackHole') back = away().finally(() => t.proxy.pass())
      })
      return changes
    }),
  )
  await back
  t.proxy.pass()
  if (struck) t.lost++
  const after = await settledCount(t)
  if (outcome === 'unknown') {
    t.unknown++
    assert.ok(after === before || after === before + 1, 'a commit takes effect once or never')
  } else {
    assert.equal(after - before, outcome === 'committed' ? 1 : 0, `what is told (${outcome}) is true`)
  }
}

type Told = 'committed' | 'not committed' | 'unknown'

async function told(commit: Promise<boolean>): Promise<Told> {
  try {
    return (await commit) ? 'committed' : 'not committed'
  } catch (error) {
    assert.ok(isStoreError(error), `a StoreError is thrown, not ${String(error)}`)
    return error.code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'not committed'
  }
}

/** The counter, past the proxy, once no transaction holds it any more; and the groups behind the proxy work again. */
async function settledCount(t: Bench): Promise<number> {
  const giveUpAt = performance.now() + t.patienceMs
  for (const groups of [t.direct, t.groups]) {
    while (!(await works(groups))) {
      assert.ok(performance.now() < giveUpAt, 'the groups work again')
      await breath(20)
    }
  }
  const [value] = await t.direct.read([{ group: 'g', key: 'n' }], { deadlineAt: giveUpAt })
  return Number(textOf(value) ?? 0)
}

async function works(groups: Bench['groups']): Promise<boolean> {
  try {
    const call = { deadlineAt: performance.now() + callMs }
    return await attempt(groups, 'g', call, async (tx) => {
      const [n] = await tx.get(['n'])
      return [n === undefined ? change('n', '0') : { key: 'n', value: n }]
    })
  } catch (error) {
    if (isStoreError(error) || isLost(error)) return false
    throw error
  }
}

const increment: Work = async (tx) => [change('n', `${Number(textOf((await tx.get(['n']))[0]) ?? 0) + 1}`)]
