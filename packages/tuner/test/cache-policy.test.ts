import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LayerConfiguration, openStores } from '@unikv/manager'
import { afterAll, expect, test } from 'vitest'
import type { Candidate, Facts } from '../src/index.ts'
import { placeOf } from '../src/run/place-of.ts'
import { cachePolicy, gains } from '../src/tactics/settings/cache-policy.ts'
import { type Spec, World } from './simulation/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'unikv-policy-'))
afterAll(() => rm(folder, { recursive: true }))

const cached = (options: object): LayerConfiguration[] => [
  { cache: { maxEntries: 1000, ...options } },
  'json',
]
const figures = { itemsPerCall: 1, bytesPerCall: 100, meanMs: 1, p50Ms: 1, p99Ms: 2, maxMs: 3, errorShare: 0 }

function candidates(options: object, more: { calls?: number; hitRate?: number; processes?: number } = {}) {
  const { calls = 2000, hitRate = 0.6, processes } = more
  const facts: Facts<string | undefined> = {
    store: 'users',
    kind: 'sqlite',
    table: 'users',
    configuration: { url: 'sqlite:a.db', layers: cached(options) },
    work: { read: { ...figures, callsPerSecond: calls, hitRate } },
    processes,
    server: undefined,
    found: undefined,
  }
  return cachePolicy.applies(facts)
}

const chosen = (all: readonly Candidate[]): readonly unknown[] =>
  all
    .filter(({ refused }) => refused === undefined)
    .toSorted((a, b) => (b.hitRate ?? 0) - (a.hitRate ?? 0))
    .map(({ change }) => Object(change['after']).policy ?? 's3-fifo')

test('policies are weighed by the traces of the proof, and only where a cache can tell them apart', () => {
  expect(chosen(candidates({ policy: 'lru' }))).toEqual(['w-tinylfu', 's3-fifo', 'sieve', 'gdsf'])
  expect(chosen(candidates({})).slice(0, 2)).toEqual(['gdsf', 'w-tinylfu'])
  // Keys that do not repeat, a policy of the program, and costs that one policy alone knows.
  expect(candidates({}, { hitRate: 0.05 })).toEqual([])
  expect(candidates({ policy: () => ({}) })).toEqual([])
  expect(candidates({ policy: 'gdsf', cost: 'bytes' })).toEqual([])
  // 1,000 entries take 12.5 s at 80 misses a second; and four processes have a cache each.
  const slow = expect.stringContaining('takes 13 s to fill')
  expect(candidates({}, { calls: 200 })[0]?.refused).toEqual(slow)
  expect(candidates({}, { calls: 800, processes: 4 })[0]?.refused).toEqual(slow)
})

test('the gains are those of the table of the proof', async () => {
  const file = await readFile(new URL('../../../docs/proofs/figures/policies.tsv', import.meta.url), 'utf8')
  const [hits = ''] = file.split('Byte hit rate')
  const lines = Array.from(hits.matchAll(/^[\w-]+\t\d+ %\t(.+)$/gm), ([, row = '']) =>
    row.split('\t').map(Number),
  )
  const columns = { lru: 0, sieve: 1, 's3-fifo': 2, 'w-tinylfu': 3, gdsf: 5 } as const
  expect(lines).toHaveLength(32)
  for (const [from, others] of Object.entries(gains))
    for (const [to, { share, lines: better }] of Object.entries(others)) {
      const differences = lines.map(
        (line) => (line[columns[to as 'lru']] ?? 0) - (line[columns[from as 'lru']] ?? 0),
      )
      const mean = differences.reduce((sum, one) => sum + Math.max(0, one), 0) / lines.length / 100
      expect([from, to, share]).toEqual([from, to, Number(mean.toFixed(3))])
      expect(differences.filter((one) => one >= 1 - 1e-9)).toHaveLength(better)
    }
})

test('a cache that has evicted nothing yet keeps its policy', async () => {
  await using manager = await openStores({
    stores: { users: { url: `sqlite:${join(folder, 'a.db')}`, layers: cached({ maxEntries: 3 }) } },
  })
  const { users } = manager.stores
  const look = async () => {
    const at = { ...placeOf('users', manager), signal: new AbortController().signal }
    return cachePolicy.look?.(at as never, {})
  }
  for (const name of ['a', 'b', 'c', 'd', 'e']) await users.set(name, { name })
  await users.get('a')
  expect(await look()).toBe(
    'The cache in front of users has made no room for another entry yet, so its policy has decided nothing.',
  )
  for (const name of ['b', 'c', 'd', 'e']) await users.get(name)
  expect(await look()).toBeUndefined()
})

const spec: Spec = {
  reads: 2000,
  layers: [{ cache: { maxEntries: 2000, freshForMs: 5000, policy: 'lru' } }, 'json'],
  records: 20_000,
}
const policies = [{ store: 'users', operation: 'read', minHitRate: 0.85 }] as const

test.each([
  [1.12, 'kept'],
  [1, 'undone'],
  [0.85, 'undone'],
])('after a larger cache was rejected, a policy with %d times the hits is %s', async (times, state) => {
  const world = new World(spec, {
    policies,
    approve: ({ tactic }) => tactic !== 'grow-cache',
    noise: 0.02,
  })
  world.policies = { 'w-tinylfu': times }
  await world.windows(4)
  const [larger] = await world.actions()
  expect(larger?.tactic).toBe('grow-cache')
  const waits = larger?.weighed.find(({ title }) => title.includes('w-tinylfu'))
  expect(waits?.against).toMatch(/^grow-cache comes first/)
  await world.log.answer(larger?.id ?? '', 'rejected', 'the owner')
  await world.windows(60)
  const [, tried] = await world.actions()
  expect([tried?.tactic, Object(tried?.change['after']).policy, tried?.state]).toEqual([
    'cache-policy',
    'w-tinylfu',
    state,
  ])
})
