import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyManager, openStores, type StoreConfiguration } from '@unikv/manager'
import { afterAll, expect, test } from 'vitest'
import type { Candidate, Facts, Tactic } from '../src/index.ts'
import type { WorkFigures } from '../src/observe/work.ts'
import { addCache, growCache, removeCache } from '../src/tactics/settings/caches.ts'
import { compress } from '../src/tactics/settings/compression.ts'
import { moreConnections } from '../src/tactics/settings/connections.ts'
import { readsAt } from '../src/tactics/settings/levels.ts'

const read: WorkFigures = {
  callsPerSecond: 2000,
  itemsPerCall: 1,
  bytesPerCall: 5000,
  meanMs: 10,
  p50Ms: 7,
  p99Ms: 46,
  maxMs: 50,
  errorShare: 0,
  hitRate: 0.01,
}
const password = 'p%24$a{x}'
const url = `postgres://app:${encodeURIComponent(password)}@db/app?maxConnections=4&application_name=100%25`

const folder = await mkdtemp(join(tmpdir(), 'unikv-settings-'))
afterAll(() => rm(folder, { recursive: true }))

/** Reads what was compressed, and compresses nothing. */
const readsCompressed = { compression: { acceptPlain: true, minBytes: 1e9 } } as const

/** A manager that has these stores, and does what `reload` tells. */
function managerOf(stores: { [name: string]: StoreConfiguration }, keepIn?: string): AnyManager {
  type Used = AnyManager['configuration']
  const manager = {
    configuration: { stores, monitor: keepIn === undefined ? undefined : { keepIn } } as Used,
    reload: async (change: (now: Used) => Used): Promise<void> => {
      manager.configuration = change(manager.configuration)
    },
  }
  return manager as unknown as AnyManager
}

async function candidates(tactic: Tactic<never>, manager: AnyManager): Promise<readonly Candidate[]> {
  const signal = new AbortController().signal
  const configuration = manager.configuration.stores['users'] ?? {}
  const place = { store: 'users', kind: 'postgres', table: 'users', configuration }
  const kv = { capabilities: { consistency: ['strong', 'eventual'] } } as never
  const found = await tactic.look?.({ ...place, name: 'users', kv, manager, signal }, {})
  const facts: Facts<unknown> = { ...place, work: { read }, server: undefined, found }
  return (tactic as Tactic).applies(facts)
}

test.each([
  ['more connections', moreConnections, { url, layers: ['json'] }],
  ['a cache', addCache, { url, layers: ['json'] }],
  ['a larger cache', growCache, { url, layers: ['json', { cache: { maxEntries: 100, freshForMs: 10 } }] }],
  ['weaker reads', readsAt('eventual', ['users']), { url, layers: ['json'], readConsistency: 'strong' }],
  ['weaker reads for the first time', readsAt('eventual', ['users']), { url, layers: ['json'] }],
  ['compression', compress, { url, layers: ['json', readsCompressed] }],
  ['no cache', removeCache, { url, layers: ['compression', { cache: { maxEntries: 100 } }, 'json'] }],
] as const)('%s: taken back, all is as it was, and no secret is in the change', async (_, tactic, users) => {
  const manager = managerOf({ users })
  const [{ change } = { change: {} }] = await candidates(tactic as never, manager)
  const at = { manager, name: 'users' } as never
  await tactic.carryOut(change, at)
  expect(manager.configuration.stores['users']).not.toEqual(users)
  expect(await tactic.isDone(change, at)).toBe(true)
  await tactic.undo(change, at)
  expect(manager.configuration.stores['users']).toEqual(users)
  expect(JSON.stringify(change)).not.toContain('p%24')
})

const made = { url, layers: ['json'] } as StoreConfiguration
test.each([
  ['that keeps the figures', managerOf({ users: made }, 'users'), 'The monitor keeps its figures in users'],
  [
    'on which a store with a queue of writes is built',
    managerOf({ users: made, views: { from: 'users', layers: ['writeBehind'] } }),
    'Writes of this store may wait in a queue',
  ],
  [
    'that a mirror of the store of the figures names',
    managerOf({ users: made, both: { mirror: { primary: 'users', secondary: 'b' } }, b: made }, 'both'),
    'The monitor keeps its figures in both',
  ],
])('a store %s is not reloaded', async (_, manager, why) => {
  const [candidate] = await candidates(addCache as never, manager)
  expect(candidate?.refused).toContain(why)
})

test('options with functions are left alone, as the log cannot keep them', async () => {
  const layers = [{ cache: { maxEntries: 100, clock: () => 1 } }, 'json'] as StoreConfiguration['layers']
  const [candidate] = await candidates(growCache as never, managerOf({ users: { url, layers } }))
  expect(candidate?.refused).toContain('functions')
})

test('reads are weaker only where the owner allows it, the store can, and no cache answers', async () => {
  const first = async (level: string, stores: string[], users: StoreConfiguration) =>
    (await candidates(readsAt(level, stores) as never, managerOf({ users })))[0]
  expect(await first('eventual', ['sessions'], made)).toBeUndefined()
  expect(await first('eventual', ['users'], { ...made, readConsistency: 'eventual' })).toBeUndefined()
  expect((await first('one', ['users'], made))?.refused).toBe(
    'users does not offer the level one. It offers: strong, eventual.',
  )
  expect((await first('eventual', ['users'], { url, layers: ['cache', 'json'] }))?.refused).toContain(
    'A cache',
  )
  const weaker = managerOf({ users: { ...made, readConsistency: 'eventual' } })
  expect((await candidates(addCache as never, weaker))[0]?.refused).toContain('have the level eventual')
  expect(await first('eventual', ['users'], made)).not.toHaveProperty('refused')
})

test('compression is turned on only where each process can read it', async () => {
  const first = async (layers: StoreConfiguration['layers']) =>
    (await candidates(compress as never, managerOf({ users: { url, layers } })))[0]
  expect((await first(['json']))?.refused).toMatch(
    /^Each process must be able to read compressed records first\./,
  )
  expect(await first(['json', 'compression'])).toBeUndefined()
  expect(await first(['json', readsCompressed])).not.toHaveProperty('refused')
})

test('what was compressed stays readable when that is taken back', async () => {
  const stores = {
    users: { url: `sqlite:${join(folder, 'users.db')}`, layers: ['json', readsCompressed] },
  } as const
  await using manager = await openStores({ stores })
  const users = () => manager.stores.users
  const value = { text: 'abc'.repeat(1000) }
  await users().set('before', value)
  const at = { manager, name: 'users' } as never
  const [{ change } = { change: {} }] = await candidates(compress as never, manager)
  await compress.carryOut(change, at)
  await users().set('while', value)
  expect(await users().getMany(['before', 'while'])).toEqual([value, value])
  await compress.undo(change, at)
  expect(manager.configuration.stores.users).toEqual(stores.users)
  expect(await users().getMany(['before', 'while'])).toEqual([value, value])
})
