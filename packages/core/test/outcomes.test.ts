import { describe, expect, test } from 'vitest'
import { type Deed, deedOf, errorCodes, mayRetry, outcomeOf, outcomes } from '../src/adapter/index.ts'
import { type ErrorCode, keyValue, type Mutation, newVersion, type Store, StoreError } from '../src/index.ts'
import { silentStore, slowStore } from './slow-store.ts'

const deeds: readonly Deed[] = [
  'read',
  'set',
  'delete',
  'conditional set',
  'conditional delete',
  'touch',
  'increment',
]
const version = newVersion()

describe('the table', () => {
  test('has the two rows of every deed, once each', () => {
    expect(outcomes.map(({ deed, failure }) => `${deed}: ${failure}`)).toEqual(
      deeds.flatMap((deed) => [`${deed}: refused`, `${deed}: unanswered`]),
    )
  })

  test('cannot be changed', () => {
    for (const row of outcomes) expect(Object.isFrozen(row)).toBe(true)
  })

  test('lets what was refused be tried again, and hedges reads alone', () => {
    for (const { deed, failure, retry, hedge } of outcomes) {
      if (failure === 'refused') expect(retry).toBe('yes')
      expect(hedge).toBe(deed === 'read')
    }
  })

  test('never lets a write of unknown outcome be repeated unasked', () => {
    for (const { deed, failure, retry } of outcomes)
      if (failure === 'unanswered' && deed !== 'read') expect(retry).not.toBe('yes')
  })
})

describe('the deed of a mutation', () => {
  const base = { key: 'k', version }
  test.each<[Mutation<number>, Deed]>([
    [{ ...base, type: 'set', value: 1 }, 'set'],
    [{ ...base, type: 'set', value: 1, expiresAt: 'keep' }, 'set'],
    [{ ...base, type: 'set', value: 1, ifVersion: null }, 'conditional set'],
    [{ ...base, type: 'set', value: 1, ifVersion: version }, 'conditional set'],
    [{ ...base, type: 'delete' }, 'delete'],
    [{ ...base, type: 'delete', ifVersion: version }, 'conditional delete'],
    [{ ...base, type: 'touch', expiresAt: 1 }, 'touch'],
    [{ ...base, type: 'increment', by: 1, initial: 0 }, 'increment'],
  ])('%j', (mutation, deed) => {
    expect(deedOf(mutation)).toBe(deed)
  })
})

describe('every deed and every code', () => {
  /** What the contract says, apart from the table: which codes leave a way on. */
  const again = (deed: Deed, code: ErrorCode): 'yes' | 'asked' | 'no' | undefined => {
    if (code === 'UNAVAILABLE' || code === 'OVERLOADED') return 'yes'
    if (code !== 'OUTCOME_UNKNOWN' || deed === 'read') return undefined
    return ['set', 'delete', 'touch'].includes(deed) ? 'asked' : 'no'
  }
  const all = deeds.flatMap((deed) => errorCodes.map((code) => [deed, code] as const))

  test.each(all)('%s and %s', (deed, code) => {
    const error = new StoreError(code, 'a message')
    const expected = again(deed, code)
    expect(outcomeOf(deed, error)?.retry).toBe(expected)
    expect(mayRetry(deed, error)).toBe(expected === 'yes')
    expect(mayRetry(deed, error, true)).toBe(expected === 'yes' || expected === 'asked')
    const marked = ['set', 'conditional set', 'increment'].includes(deed)
    expect(outcomeOf(deed, error)?.readBack === true).toBe(marked && code === 'OUTCOME_UNKNOWN')
  })

  test.each(deeds)('%s: what will not pass, and what is no error of a store, is not tried again', (deed) => {
    const forGood = new StoreError('UNAVAILABLE', 'no trusted TLS', { retryable: false })
    for (const error of [forGood, new Error('UNAVAILABLE'), undefined, { code: 'UNAVAILABLE' }])
      expect(mayRetry(deed, error, true)).toBe(false)
  })
})

