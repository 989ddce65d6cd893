import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnyStore } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { lmdb } from '@unikv/lmdb'
import { mysql } from '@unikv/mysql'
import { postgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { sqlite } from '@unikv/sqlite'
import { judgeTransactions, noteCounts, type ServerKind } from '@unikv/test-kit'
import { describeWith, someOf } from '@unikv/test-kit/vitest'
import { afterAll, expect, test } from 'vitest'
import { historyOf } from './history.ts'

const histories = Number(process.env['UNIKV_HISTORIES'] ?? 1)
const first = Number(process.env['UNIKV_SEED'] ?? 1)
const isLong = process.env['UNIKV_HISTORIES'] !== undefined
/** Histories beside each other: most of their time is waiting for leases. */
const lanes = 8
const folder = mkdtempSync(join(tmpdir(), 'unikv-pairs-'))
const name = `pairs_${process.pid}`
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const stores = {
  memory: () => memory(),
  lmdb: () => lmdb({ path: join(folder, 'lmdb') }),
  sqlite: () => sqlite({ path: join(folder, 'sqlite') }),
  redis: (url: string) => redis({ url, dataset: name }),
  postgres: (url: string) => postgres({ url, table: name, prepare: true }),
  mariadb: (url: string) => mysql({ url, table: name, prepare: true }),
} satisfies Readonly<Record<string, (url: string) => AnyStore>>

type Name = keyof typeof stores

const pairs: readonly (readonly [Name, Name])[] = [
  ['lmdb', 'redis'],
  ['redis', 'postgres'],
  ['memory', 'lmdb'],
  ['memory', 'sqlite'],
  ['lmdb', 'sqlite'],
  ['sqlite', 'postgres'],
  ['memory', 'mariadb'],
  ['redis', 'mariadb'],
  ['postgres', 'mariadb'],
  ['lmdb', 'postgres'],
]

/** Histories with crashes, lost replies and late effects; the log is in the second store. */
async function expectSerializable([one, other]: readonly [Name, Name], urls: Urls): Promise<void> {
  const [red, blue] = [stores[one](urls[one] ?? ''), stores[other](urls[other] ?? '')]
  const ends = { committed: 0, unknown: 0 }
  let next = first
  const lane = async (): Promise<void> => {
    while (next < first + histories) {
      const seed = next++
      const shared = { red, blue, log: blue, leaseMs: 200 }
      const history = await historyOf(seed, shared, { prefix: `${one} ${other} ${seed} ` })
      expect({ seed, ...judgeTransactions(history) }).toMatchObject({ seed, serializable: true })
      for (const { result } of history) ends[result]++
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  noteCounts({ pair: `${one} ${other}`, histories, first, ...ends })
  expect(ends.committed).toBeGreaterThan(10 * histories)
  await Promise.all([red.close(), blue.close()])
}

type Urls = Readonly<Partial<Record<Name, string>>>

/** Declare a test that needs these servers. */
function declare(pair: readonly [Name, Name], urls: Urls): void {
  const missing = pair.find((one) => one in servers && urls[one] === undefined)
  if (missing === undefined)
    test(`histories over ${pair.join(' and ')} are strictly serializable`, { timeout: 14_400_000 }, () =>
      expectSerializable(pair, urls),
    )
  else describeWith(missing as ServerKind, (url) => declare(pair, { ...urls, [missing]: url }))
}

const servers = { redis: true, postgres: true, mariadb: true }

for (const pair of isLong ? pairs : someOf(2, pairs)) declare(pair, {})
