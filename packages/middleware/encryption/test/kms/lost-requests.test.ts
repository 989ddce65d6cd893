import { setTimeout as pause } from 'node:timers/promises'
import { json, keyValue } from '@unikv/core'
import { expect, test, vi } from 'vitest'
import { encryption, type KmsProvider, kmsKeys } from '../../src/index.ts'
import { watched } from '../kms-doubles.ts'
import { dataset } from '../stored.ts'
import { never, opened } from './opened.ts'

/** Long enough that only a wait of its own can be why a call ends before. */
const timeoutMs = 600_000

test('a request for a data key that was lost holds up nobody but him who made it', async () => {
  const { kms, store, users, stackOf } = opened()
  await users.set('ada', 1)
  const keys = kmsKeys({ providers: kms, timeoutMs })
  const other = stackOf(keys)
  kms.before = never
  const lost = other.get('ada', { timeoutMs })
  lost.catch(() => {})
  await vi.waitFor(() => expect(kms.calls.decrypt).toBe(1))
  kms.before = async () => {}
  expect(await Promise.all([1, 2, 3].map((n) => other.get('ada', { timeoutMs: timeoutMs - n })))).toEqual([
    1, 1, 1,
  ])
  expect(kms.calls.decrypt, 'the three of them asked once').toBe(2)
  expect(await other.get('ada'), 'and the key is kept').toBe(1)
  expect(kms.calls.decrypt).toBe(2)
  expect(store.native.size).toBe(1)
})

test('a caller that gives up waiting takes a key that another caller got meanwhile', async () => {
  const { kms, users, stackOf } = opened()
  await users.set('ada', 1)
  const other = stackOf(kmsKeys({ providers: kms, timeoutMs: 1000 }))
  kms.before = never
  other.get('ada', { timeoutMs }).catch(() => {})
  await vi.waitFor(() => expect(kms.calls.decrypt).toBe(1))
  kms.before = async () => {}
  const early = other.get('ada', { timeoutMs })
  await pause(50)
  const late = other.get('ada', { timeoutMs: timeoutMs - 1 })
  expect(await Promise.all([early, late])).toEqual([1, 1])
  expect(kms.calls.decrypt).toBe(2)
})

test('so is a request for a new data key; what was asked before forget is not kept', async () => {
  const kms = watched()
  const { stackOf } = opened()
  const keys = kmsKeys({ providers: kms, timeoutMs })
  const users = stackOf(keys)
  let answer = (): void => {}
  kms.before = () =>
    new Promise((resolve) => {
      answer = resolve
    })
  const slow = users.set('slow', 1, { timeoutMs })
  await vi.waitFor(() => expect(kms.calls.generate).toBe(1))
  const answerLate = answer
  kms.before = async () => {}
  await users.set('next', 2, { timeoutMs })
  expect(kms.calls.generate).toBe(2)
  keys.forget()
  answerLate()
  await slow
  await users.set('new', 3)
  expect(kms.calls.generate, 'the late answer came before forget was called for').toBe(3)
  expect(await users.getMany(['slow', 'next', 'new'])).toEqual([1, 2, 3])
})

const codes = ['UNAVAILABLE', 'AUTHENTICATION_FAILED', 'TIMEOUT']
const deeds: readonly [string, () => unknown][] = [
  [
    'throws',
    () => {
      throw new Error('secret')
    },
  ],
  ['rejects', () => Promise.reject(new Error('secret'))],
  ['never settles', never],
  ['gives nothing', () => undefined],
  ['gives a number', () => 42],
  ['gives a promise of null', () => Promise.resolve(null)],
  [
    'gives an object whose fields throw',
    () =>
      Promise.resolve({
        get key() {
          throw new Error('secret')
        },
        get length() {
          throw new Error('secret')
        },
      }),
  ],
]
const verbs = ['generateDataKey', 'encryptDataKey', 'decryptDataKey'] as const

test.each(verbs.flatMap((verb) => deeds.map(([name, deed]) => [verb, name, deed] as const)))(
  'a service whose %s %s fails the call with a typed error, and serves the next one',
  async (verb, _, deed) => {
    const { store } = opened()
    const [first, second] = [watched(), watched('second')]
    let isOdd = true
    const strange = (provider: KmsProvider): KmsProvider => {
      const right = provider[verb] as (...asked: never[]) => unknown
      return { ...provider, [verb]: (...asked: never[]) => (isOdd ? deed() : right(...asked)) }
    }
    const open = (one: KmsProvider, two: KmsProvider) =>
      keyValue(store, [
        json(),
        encryption({
          dataset,
          keys: kmsKeys({ providers: [one, two], timeoutMs: deed === never ? 300 : 60_000 }),
        }),
      ])
    await open(first, second).set('ada', 1)
    const users = open(strange(first), strange(second))
    const call = verb === 'decryptDataKey' ? () => users.get('ada') : () => users.set('bob', 2)
    const error: unknown = await call().catch((one: unknown) => one)
    expect(codes).toContain((error as { code?: unknown }).code)
    expect(String(error)).not.toContain('secret')
    isOdd = false
    expect(await call().then(() => 'done')).toBe('done')
  },
)
