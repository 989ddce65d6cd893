import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compression } from '@unikv/compression'
import { conformance } from '@unikv/conformance'
import { type AnyStore, type Bytes, compose, json, type Store } from '@unikv/core'
import { type DeltaOptions, delta } from '@unikv/delta'
import { encryption, keyring } from '@unikv/encryption'
import { file } from '@unikv/file'
import { lmdb } from '@unikv/lmdb'
import { redis } from '@unikv/redis'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, describe, test } from 'vitest'

const everyStack = process.env['UNIKV_EVERY_STACK'] !== undefined

/** Stacks that differ from those of every run in one layer alone are left to `npm run prove -- delta-stacks`. */
function sometimes(title: string, suite: () => Promise<void>): void {
  if (everyStack) describe(title, suite)
}

/** Of the others the whole suite runs over memory. */
const topics = everyStack ? undefined : /^(read and write|batches$|conditions|races|expiry$)/

const name = `delta_${process.pid}_${Date.now().toString(36)}`
let root = ''
let folders = 0
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'unikv-delta-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

const fresh = (): string => join(root, String(folders++))
const keys = keyring({ primary: 'k1', keys: { k1: randomBytes(32) } })
const short: DeltaOptions = { minBytes: 0, maxDeltas: 4, inlineBytes: 200 }

/** Value number `n`: about 2 KiB, of which little differs from one to the next. */
function revision(n: number): Bytes {
  return Buffer.from(`${n} ${'of what stays as it was, whatever the number is'.repeat(40)} ${n}`)
}

function document(n: number): unknown {
  return { n, text: 'of what stays as it was, whatever the number is'.repeat(40), tags: [n, { at: null }] }
}

/** The recommended stack. */
function sealed(store: AnyStore): Store<unknown> {
  return compose(store as Store<Bytes>, [
    json(),
    delta(short) as never,
    compression({ withEncryption: true }),
    encryption({ dataset: 'conformance', keys }),
  ]) as Store<unknown>
}

sometimes('deltas in LMDB', async () => {
  await conformance({
    test,
    describe,
    value: revision,
    open: () => compose(lmdb({ path: fresh() }), [delta(short)]),
  })
})

describe('deltas of JSON, compressed and sealed, in LMDB', async () => {
  const open = () => sealed(lmdb({ path: fresh(), durability: 'buffered' }))
  await conformance<unknown>({ test, describe, value: document, topics, open })
})

sometimes('deltas in files', async () => {
  await conformance({
    test,
    describe,
    value: revision,
    open: () => compose(file({ directory: fresh() }), [delta(short)]),
  })
})

describeWith('redis', async (url) => {
  let datasets = 0
  const open = () => redis({ url, dataset: `${name}_${datasets++}` })
  sometimes('deltas in Redis', async () => {
    const stack = () => compose(open(), [delta(short)])
    await conformance({ test, describe, value: revision, open: stack })
  })
  describe('deltas of JSON, compressed and sealed, in Redis', async () => {
    await conformance<unknown>({ test, describe, value: document, topics, open: () => sealed(open()) })
  })
})
