import { randomBytes } from 'node:crypto'
import { type Bytes, compose } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { readHeader } from '../../src/envelope/envelope.ts'
import {
  encryption,
  type KmsKeysOptions,
  type KmsOpenOptions,
  kmsKeys,
  open,
  openStream,
  seal,
  sealStream,
} from '../../src/index.ts'
import { watchedKeys } from '../kms-doubles.ts'
import { codeOf, keys as plainKeys, utf8 } from '../records.ts'
import { plant } from '../stored.ts'

function opened(options: Partial<KmsKeysOptions> = {}) {
  const made = watchedKeys(options)
  const place = { dataset: 'backups', key: '2026-11-22' }
  /** As another process has it: with nothing in memory. */
  const elsewhere = (): KmsOpenOptions => ({ ...place, keys: kmsKeys({ providers: made.kms, ...options }) })
  return { ...made, at: { ...place, keys: made.keys } satisfies KmsOpenOptions, elsewhere }
}

async function all(stream: AsyncIterable<Bytes>): Promise<Buffer> {
  const parts: Bytes[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}

const down = (): Promise<void> => Promise.reject(new Error('down'))
const never = (): Promise<void> => new Promise(() => undefined)

describe('seal and open with the keys of a service', () => {
  test('give promises, of an envelope with its wrapped key and of the bytes, in any process', async () => {
    const { kms, at, elsewhere } = opened()
    const sealed = seal(utf8('Ada'), at)
    expectTypeOf(sealed).toEqualTypeOf<Promise<Bytes>>()
    const envelope = await sealed
    expect(readHeader(envelope)).toMatchObject({ keyringId: 'main', keyId: 'kms', flags: 0x20 })
    const again = open(envelope, elsewhere())
    expectTypeOf(again).toEqualTypeOf<Promise<Bytes>>()
    expect(await again).toEqual(Buffer.from('Ada'))
    expect(kms.calls).toEqual({ generate: 1, encrypt: 0, decrypt: 1 })
    expect(kms.contexts).toEqual([{ 'unikv:dataset': 'backups' }, { 'unikv:dataset': 'backups' }])
  })

  test('with a keyring are at hand as ever', () => {
    const at = { dataset: 'backups', key: 'x', keys: plainKeys }
    const envelope = seal(utf8('Ada'), at)
    expectTypeOf(envelope).toEqualTypeOf<Bytes>()
    expectTypeOf(open(envelope, at)).toEqualTypeOf<Bytes>()
    expect(open(envelope, at)).toEqual(Buffer.from('Ada'))
  })

  test('are those of a store with the same keys', async () => {
    const { at, keys } = opened()
    const store = memory()
    await plant(store, at.key, await seal(utf8('Ada'), at))
    const stack = compose(store, [encryption({ dataset: at.dataset, keys })])
    expect(await stack.read([{ key: at.key }], callOptions())).toMatchObject([{ value: Buffer.from('Ada') }])
  })

  test('take one data key, whoever asks at the same time, until it is old or spent', async () => {
    const { kms, time, at, elsewhere } = opened({ maxMessages: 20, maxAgeMs: 1000 })
    const envelopes = await Promise.all(Array.from({ length: 20 }, (_, i) => seal(utf8(`${i}`), at)))
    expect(kms.calls.generate).toBe(1)
    const other = elsewhere()
    const bytes = await Promise.all(envelopes.map((envelope) => open(envelope, other)))
    expect(bytes.map(String)).toEqual(Array.from({ length: 20 }, (_, i) => `${i}`))
    expect(kms.calls.decrypt).toBe(1)
    await seal(utf8('21st'), at)
    expect(kms.calls.generate).toBe(2)
    time.now += 1000
    await seal(utf8('later'), at)
    expect(kms.calls.generate).toBe(3)
  })

  test('refuse what was moved or changed, and know an envelope of a keyring if they were given it', async () => {
    const { kms, at } = opened()
    const envelope = Buffer.from(await seal(utf8('Ada'), at))
    for (const wrong of [{ key: 'other' }, { context: 'tenant 7' }, { kind: 'delta-base' as const }])
      await expect(open(envelope, { ...at, ...wrong })).rejects.toMatchObject({
        code: 'AUTHENTICATION_FAILED',
      })
    await expect(open(envelope.subarray(0, 40), at)).rejects.toMatchObject({ code: 'CORRUPT' })
    const old = seal(utf8('old'), { ...at, keys: plainKeys })
    await expect(open(old, at)).rejects.toMatchObject({ code: 'UNKNOWN_KEY_ID' })
    const both = kmsKeys({ providers: kms, keyring: plainKeys })
    expect(await open(old, { ...at, keys: both })).toEqual(Buffer.from('old'))
  })

  test('reject, and never throw, for what they cannot take', async () => {
    const { at } = opened()
    const calls: readonly [string, () => Promise<Bytes>][] = [
      ['INVALID_VALUE', () => seal('text' as never, at)],
      ['INVALID_VALUE', () => open('text' as never, at)],
      ['INVALID_KEY', () => seal(utf8('x'), { ...at, key: '\ud800' })],
      ['INVALID_CONFIG', () => seal(utf8('x'), { ...at, dataset: '' })],
      ['INVALID_ARGUMENT', () => seal(utf8('x'), { ...at, timeoutMs: 0 })],
      ['INVALID_ARGUMENT', () => open(utf8('x'), { ...at, timeoutMs: Number.NaN })],
    ]
    for (const [code, call] of calls) await expect(call()).rejects.toMatchObject({ code })
    // What is no keys at all promises nothing.
    expect(codeOf(() => seal(utf8('x'), { ...at, keys: { ...at.keys } }))).toBe('INVALID_CONFIG')
    expect(codeOf(() => open(utf8('x'), { ...at, keys: {} as never }))).toBe('INVALID_CONFIG')
  })

  test('fail when the service does, and at the deadline or signal of the call when it is slow', async () => {
    const { kms, at, elsewhere } = opened({ timeoutMs: 1e9 })
    const envelope = await seal(utf8('Ada'), at)
    kms.before = down
    await expect(open(envelope, elsewhere())).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(await open(envelope, at), 'its key is still at hand').toEqual(Buffer.from('Ada'))
    kms.before = never
    const slow = { ...elsewhere(), timeoutMs: 50 }
    await expect(open(envelope, slow)).rejects.toMatchObject({ code: 'TIMEOUT' })
    await expect(seal(utf8('x'), slow)).rejects.toMatchObject({ code: 'TIMEOUT' })
    const stop = new AbortController()
    const ended = seal(utf8('x'), { ...elsewhere(), signal: stop.signal })
    stop.abort()
    await expect(ended).rejects.toMatchObject({ code: 'ABORTED' })
  })
})

describe('streams with the keys of a service', () => {
  test.each([0, 1, 1_016, 1_017, 100_000])(
    'of %i bytes are sealed and opened, by open too',
    async (length) => {
      const { kms, at, elsewhere } = opened()
      const value = randomBytes(length)
      const sealed = await all(sealStream([value], { ...at, chunkBytes: 1_024, padding: 'padme' }))
      expect(value.equals(await all(openStream([sealed], elsewhere())))).toBe(true)
      expect(value.equals(await open(sealed, elsewhere()))).toBe(true)
      expect(kms.calls).toEqual({ generate: 1, encrypt: 0, decrypt: 2 })
    },
  )

  test('count what they seal, so that the next write has a key of its own', async () => {
    const { kms, at } = opened({ maxBytes: 10_000 })
    await all(sealStream([randomBytes(9_000)], at))
    await seal(randomBytes(900), at)
    expect(kms.calls.generate).toBe(1)
    await all(sealStream([randomBytes(20_000)], at))
    expect(kms.calls.generate, 'nobody knows how long it will be').toBe(1)
    await seal(utf8('x'), at)
    expect(kms.calls.generate).toBe(2)
  })

  test('give nothing while the service is down, and leave their source', async () => {
    const { kms, at, elsewhere } = opened()
    const sealed = await all(sealStream([randomBytes(3_000)], { ...at, chunkBytes: 1_024 }))
    kms.before = down
    let isOpen = true
    async function* source(): AsyncGenerator<Bytes> {
      try {
        yield sealed.subarray(0, 2_000)
        yield sealed.subarray(2_000)
      } finally {
        isOpen = false
      }
    }
    const given: Bytes[] = []
    const read = async (): Promise<void> => {
      for await (const chunk of openStream(source(), elsewhere())) given.push(chunk)
    }
    await expect(read()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect([given, isOpen]).toEqual([[], false])
    await expect(all(sealStream([utf8('x')], elsewhere()))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})