describe('OUTCOME_UNKNOWN carries the version of its attempt', () => {
  const bytes = Buffer.from('value')
  const unknown = (): never => {
    throw new StoreError('OUTCOME_UNKNOWN', 'lost')
  }
  /** A store that loses its answers in one way or another, and the versions that were sent to it. */
  function losing(lose: (items: readonly Mutation<Uint8Array>[]) => unknown) {
    const { store } = slowStore({})
    const sent: string[] = []
    const write = async (items: readonly Mutation<Uint8Array>[]): Promise<unknown> => {
      sent.push(...items.map((item) => item.version))
      return lose(items)
    }
    return { sent, kv: keyValue({ ...store, write } as unknown as typeof store) }
  }

  test.each<[string, (items: readonly unknown[]) => unknown]>([
    ['rejects the verb', unknown],
    ['tells it item by item', (items) => items.map(() => new StoreError('OUTCOME_UNKNOWN', 'lost'))],
    ['fails with an error of a driver', () => Promise.reject(new Error('ECONNRESET'))],
  ])('where the store %s', async (_, lose) => {
    const { kv, sent } = losing(lose)
    const calls = [
      () => kv.set('a', bytes),
      () => kv.set('b', bytes, { ifVersion: null }),
      () => kv.delete('c'),
      () => kv.touch('d', { ttlMs: 1_000 }),
      () => kv.increment('e'),
      () => kv.update('f', () => bytes),
    ]
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({
        code: 'OUTCOME_UNKNOWN',
        get version() {
          return sent.at(-1)
        },
      })
    expect(new Set(sent).size).toBe(calls.length)
  })

  test('in the results of setMany and deleteMany, each its own', async () => {
    const { kv, sent } = losing((items) =>
      items.map((item, i) =>
        i === 1 ? { version: item.version } : new StoreError('OUTCOME_UNKNOWN', 'lost'),
      ),
    )
    const partial = async (run: () => Promise<unknown>): Promise<unknown> =>
      run().catch((error: StoreError) => [error.code, error.results])
    const writes = () => kv.setMany(['a', 'b', 'c'].map((key) => [key, bytes] as const))
    expect(await partial(writes)).toMatchObject([
      'PARTIAL',
      [
        { code: 'OUTCOME_UNKNOWN', version: sent[0], operation: 'setMany' },
        { version: sent[1] },
        { code: 'OUTCOME_UNKNOWN', version: sent[2] },
      ],
    ])
    expect(await partial(() => kv.deleteMany(['a', 'b']))).toMatchObject([
      'PARTIAL',
      [{ code: 'OUTCOME_UNKNOWN', version: sent[3], operation: 'deleteMany' }, { version: sent[4] }],
    ])
  })

  test('at the deadline and at an abort', async () => {
    const versions: string[] = []
    const inner = silentStore()
    const noted: Store<Uint8Array, typeof inner.capabilities> = {
      ...inner,
      write: (items, call) => {
        versions.push(...items.map((item) => item.version))
        return inner.write(items, call)
      },
    }
    const kv = keyValue(noted, [], { timeoutMs: 30 })
    const late = await kv.set('a', bytes).catch((error: unknown) => error)
    const controller = new AbortController()
    const aborted = kv.set('b', bytes, { signal: controller.signal }).catch((error: unknown) => error)
    controller.abort()
    expect([late, await aborted]).toMatchObject([
      { code: 'OUTCOME_UNKNOWN', version: versions[0] },
      { code: 'OUTCOME_UNKNOWN', version: versions[1] },
    ])
  })

  test('and no other code does', async () => {
    const { kv } = losing(() => Promise.reject(new StoreError('UNAVAILABLE', 'nothing was sent')))
    await expect(kv.set('a', bytes)).rejects.toMatchObject({ code: 'UNAVAILABLE', version: undefined })
  })
})
