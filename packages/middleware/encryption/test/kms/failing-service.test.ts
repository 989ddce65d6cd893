import { inspect } from 'node:util'
import { compose, isStoreError, json, keyValue, StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describe, expect, test } from 'vitest'
import { encryption, type KmsProvider, kmsKeys, seal } from '../../src/index.ts'
import { utf8 } from '../records.ts'
import { dataset } from '../stored.ts'
import { entries, never, opened } from './opened.ts'

describe('a service that fails', () => {
  test('and does not answer ends the call at its own deadline, with nothing written', async () => {
    const { kms, store, users } = opened({ timeoutMs: 1e9 })
    kms.before = never
    await expect(users.set('ada', 1, { timeoutMs: 60 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    expect(store.native.size).toBe(0)
    const stop = new AbortController()
    const aborted = users.set('ada', 1, { signal: stop.signal })
    stop.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' })
    expect(kms.calls.generate, 'both waited for one answer').toBe(1)
    expect(store.native.size).toBe(0)
  })

  test('is told to stop after timeoutMs, and all who wait are told', async () => {
    const { kms, users } = opened({ timeoutMs: 400 })
    let signal: AbortSignal | undefined
    kms.before = (one) => {
      signal = one
      return never()
    }
    const outcomes = await Promise.allSettled(entries(3).map(([key, value]) => users.set(key, value)))
    expect(outcomes).toMatchObject(entries(3).map(() => ({ reason: { code: 'TIMEOUT' } })))
    expect(signal?.aborted).toBe(true)
    kms.before = async () => {
      // It is back.
    }
    await users.set('ada', 1)
    expect(await users.get('ada')).toBe(1)
  })

  test('fails writes with a typed error that holds nothing of its own, and never writes plain text', async () => {
    const { kms, store, users } = opened()
    const failure = Object.assign(new Error('the request with secret hunter2'), {
      name: 'InternalFailure',
      request: { authorization: 'hunter2' },
    })
    kms.before = () => Promise.reject(failure)
    const error: unknown = await users.set('ada', 1).catch((one: unknown) => one)
    expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('InternalFailure') })
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain('hunter2')
    const told = (): never => {
      throw failure
    }
    const answers = [
      () => Promise.reject(new Proxy(failure, { get: told, getPrototypeOf: told })),
      () => Promise.reject(Object.defineProperty(new Error('x'), 'name', { get: told })),
      async () => Object.defineProperty({}, 'key', { get: told }) as never,
    ]
    for (const generateDataKey of answers) {
      const keys = kmsKeys({ providers: { ...kms, generateDataKey } })
      const odd: unknown = await seal(utf8('x'), { keys, dataset, key: 'x' }).catch((one: unknown) => one)
      expect(odd).toMatchObject({ code: 'UNAVAILABLE' })
      expect(inspect(odd, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain('hunter2')
    }
    let infos: (() => unknown)[] = []
    const first = Object.defineProperty({ ...kms }, 'info', { get: () => (infos.pop() ?? String)() })
    const keys = kmsKeys({ providers: first })
    for (const info of [told, () => undefined]) {
      infos = [info]
      const sealing = Promise.resolve(seal(utf8('x'), { keys, dataset, key: 'x' }))
      await expect(sealing).rejects.toMatchObject({ name: 'StoreError', code: 'UNAVAILABLE' })
    }
    kms.before = () => Promise.reject(new StoreError('ACCESS_DENIED', 'Not allowed.'))
    await expect(users.set('ada', 1)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
    expect(store.native.size).toBe(0)
  })

  test('fails only the records whose keys are not to be had', async () => {
    const { kms, store, users } = opened({ maxMessages: 1 })
    for (const [key, value] of entries(3)) await users.set(key, value)
    const keys = kmsKeys({ providers: kms })
    const other = keyValue(store, [json(), encryption({ dataset, keys })])
    await other.get('user 1')
    kms.before = () => Promise.reject(new Error('down'))
    const failure: unknown = await other
      .getMany(['user 0', 'user 1', 'missing', 'user 2'])
      .catch((e: unknown) => e)
    expect(failure).toMatchObject({ code: 'PARTIAL' })
    expect((failure as StoreError).results).toMatchObject([
      { code: 'UNAVAILABLE' },
      { value: 1 },
      undefined,
      { code: 'UNAVAILABLE' },
    ])
    expect(await other.has('user 0')).toBe(true)
    const scanned = compose(store, [encryption({ dataset, keys })]).scan(
      { prefix: '', pageSize: 9, values: true },
      callOptions(),
    )
    const found: string[] = []
    for await (const page of scanned)
      for (const { key, entry } of page.entries)
        found.push(`${key}: ${isStoreError(entry) ? entry.code : 'read'}`)
    expect(found.toSorted()).toEqual(['user 0: UNAVAILABLE', 'user 1: read', 'user 2: UNAVAILABLE'])
  })

  const wrongAnswers: readonly [string, (right: Uint8Array) => unknown][] = [
    ['another key', () => Buffer.alloc(32, 7)],
    ['31 bytes', (right) => right.slice(1)],
    ['33 bytes', (right) => Buffer.concat([right, Buffer.alloc(1)])],
    ['nothing', () => undefined],
    ['text', (right) => Buffer.from(right).toString('base64')],
  ]
  test.each(wrongAnswers)('by giving %s opens nothing, and spoils no later answer', async (_, wrong) => {
    const { kms, store, users } = opened()
    await users.set('ada', 1)
    let lies = true
    const lying: KmsProvider = {
      ...kms,
      decryptDataKey: async (...asked) => {
        const right = await kms.decryptDataKey(...asked)
        return (lies ? wrong(right) : right) as Uint8Array
      },
    }
    const other = keyValue(store, [json(), encryption({ dataset, keys: kmsKeys({ providers: lying }) })])
    await expect(other.get('ada')).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' })
    lies = false
    expect(await other.get('ada')).toBe(1)
  })

  test.each([
    ['no key', { key: undefined }],
    ['a short key', { key: new Uint8Array(16) }],
    ['no blob', { blob: undefined }],
    ['an empty blob', { blob: new Uint8Array() }],
  ])('by making %s seals nothing', async (_, change) => {
    const { kms, store } = opened()
    const strange: KmsProvider = {
      ...kms,
      generateDataKey: async (...asked) => ({ ...(await kms.generateDataKey(...asked)), ...change }) as never,
    }
    const users = keyValue(store, [json(), encryption({ dataset, keys: kmsKeys({ providers: strange }) })])
    await expect(users.set('ada', 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(store.native.size).toBe(0)
  })
})
