import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Bytes, compose, newVersion, type ReadResult, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type Algorithm, encryption, keyring, nameKey, type Padding } from '../../src/index.ts'

/** What `golden/make_named.py`, an implementation in another language, wrote. */
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
  readonly value: string
  readonly envelope: string
}

interface Golden {
  readonly records: readonly GoldenRecord[]
  readonly refused: readonly { readonly name: string; readonly code: string; readonly envelope: string }[]
}

const script = fileURLToPath(new URL('../golden/make_named.py', import.meta.url))
const golden = JSON.parse(readFileSync(new URL('../golden/named.json', import.meta.url), 'utf8')) as Golden
const hasPython = spawnSync('python3', ['-c', 'import cryptography']).status === 0

function stackOf(record: GoldenRecord, store: Store<Bytes>): Store<Bytes> {
  const { keyringId, keyId, root, dataset, algorithm, padding, chunkBytes } = record
  const keys = keyring({ id: keyringId, primary: keyId, keys: { [keyId]: root } })
  const chunks = chunkBytes === undefined ? {} : { chunkBytes, chunkAboveBytes: 0 }
  const names = nameKey(record.nameKey)
  return compose(store, [encryption({ dataset, keys, names, algorithm, padding, ...chunks })])
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

function pythonOf(
  args: readonly string[],
  input = '',
): { readonly status: number | null; readonly stdout: string } {
  return spawnSync('python3', ['-B', script, ...args], { input, encoding: 'utf8' })
}

describe('golden records under hashed names', () => {
  test.each(golden.records)('$name is read', async (record) => {
    const result = await readFrom(record, record.envelope)
    expect(Buffer.from((result as { value: Bytes }).value).toString('hex')).toBe(record.value)
  })

  test.each(golden.refused)('$name is refused with $code', async ({ code, envelope }) => {
    expect(await readFrom(golden.records[0] as GoldenRecord, envelope)).toMatchObject({ code })
  })
})

describe.skipIf(!hasPython)(
  `the Python program${hasPython ? '' : ': SKIPPED, no python3 with cryptography'}`,
  () => {
    test('would write the committed file again', () => {
      expect(pythonOf(['--check']).status).toBe(0)
    })

    test('reads what we store, where we store it', async () => {
      const ours = await Promise.all(
        golden.records.map(async (record) => {
          const store: MemoryStore = memory()
          const value = Buffer.from(record.value, 'hex')
          const set = { type: 'set', key: record.canonical, value, version: newVersion() } as const
          await stackOf(record, store).write([set], callOptions())
          const envelope = store.native.get(record.stored)?.value as Bytes
          return { ...record, envelope: Buffer.from(envelope).toString('hex') }
        }),
      )
      const { status, stdout } = pythonOf(
        ['--open'],
        ours.map((record) => `${JSON.stringify(record)}\n`).join(''),
      )
      expect(status).toBe(0)
      expect(stdout.slice(0, -1).split('\n')).toEqual(golden.records.map(({ value }) => value))
    })

    test('refuses what we refuse', () => {
      const records = golden.refused.map(({ envelope }) => ({ ...golden.records[0], envelope }))
      const { stdout } = pythonOf(['--open'], records.map((record) => `${JSON.stringify(record)}\n`).join(''))
      const answers = stdout.trimEnd().split('\n')
      expect(answers).toHaveLength(golden.refused.length)
      for (const answer of answers) expect(answer).toMatch(/^refused: /)
    })
  },
)
