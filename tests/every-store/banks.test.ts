import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bytes, type KeyValue, keyValue, passThrough } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { type EntitiesOptions, entities } from '@unikv/entity'
import { open } from '@unikv/stores'
import { faultProxy, noteCounts, type Sabotage, sabotage } from '@unikv/test-kit'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { Account, type BankOptions, bankSum, driveBank, entityBank } from './fixtures/bank.ts'
import { bankServers } from './fixtures/bank-servers.ts'

const transactions = Number(process.env['UNIKV_TRANSACTIONS'] ?? (isWhole ? 50 : 40))
const seed = Number(process.env['UNIKV_SEED'] ?? 1)
const limitMs = 1_800_000

type Opened = KeyValue<string, Bytes>

function opened(url: string): Opened {
  return keyValue(open(url))
}

function writersOf(
  stores: readonly Opened[],
  transactions: EntitiesOptions['transactions'] = 'auto',
): BankOptions['writers'] {
  return stores.map((kv) => entityBank(entities(kv, [Account], { transactions })))
}

async function expectKept(store: string, options: BankOptions): Promise<void> {
  const { judgement, sums, ends, faults } = await driveBank(options)
  expect(judgement).toMatchObject({ serializable: true })
  expect([...sums]).toEqual([bankSum])
  expect(ends['committed']).toBeGreaterThan(10)
  noteCounts({ store, ends, faults })
}

describe.each(bankServers)(
  'a bank in $kind, $transactions',
  ({ kind, transactions: by, prepare, everyMs }) => {
    describeWith(kind, (url) => {
      test('keeps its sum and a serializable history while connections break', {
        timeout: limitMs,
      }, async () => {
        await using proxy = await faultProxy(url)
        const openStore = await prepare(proxy.url)
        const stores = Array.from({ length: 8 }, () => keyValue(openStore()))
        const harm = (): Sabotage => sabotage(proxy, { seed, ...(everyMs !== undefined && { everyMs }) })
        const writers = writersOf(stores, by)
        await expectKept(`${kind} ${by}`, {
          writers,
          transactions,
          seed,
          settings: { timeoutMs: 2000 },
          harm,
        })
        await Promise.all(stores.map((kv) => kv.close()))
      })
    })
  },
)

test('a bank in memory keeps its sum among eight writers', async () => {
  const kv = keyValue(memory())
  await expectKept('memory', { writers: writersOf(Array(8).fill(kv)), transactions, seed })
})

test.each([
  ['lmdb', 'records'],
  ['lmdb', 'native'],
  ['sqlite', 'records'],
  ['sqlite', 'native'],
  ['file', 'records'],
] as const)('a bank in %s, %s, keeps its sum among eight writers', { timeout: limitMs }, async (name, by) => {
  const folder = mkdtempSync(join(tmpdir(), 'unikv-bank-'))
  const kv = opened(`${name}:${join(folder, 'bank')}`)
  await expectKept(`${name} ${by}`, { writers: writersOf(Array(8).fill(kv), by), transactions, seed })
  await kv.close()
  rmSync(folder, { recursive: true, force: true })
})

test('the proof fails when conditions are taken out', async () => {
  const careless = passThrough('careless', {
    wrap: (store) => ({
      read: async (reads, call) => store.read(reads, call),
      write: async (mutations, call) =>
        store.write(
          mutations.map((one) => ({ ...one, ifVersion: undefined })),
          call,
        ),
    }),
  })
  const store = memory()
  const writers = writersOf(Array.from({ length: 8 }, () => keyValue(store, [careless])))
  // The sum stays all the same: one record replaces another, and each has it.
  const { judgement } = await driveBank({ writers, transactions, seed })
  expect(judgement).toMatchObject({ serializable: false, reason: 'both replaced the same version' })
})
