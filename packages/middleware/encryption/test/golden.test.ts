import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type Algorithm, keyring, open, type RecordKind, seal } from '../src/index.ts'
import { Sealer } from '../src/sealer.ts'
import { codeOf } from './records.ts'

/** What `golden/make.py`, an implementation in another language, wrote. */
interface Golden {
  readonly envelopes: readonly GoldenEnvelope[]
  readonly refused: readonly { readonly name: string; readonly code: string; readonly envelope: string }[]
}

interface GoldenEnvelope {
  readonly name: string
  readonly algorithm: Algorithm
  readonly keyringId: string
  readonly keyId: string
  readonly root: string
  readonly index: number
  readonly dataset: string
  readonly key: string
  readonly kind: RecordKind
  readonly codec: string
  readonly context: string
  readonly value: string
  readonly envelope: string
}

const script = fileURLToPath(new URL('golden/make.py', import.meta.url))
const golden = JSON.parse(readFileSync(new URL('golden/envelopes.json', import.meta.url), 'utf8')) as Golden

const sealerOf = ({ algorithm, ...record }: GoldenEnvelope, salt?: () => Buffer): Sealer =>
  new Sealer({ algorithm, ...settingsOf(record) }, salt)

describe('golden envelopes', () => {
  test('there are more than 20 of them', () => {
    expect(golden.envelopes.length).toBeGreaterThan(20)
  })

  test.each(golden.envelopes)('$name opens', (record) => {
    const value = open(Buffer.from(record.envelope, 'hex'), { key: record.key, ...settingsOf(record) })
    expect(Buffer.from(value).toString('hex')).toBe(record.value)
  })

  test.each(golden.envelopes.filter(({ index }) => index === 0))(
    '$name is what we make with its salt',
    (record) => {
      const envelope = Buffer.from(record.envelope, 'hex')
      const saltAt = 8 + record.keyringId.length + record.keyId.length + 4
      const salt = envelope.subarray(saltAt, saltAt + 32)
      const made = sealerOf(record, () => salt).batch()(record.key, Buffer.from(record.value, 'hex'))
      expect(made.toString('hex')).toBe(record.envelope)
    },
  )

  test.each(golden.refused)('$name is refused with $code', ({ envelope, code }) => {
    const [plain] = golden.envelopes
    const { key, ...record } = plain as GoldenEnvelope
    expect(codeOf(() => open(Buffer.from(envelope, 'hex'), { key, ...settingsOf(record) }))).toBe(code)
  })
})

describe.skipIf(!hasPython())(
  `the Python program${hasPython() ? '' : ': SKIPPED, no python3 with cryptography'}`,
  () => {
    test('would write the committed file again', () => {
      expect(spawnSync('python3', [script, '--check']).status).toBe(0)
    })

    test('opens what we seal', () => {
      const records = golden.envelopes.map((record) => {
        const value = Buffer.from(record.value, 'hex')
        return {
          ...record,
          envelope: hex(seal(value, { key: record.key, ...settingsOf(record), algorithm: record.algorithm })),
        }
      })
      expect(opened(records)).toEqual(records.map(({ value }) => value))
    })

    test('opens a batch that shares a derivation', () => {
      const [plain] = golden.envelopes
      const one = sealerOf(plain as GoldenEnvelope).batch()
      const records = Array.from({ length: 64 }, (_, i) => {
        const key = `key ${i}`
        const value = Buffer.from(`value ${i}`)
        return { ...(plain as GoldenEnvelope), key, value: hex(value), envelope: hex(one(key, value)) }
      })
      expect(opened(records)).toEqual(records.map(({ value }) => value))
    })

    test('refuses what we refuse', () => {
      const [plain] = golden.envelopes
      const records = golden.refused.map(({ envelope }) => ({ ...(plain as GoldenEnvelope), envelope }))
      for (const answer of opened(records)) expect(answer).toMatch(/^refused: /)
    })
  },
)

function settingsOf(
  record: Omit<GoldenEnvelope, 'algorithm' | 'key'>,
): Omit<Parameters<typeof open>[1], 'key'> {
  const keys = keyring({ id: record.keyringId, primary: record.keyId, keys: { [record.keyId]: record.root } })
  const { dataset, kind, codec } = record
  return { keys, dataset, kind, codec, context: Buffer.from(record.context, 'hex') }
}

function opened(records: readonly GoldenEnvelope[]): readonly string[] {
  const input = records.map((record) => `${JSON.stringify(record)}\n`).join('')
  const { stdout, status, stderr } = spawnSync('python3', [script, '--open'], { input, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return stdout.trimEnd().split('\n')
}

function hasPython(): boolean {
  return spawnSync('python3', ['-c', 'import cryptography']).status === 0
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
