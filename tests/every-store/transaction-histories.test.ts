import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bytes, Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { file } from '@unikv/file'
import { lmdb } from '@unikv/lmdb'
import { sqlite } from '@unikv/sqlite'
import { judgeTransactions, noteCounts, type ServerKind } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, describe, expect, test } from 'vitest'
import { historyOf } from '../../packages/transaction/test/history.ts'
import { bankServers } from './fixtures/bank-servers.ts'

const histories = Number(process.env['UNIKV_HISTORIES'] ?? 1)
const first = Number(process.env['UNIKV_SEED'] ?? 1)
const folder = mkdtempSync(join(tmpdir(), 'unikv-pairs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Open = () => Promise<Store<Bytes>>

const embedded: Readonly<Record<string, Open>> = {
  memory: async () => memory(),
  file: async () => file({ directory: join(folder, 'file') }),
  lmdb: async () => lmdb({ path: join(folder, 'lmdb') }),
  sqlite: async () => sqlite({ path: join(folder, 'sqlite') }),
}

/** Histories with crashes, lost replies and late effects; the log is in the second store. */
async function expectSerializable(pair: string, openRed: Open, openBlue: Open): Promise<void> {
  const [red, blue] = [await openRed(), await openBlue()]
  const ends = { committed: 0, unknown: 0 }
  for (let seed = first; seed < first + histories; seed++) {
    const shared = { red, blue, log: blue, leaseMs: 200 }
    const history = await historyOf(seed, shared, { prefix: `${pair} ${process.pid} ${seed} ` })
    expect({ seed, ...judgeTransactions(history) }).toMatchObject({ seed, serializable: true })
    for (const { result } of history) ends[result]++
  }
  noteCounts({ pair, histories, first, ...ends })
  expect(ends.committed).toBeGreaterThan(10 * histories)
  await Promise.all([red.close(), blue.close()])
}

const timeout = 7_200_000

describe('histories over two stores are strictly serializable', () => {
  test.each([
    ['memory', 'lmdb'],
    ['file', 'sqlite'],
  ])('%s and %s', { timeout }, async (red, blue) =>
    expectSerializable(`${red} and ${blue}`, embedded[red] as Open, embedded[blue] as Open),
  )

  for (const [red, kind] of [
    ['lmdb', 'redis'],
    ['sqlite', 'postgres'],
    ['memory', 'mariadb'],
    ['memory', 'mongodb'],
    ['memory', 'couchdb'],
    ['file', 'dynamodb'],
    ['memory', 's3'],
    ['memory', 'cassandra'],
  ] as const)
    describeWith(kind, (url) => {
      test(`${red} and ${kind}`, { timeout }, () =>
        expectSerializable(`${red} and ${kind}`, embedded[red] as Open, async () => opened(kind, url)),
      )
    })
})

async function opened(kind: ServerKind, url: string): Promise<Store<Bytes>> {
  const server = bankServers.find((one) => one.kind === kind)
  if (server === undefined) throw new Error(`${kind} is none of the servers of banks.`)
  return (await server.prepare(url))()
}
