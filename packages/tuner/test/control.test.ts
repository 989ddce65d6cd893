import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStores } from '@unikv/manager'
import { afterAll, expect, test } from 'vitest'
import type { Sample } from '../src/check/samples.ts'
import { type Verdict, verdictOf } from '../src/check/verdict.ts'
import { explained } from '../src/index.ts'
import { placeOf } from '../src/run/place-of.ts'
import { storesBeside } from '../src/run/stores-beside.ts'
import { actionOf } from './actions.ts'
import { World } from './simulation/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'unikv-control-'))
afterAll(() => rm(folder, { recursive: true }))

/** Six windows without an index and ten with it, of a store that is asked by `ip` alone. */
function judged(nativeTimes: number, cartsTimes: number | undefined): Verdict {
  const samples = Array.from({ length: 16 }, (_, i): Sample => {
    const isOn = i >= 6
    const wobble = 1 + 0.02 * (i % 3)
    const its = { meanMs: 20 * wobble * (isOn ? nativeTimes : 1), callsPerSecond: 50 }
    const carts =
      cartsTimes === undefined ? undefined : { 'read of carts': 2 * wobble * (isOn ? cartsTimes : 1) }
    return { at: i, isOn, work: { native: its, 'by ip': its }, ...(carts && { beside: carts }) }
  })
  return verdictOf({ samples, aim: 'by ip', concerns: ['by ip', 'set'] })
}

test.each([
  ['a machine that became slower is not the index', 1.3, 1.3, 'none'],
  ['an index that slows is harm beside a store that stayed as it was', 1.3, 1, 'harm'],
  ['an index that helps is kept while the machine becomes slower', 0.1, 1.3, 'help'],
  ['another store that became slower by itself makes no help', 1, 2, 'none'],
  ['another store that became faster by itself makes no harm', 1, 0.5, 'none'],
] as const)('%s', (_, native, carts, answer) => {
  expect(judged(native, carts)).toMatchObject({ answer, control: ['read of carts'] })
})

test('without another store there is no control, and that is said', () => {
  const verdict = judged(1.3, undefined)
  expect(verdict).toMatchObject({ answer: 'harm', control: [] })
  const text = explained(
    actionOf({ verdict: { ...verdict, interval: [1, 2], control: [], windows: [6, 10] } }),
  )
  expect(text.join('\n')).toContain('No other calls could show whether the machine itself became faster')
})

test('an index of a store without other operations is compared with reads of another store', async () => {
  const world = new World(
    { queries: { 'by ip': 20 } },
    { policies: [{ store: 'users', operation: 'native', belowMs: 10, minCalls: 1 }], approve: () => true },
  )
  world.besideMs = 2
  await world.windows(20)
  const [action = actionOf()] = await world.actions()
  expect([action.tactic, action.state, action.verdict?.control]).toEqual([
    'add-index',
    'kept',
    ['read of carts'],
  ])
  expect(explained(action).join('\n')).toContain(
    'that was judged by read of carts, which the change does not concern',
  )
})

test('stores that share records with the changed one, or are built on it, are no control', async () => {
  const url = (name: string) => `sqlite:${join(folder, `${name}.db`)}`
  await using manager = await openStores({
    stores: {
      users: { url: url('users'), layers: ['json'] },
      part: { url: url('users'), namespace: 'part', layers: ['json'] },
      view: { from: 'users', layers: ['cache'] },
      carts: url('carts'),
      log: url('log'),
      both: { mirror: { primary: 'carts', secondary: 'log' } },
    },
  })
  const beside = (name: string) => storesBeside(placeOf(name, manager) as never)
  expect(beside('users')).toEqual(['carts', 'log', 'both'])
  expect(beside('view')).toEqual(['carts', 'log', 'both'])
  expect(beside('carts')).toEqual(['users', 'part', 'view', 'log'])
  expect(beside('both')).toEqual(['users', 'part', 'view'])
})
