import { randomBytes } from 'node:crypto'
import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test, vi } from 'vitest'
import { encryption, type KmsProvider, kmsKeys, open, seal } from '../../src/index.ts'
import { encodeWrappedKeys } from '../../src/keys/wrapped-keys.ts'
import { watched } from '../kms-doubles.ts'
import { utf8 } from '../records.ts'
import { dataset } from '../stored.ts'
import { opened } from './opened.ts'

const at = { dataset, key: 'ada' }

/** A promise that others settle. */
function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let pass = (): void => undefined
  const passed = new Promise<void>((resolve) => {
    pass = resolve
  })
  return { passed, open: () => pass() }
}

describe('a service that hands out', () => {
  test('a key that was handed over before, and is zeros now, seals nothing', async () => {
    const kms = watched()
    const once = kms.generateDataKey(
      { 'unikv:dataset': dataset },
      { signal: new AbortController().signal, deadlineAt: 0 },
    )
    const caching: KmsProvider = { ...kms, generateDataKey: () => once }
    const keys = kmsKeys({ providers: caching, maxMessages: 1 })
    expect(await open(await seal(utf8('Ada'), { ...at, keys }), { ...at, keys })).toEqual(Buffer.from('Ada'))
    await expect(seal(utf8('Bob'), { ...at, keys })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('a key for each of two datasets, with room for one, is not asked again and again', async () => {
    const kms = watched()
    const keys = kmsKeys({ providers: kms, maxKeys: 1 })
    const seals = ['a', 'b', 'c'].map((name) =>
      seal(utf8(name), { keys, dataset: name, key: 'x', timeoutMs: 2000 }),
    )
    expect(await Promise.all(seals)).toHaveLength(3)
    expect(kms.calls.generate).toBe(3)
  })

  test('a key that is old when it comes serves those who waited for it, and nobody else', async () => {
    const kms = watched()
    let now = 0
    // Time goes on whenever somebody looks.
    const keys = kmsKeys({ providers: kms, maxAgeMs: 5, clock: () => (now += 10) })
    const seals = [1, 2, 3].map((n) => seal(utf8(`${n}`), { ...at, keys, timeoutMs: 2000 }))
    expect(await Promise.all(seals)).toHaveLength(3)
    expect(kms.calls.generate).toBe(1)
    await seal(utf8('4'), { ...at, keys })
    expect(kms.calls.generate).toBe(2)
  })

  test.each(['generateDataKey', 'decryptDataKey'] as const)(
    'a key after its time (%s) has it overwritten all the same',
    async (verb) => {
      const kms = watched()
      const answer = gate()
      const envelope = await seal(utf8('Ada'), { ...at, keys: kmsKeys({ providers: kms }) })
      const late = randomBytes(32)
      const given = { generateDataKey: { key: late, blob: late.subarray(1) }, decryptDataKey: late }
      const slow: KmsProvider = { ...kms, [verb]: () => answer.passed.then(() => given[verb]) }
      const keys = kmsKeys({ providers: slow, timeoutMs: 20 })
      const asked = verb === 'decryptDataKey' ? open(envelope, { ...at, keys }) : seal(late, { ...at, keys })
      await expect(asked).rejects.toMatchObject({ code: 'TIMEOUT' })
      answer.open()
      await vi.waitFor(() => expect(late.every((byte) => byte === 0)).toBe(true))
    },
  )

  test('a key after all who asked for it have gone keeps it whole for the next', async () => {
    const { kms, keys } = opened({ timeoutMs: 1e9 })
    const answer = gate()
    kms.before = () => answer.passed
    const stop = new AbortController()
    const gone = seal(utf8('1'), { ...at, keys, signal: stop.signal })
    stop.abort()
    await expect(gone).rejects.toMatchObject({ code: 'ABORTED' })
    answer.open()
    await new Promise(setImmediate)
    const envelope = await seal(utf8('2'), { ...at, keys })
    expect(kms.calls.generate).toBe(1)
    expect(await open(envelope, { ...at, keys: kmsKeys({ providers: kms }) })).toEqual(Buffer.from('2'))
  })
})

describe('forget', () => {
  test('also keeps nothing of what was asked before: sealing', async () => {
    const { kms, keys } = opened()
    const answer = gate()
    kms.before = () => answer.passed
    const sealing = seal(utf8('Ada'), { ...at, keys })
    await new Promise(setImmediate)
    keys.forget()
    answer.open()
    const envelope = await sealing
    const before = kms.calls.generate
    keys.forget()
    await seal(utf8('Bob'), { ...at, keys })
    expect(kms.calls.generate).toBe(before + 1)
    expect(await open(envelope, { ...at, keys })).toEqual(Buffer.from('Ada'))
  })

  test('also keeps nothing of what was asked before: opening', async () => {
    const { kms, keys } = opened()
    const envelope = await seal(utf8('Ada'), { ...at, keys })
    keys.forget()
    const answer = gate()
    kms.before = () => answer.passed
    const opening = open(envelope, { ...at, keys })
    await new Promise(setImmediate)
    keys.forget()
    answer.open()
    expect(await opening).toEqual(Buffer.from('Ada'))
    kms.before = () => Promise.reject(new Error('the right was taken away'))
    await expect(open(envelope, { ...at, keys })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('lets who asks after it wait for no answer of before', async () => {
    const { kms, keys } = opened()
    const envelope = await seal(utf8('Ada'), { ...at, keys })
    keys.forget()
    const answer = gate()
    kms.before = () => answer.passed
    const opening = open(envelope, { ...at, keys })
    keys.forget()
    kms.before = () => Promise.reject(new Error('the right was taken away'))
    await expect(open(envelope, { ...at, keys })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    answer.open()
    expect(await opening).toEqual(Buffer.from('Ada'))
  })
})

test('a record that names one service eight times has it asked once', async () => {
  const { kms, keys } = opened()
  const envelope = Buffer.from(await seal(utf8('Ada'), { ...at, keys }))
  const idsEnd = 8 + 'mainkms'.length
  const length = envelope.readUInt16BE(idsEnd)
  const key = { providerId: 'local', info: Buffer.from('w1') }
  const section = encodeWrappedKeys(Array.from({ length: 8 }, (_, i) => ({ ...key, blob: Buffer.of(i, 1) })))
  const forged = Buffer.concat([
    envelope.subarray(0, idsEnd),
    section as Buffer,
    envelope.subarray(idsEnd + length),
  ])
  await expect(open(forged, { ...at, keys })).rejects.toMatchObject({ code: 'CORRUPT' })
  expect(kms.calls.decrypt).toBe(1)
})

test('a service that changes how it is called ends in an error of ours, and what it made is overwritten', async () => {
  const kms = watched()
  const made: Uint8Array[] = []
  const changing = {
    ...kms,
    info: 'w1' as unknown,
    async generateDataKey(...asked: Parameters<KmsProvider['generateDataKey']>) {
      const answer = await kms.generateDataKey(...asked)
      made.push(answer.key)
      return answer
    },
  }
  const keys = kmsKeys({ providers: changing as KmsProvider })
  changing.info = undefined
  const users = keyValue(memory(), [json(), encryption({ dataset, keys })])
  await expect(users.set('ada', 1)).rejects.toMatchObject({ name: 'StoreError', code: 'UNAVAILABLE' })
  for (const key of made) expect(Buffer.from(key).equals(Buffer.alloc(32))).toBe(true)
})
