import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Bytes, compose, newVersion, type ReadResult, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import {
  type Algorithm,
  encryption,
  keyring,
  kmsKeys,
  localKms,
  nameKey,
  type Padding,
} from '../../src/index.ts'

/** What `golden/make_named.py` or `make_named_wrapped.py`, implementations in another language, wrote. */
interface GoldenRecord {
  readonly name: string
  readonly algorithm: Algorithm
  readonly keyringId: string
  readonly keyId: string
  readonly root: string
  readonly dataset: string
  readonly nameKey: string
  readonly canonical: string
  readonly stored: string
  readonly padding?: Padding
  readonly chunkBytes?: number
  readonly kmsContext?: Readonly<Record<string, string>>
  readonly providers?: readonly { readonly id: string; readonly info: string; readonly root: string }[]
  readonly value: string
  readonly envelope: string
}

interface Golden {
  readonly records: readonly GoldenRecord[]
  readonly refused: readonly { readonly name: string; readonly code: string; readonly envelope: string }[]
}

const folder = new URL('../golden/', import.meta.url)
const hasPython = spawnSync('python3', ['-c', 'import cryptography']).status === 0

function stackOf(record: GoldenRecord, store: Store<Bytes>): Store<Bytes> {
  const { keyringId: id, keyId, root, dataset, algorithm, padding, chunkBytes } = record
  const chunks = chunkBytes === undefined ? {} : { chunkBytes, chunkAboveBytes: 0 }
  const names = nameKey(record.nameKey)
  const settings = { dataset, names, algorithm, padding, ...chunks }
  if (record.providers === undefined) {
    const keys = keyring({ id, primary: keyId, keys: { [keyId]: root } })
    return compose(store, [encryption({ ...settings, keys })])
  }
  const providers = record.providers.map((one) =>
    localKms({ id: one.id, keys: keyring({ primary: one.info, keys: { [one.info]: one.root } }) }),
  )
  const { 'unikv:dataset': _dataset, ...context } = record.kmsContext ?? {}
  return compose(store, [encryption({ ...settings, keys: kmsKeys({ id, keyId, providers, context }) })])
}

/** What a stack reads that finds this envelope where the record belongs. */
async function readFrom(record: GoldenRecord, envelope: string): Promise<ReadResult<Bytes>> {
  const store = memory()
  const stack = stackOf(record, store)
  const set = { type: 'set', version: newVersion() } as const
  await stack.write([{ ...set, key: record.canonical, value: Buffer.from('replaced') }], callOptions())
  await store.write([{ ...set, key: record.stored, value: Buffer.from(envelope, 'hex') }], callOptions())
  const [result] = await stack.read([{ key: record.canonical }], callOptions())
  return result
}

describe.each([
  ['make_named.py', 'named.json', 15, 8],
  ['make_named_wrapped.py', 'named-wrapped.json', 15, 10],
])('golden records under hashed names by %s', (program, file, records, refusals) => {
  const golden = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Golden
  const python = (args: readonly string[], input: readonly object[] = []) =>
    spawnSync('python3', ['-B', fileURLToPath(new URL(program, folder)), ...args], {
      input: input.map((record) => `${JSON.stringify(record)}\n`).join(''),
      encoding: 'utf8',
    })

  test('are as many as they were', () => {
    expect([golden.records.length, golden.refused.length]).toEqual([records, refusals])
  })

  test.each(golden.records)('$name is read', async (record) => {
    const result = await readFrom(record, record.envelope)
    expect(Buffer.from((result as { value: Bytes }).value).toString('hex')).toBe(record.value)
  })

  test.each(golden.refused)('$name is refused with $code', async ({ code, envelope }) => {
    expect(await readFrom(golden.records[0] as GoldenRecord, envelope)).toMatchObject({ code })
  })

  describe.skipIf(!hasPython)(
    `the Python program${hasPython ? '' : ': SKIPPED, no python3 with cryptography'}`,
    () => {
      test('would write the committed file again', () => {
        expect(python(['--check']).status).toBe(0)
      })

      test('reads what we store, where we store it', async () => {
        const ours = await Promise.all(golden.records.map(storedByUs))
        const { status, stdout } = python(['--open'], ours)
        expect(status).toBe(0)
        expect(stdout.slice(0, -1).split('\n')).toEqual(golden.records.map(({ value }) => value))
      })

      test('refuses what we refuse', () => {
        const asked = golden.refused.map(({ envelope }) => ({ ...golden.records[0], envelope }))
        const answers = python(['--open'], asked).stdout.trimEnd().split('\n')
        expect(answers).toHaveLength(golden.refused.length)
        for (const answer of answers) expect(answer).toMatch(/^refused: /)
      })
    },
  )
})

async function storedByUs(record: GoldenRecord): Promise<GoldenRecord> {
  const store: MemoryStore = memory()
  const value = Buffer.from(record.value, 'hex')
  const set = { type: 'set', key: record.canonical, value, version: newVersion() } as const
  await stackOf(record, store).write([set], callOptions())
  const envelope = store.native.get(record.stored)?.value as Bytes
  return { ...record, envelope: Buffer.from(envelope).toString('hex') }
}
