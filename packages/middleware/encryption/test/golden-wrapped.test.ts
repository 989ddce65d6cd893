import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Bytes, compose, type Entry, isStoreError, newVersion, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type Algorithm, encryption, keyring, kmsKeys, localKms, type Padding } from '../src/index.ts'
import { held, plant } from './stored.ts'

/** What `golden/make_wrapped.py`, an implementation in another language, wrote. */
interface Golden {
  readonly envelopes: readonly Wrapped[]
  readonly refused: readonly { readonly name: string; readonly code: string; readonly envelope: string }[]
}

interface Wrapped {
  readonly name: string
  readonly algorithm: Algorithm
  readonly keyringId: string
  readonly keyId: string
  readonly dataset: string
  readonly key: string
  readonly codec: string
  readonly context: string
  readonly value: string
  readonly padding?: Padding
  readonly chunkBytes?: number
  readonly kmsContext: Readonly<Record<string, string>>
  readonly providers: readonly { readonly id: string; readonly info: string; readonly root: string }[]
  readonly envelope: string
}

const folder = new URL('golden/', import.meta.url)
const script = fileURLToPath(new URL('make_wrapped.py', folder))
const golden = JSON.parse(readFileSync(new URL('wrapped.json', folder), 'utf8')) as Golden
const plain: Wrapped = { ...(golden.envelopes[0] as Wrapped), name: 'refused' }

/** The stack that a record belongs to, over its store. */
function stackOf(record: Wrapped) {
  const store = memory()
  const { 'unikv:dataset': _dataset, ...context } = record.kmsContext
  const providers = record.providers.map(({ id, info, root }) =>
    localKms({ id, keys: keyring({ primary: info, keys: { [info]: root } }) }),
  )
  const keys = kmsKeys({ id: record.keyringId, keyId: record.keyId, providers, context })
  const { dataset, codec, algorithm, padding, chunkBytes } = record
  const chunks = chunkBytes === undefined ? {} : { chunkBytes, chunkAboveBytes: 0 }
  const bound = Buffer.from(record.context, 'hex')
  const layer = encryption({ keys, dataset, codec, context: bound, algorithm, padding, ...chunks })
  return { store, stack: compose(store, [layer]) as Store<Bytes> }
}

async function opened(record: Wrapped): Promise<string> {
  const { store, stack } = stackOf(record)
  await plant(store, record.key, Buffer.from(record.envelope, 'hex'))
  const [result] = await stack.read([{ key: record.key }], callOptions())
  return isStoreError(result) ? result.code : Buffer.from((result as Entry<Bytes>).value).toString('hex')
}

describe('golden envelopes with wrapped data keys', () => {
  test.each(golden.envelopes)('$name opens', async (record) => {
    expect(await opened(record)).toBe(record.value)
  })

  test.each(golden.refused)('$name is refused with $code', async ({ envelope, code }) => {
    expect(await opened({ ...plain, envelope })).toBe(code)
  })

  test('there are enough of them', () => {
    expect([golden.envelopes.length, golden.refused.length]).toEqual([19, 25])
  })
})

describe.skipIf(!hasPython())(
  `the Python program${hasPython() ? '' : ': SKIPPED, no python3 with cryptography'}`,
  () => {
    test('would write the committed file again', () => {
      expect(spawnSync('python3', [script, '--check']).status).toBe(0)
    })

    test('opens what we seal, and refuses what we refuse', async () => {
      const ours = await Promise.all(golden.envelopes.map(sealedByUs))
      const refused = golden.refused.map(({ envelope }) => ({ ...plain, envelope }))
      const input = [...ours, ...refused].map((record) => `${JSON.stringify(record)}\n`).join('')
      const { stdout, status, stderr } = spawnSync('python3', [script, '--open'], { input, encoding: 'utf8' })
      expect(status, stderr).toBe(0)
      const answers = stdout.trimEnd().split('\n')
      expect(answers.slice(0, ours.length)).toEqual(ours.map(({ value }) => value))
      for (const answer of answers.slice(ours.length)) expect(answer).toMatch(/^refused: /)
      expect(answers).toHaveLength(ours.length + refused.length)
    })
  },
)

async function sealedByUs(record: Wrapped): Promise<Wrapped> {
  const { store, stack } = stackOf(record)
  const value = Buffer.from(record.value, 'hex')
  await stack.write([{ type: 'set', key: record.key, version: newVersion(), value }], callOptions())
  return { ...record, envelope: Buffer.from(held(store, record.key)).toString('hex') }
}

function hasPython(): boolean {
  return spawnSync('python3', ['-c', 'import cryptography']).status === 0
}
