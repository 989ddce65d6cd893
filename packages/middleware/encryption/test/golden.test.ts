import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { longTest } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { Sealer } from '../src/envelope/sealer.ts'
import {
  type Algorithm,
  keyring,
  open,
  type Padding,
  type RecordKind,
  type SealingOptions,
  seal,
  sealStream,
} from '../src/index.ts'
import { codeOf } from './records.ts'

/** What `golden/make.py` and `make_flags.py`, an implementation in another language, wrote. */
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
  /** In hexadecimal, or so many bytes of a stream. */
  readonly value: string | { readonly stream: string; readonly bytes: number }
  readonly padding?: Padding
  readonly chunkBytes?: number | null
  readonly envelope: string
}

const folder = new URL('golden/', import.meta.url)
const script = (name: string): string => fileURLToPath(new URL(name, folder))
const read = (name: string): Golden => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Golden

const first = read('envelopes.json')
const flagged = read('flags.json')
const envelopes = [...first.envelopes, ...flagged.envelopes]
const refused = [...first.refused, ...flagged.refused]
const [plain] = first.envelopes as [GoldenEnvelope]

const sealerOf = (record: GoldenEnvelope, salt?: () => Buffer): Sealer =>
  new Sealer({ ...settingsOf(record), ...formOf(record) }, salt)

describe('golden envelopes', () => {
  test('there are more than 200 of them, of every suite, kind and flag', () => {
    expect(envelopes.length).toBeGreaterThan(200)
    const forms = envelopes.map(
      ({ algorithm, kind, envelope }) => `${algorithm} ${kind} ${envelope.slice(12, 14)}`,
    )
    expect(new Set(forms).size).toBe(3 * 7 * 4)
  })

  test('those of the foundation are as they were', () => {
    const bytes = readFileSync(new URL('envelopes.json', folder))
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(
      '4d3f82e1cb529eec3cdd9c3aace84825564cc714817c35575eea3ac33b269263',
    )
  })

  test.each(envelopes)('$name opens', (record) => {
    const value = open(Buffer.from(record.envelope, 'hex'), { key: record.key, ...settingsOf(record) })
    expect(hex(value)).toBe(hex(valueOf(record)))
  })

  test.each(
    envelopes.filter(({ index, value, chunkBytes }) => index === 0 && !(chunkBytes && isEmpty(value))),
  )('$name is what we make with its salt', (record) => {
    const envelope = Buffer.from(record.envelope, 'hex')
    const saltAt = 8 + record.keyringId.length + record.keyId.length + 4
    const salt = envelope.subarray(saltAt, saltAt + 32)
    const made = sealerOf(record, () => salt).batch()(record.key, valueOf(record))
    expect(made.toString('hex')).toBe(record.envelope)
  })

  test.each(refused)('$name is refused with $code', ({ envelope, code }) => {
    const { key, ...record } = plain
    expect(codeOf(() => open(Buffer.from(envelope, 'hex'), { key, ...settingsOf(record) }))).toBe(code)
  })
})

const isPythonThere = hasPython()

describe.skipIf(!isPythonThere)(
  `the Python program${isPythonThere ? '' : ': SKIPPED, no python3 with cryptography'}`,
  () => {
    longTest('would write again what is committed', () => {
      for (const name of ['make.py', 'make_flags.py'])
        expect(spawnSync('python3', ['-B', script(name), '--check']).status, name).toBe(0)
    })

    test('opens what we seal, with every suite, flag and kind', () => {
      const records = envelopes.map((record) => {
        const options = { key: record.key, ...settingsOf(record), ...formOf(record) }
        return { ...record, envelope: hex(seal(valueOf(record), options)) }
      })
      expect(opened(records)).toEqual(records.map((record) => hex(valueOf(record))))
    })

    test('opens a batch that shares a derivation', () => {
      const one = sealerOf(plain).batch()
      const records = Array.from({ length: 64 }, (_, i) => {
        const key = `key ${i}`
        const value = Buffer.from(`value ${i}`)
        return { ...plain, key, value: hex(value), envelope: hex(one(key, value)) }
      })
      expect(opened(records)).toEqual(records.map(({ value }) => value))
    })

    test('opens streams that we seal', async () => {
      const records: GoldenEnvelope[] = []
      for (const padding of ['none', 'padme', { toMultipleOf: 5_000 }] as const)
        for (const length of [0, 1, 1_016, 1_017, 4_000]) {
          const value = Buffer.alloc(length, 'stream')
          const options = { key: plain.key, ...settingsOf(plain), chunkBytes: 1_024, padding }
          const parts: Uint8Array[] = []
          for await (const part of sealStream([value], options)) parts.push(part)
          records.push({ ...plain, value: hex(value), envelope: hex(Buffer.concat(parts)) })
        }
      expect(opened(records)).toEqual(records.map(({ value }) => value))
    })

    test('refuses what we refuse', () => {
      const records = refused.map(({ envelope }) => ({ ...plain, envelope }))
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

/** How it was sealed, where that is not in its envelope alone. */
function formOf({ algorithm, padding, chunkBytes }: GoldenEnvelope): SealingOptions {
  if (!chunkBytes) return { algorithm, padding }
  return { algorithm, padding, chunkBytes, chunkAboveBytes: 0 }
}

function valueOf({ value }: GoldenEnvelope): Buffer {
  if (typeof value === 'string') return Buffer.from(value, 'hex')
  const blocks = Array.from({ length: Math.floor(value.bytes / 32) + 1 }, (_, i) =>
    createHash('sha256').update(`${value.stream}/${i}`).digest(),
  )
  return Buffer.concat(blocks).subarray(0, value.bytes)
}

function isEmpty(value: GoldenEnvelope['value']): boolean {
  return typeof value === 'string' ? value === '' : value.bytes === 0
}

function opened(records: readonly GoldenEnvelope[]): readonly string[] {
  const input = records.map((record) => `${JSON.stringify(record)}\n`).join('')
  const { stdout, status, stderr } = spawnSync('python3', ['-B', script('make.py'), '--open'], {
    input,
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
  return stdout.trimEnd().split('\n')
}

function hasPython(): boolean {
  return spawnSync('python3', ['-c', 'import cryptography']).status === 0
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
