import assert from 'node:assert/strict'
import type { Capabilities, StoreError } from '@unikv/core'
import { rejectsWith } from '../assertions.ts'
import type { AnyKeyValue, Fixture } from '../fixture.ts'
import { conditionalWrite, scan, type Topic } from '../topic.ts'
import { collect } from '../verbs.ts'

/** Calls as plain JavaScript writes them, without types. */
type Untyped = Record<string, (...given: readonly unknown[]) => never>
type Calls = (kv: Untyped, t: Fixture) => readonly (() => unknown)[]

/** Values without options in them, though some have a `signal`. */
const wrongPlaces: readonly unknown[] = [
  1_000,
  'text',
  true,
  null,
  [],
  () => 1,
  new Date(),
  new AbortController(),
  new AbortController().signal,
]

interface Mistake {
  readonly what: string
  /** @default every store */
  readonly when?: (capabilities: Capabilities) => boolean
  readonly calls: Calls
}

/** Arguments that are refused before the store is asked. */
const all: readonly Mistake[] = [
  {
    what: 'an option that no call knows',
    calls: (kv, t) => [
      () => kv['get']?.('key', { timeout: 5 }),
      () => kv['getEntry']?.('key', { ttlMs: 5 }),
      () => kv['has']?.('key', { limit: 5 }),
      () => kv['getMany']?.(['key'], { prefix: 'k' }),
      () => kv['set']?.('key', t.value(1), { ttl: 5 }),
      () => kv['setMany']?.([['key', t.value(1)]], { expires: 5 }),
      () => kv['delete']?.('key', { ttlMs: 5 }),
      () => kv['deleteMany']?.(['key'], { ifVersion: 'v' }),
    ],
  },
  {
    what: 'something else in the place of options',
    calls: (kv, t) =>
      wrongPlaces.flatMap((given) => [
        () => kv['get']?.('key', given),
        () => kv['set']?.('key', t.value(1), given),
        () => kv['deleteMany']?.(['key'], given),
      ]),
  },
  {
    what: 'what is not an iterable of keys or pairs',
    calls: (kv, t) => [
      ...['abc', 5, undefined, null, {}, Promise.resolve(['key'])].flatMap((given) => [
        () => kv['getMany']?.(given),
        () => kv['deleteMany']?.(given),
        () => kv['setMany']?.(given),
      ]),
      () => kv['setMany']?.({ a: t.value(1) }),
      () => kv['setMany']?.(['ab', 'cd']),
      () => kv['setMany']?.([{ key: 'a', value: t.value(1) }]),
      () => kv['setMany']?.([['a', t.value(1), { ttl: 5 }]]),
      () => kv['setMany']?.([['a', t.value(1), 5]]),
      () => kv['setMany']?.([['a', t.value(1), {}, {}]]),
    ],
  },
  {
    what: 'an expiry of setMany and write that is not one, also where another one counts',
    when: (c) => c.ttl !== false,
    calls: (kv, t) => [
      ...[null, 0, -5, Number.NaN, '5'].flatMap((ttlMs) => [
        () => kv['setMany']?.([['key', t.value(1), { ttlMs }]]),
        () => kv['setMany']?.([['key', t.value(1), { ttlMs: 5_000 }]], { ttlMs }),
        () => kv['write']?.([{ type: 'set', key: 'key', value: t.value(1), ttlMs }]),
      ]),
      () => kv['setMany']?.([['key', t.value(1), { expiresAt: null }]]),
    ],
  },
  {
    what: 'an option that no listing knows',
    when: (c) => c.scan !== false,
    calls: (kv) => [
      () => collect(kv['keys']?.({ reversed: true }) as never),
      () => collect(kv['entries']?.({ match: 'k' }) as never),
      () => collect(kv['keys']?.('k') as never),
      () => kv['count']?.({ limit: 5 }),
      () => kv['count']?.('k'),
    ],
  },
  {
    what: 'a listing with two upper or two lower bounds',
    when: (c) => c.scan !== false && c.scan.order === 'bytes',
    calls: (kv) => [
      () => collect(kv['keys']?.({ lt: 'b', lte: 'd' }) as never),
      () => collect(kv['entries']?.({ gt: 'a', gte: 'd' }) as never),
    ],
  },
  {
    what: 'an update with bad settings, or of what is not a function',
    when: (c) => c.conditionalWrite,
    calls: (kv, t) => [
      ...[0, -5, Number.NaN].map((timeoutMs) => () => kv['update']?.('key', () => t.value(1), { timeoutMs })),
      () => kv['update']?.('key', () => t.value(1), { ttl: 5 }),
      ...wrongPlaces.map((given) => () => kv['update']?.('key', () => t.value(1), given)),
      () => kv['update']?.('key', t.value(1)),
    ],
  },
  {
    what: 'a touch without a time to live',
    when: (c) => c.touch && c.ttl !== false,
    calls: (kv) => [
      () => kv['touch']?.('key'),
      () => kv['touch']?.('key', {}),
      () => kv['touch']?.('key', 1_000),
      () => kv['touch']?.('key', { ttl: 1_000 }),
    ],
  },
  {
    what: 'options in the place of the number of an increment',
    when: (c) => c.increment,
    calls: (kv) => [
      () => kv['increment']?.('key', { initial: 5 }),
      () => kv['increment']?.('key', 1, { ttl: 5 }),
      () => kv['increment']?.('key', 1, 5),
    ],
  },
]

/** Mistakes of callers: an error of the argument before the store is asked, never one of the store. */
export const mistakes: Topic = {
  title: 'mistakes of the caller',
  cases: [
    {
      title:
        'an argument of a wrong kind, or an option that is unknown, is refused before the store is asked',
      run: async (t) => {
        for (const { what, when, calls } of all)
          if (when?.(t.capabilities) !== false) await refusals(t, calls, what)
      },
    },
    {
      title: 'an option that is undefined counts as absent',
      run: async ({ kv, value }) => {
        const absent = { timeoutMs: undefined, signal: undefined, consistency: undefined }
        await kv.set('key', value(1), { ...absent, ttlMs: undefined, ifVersion: undefined })
        assert.ok((await kv.get('key', absent)) !== undefined)
      },
    },
    {
      title: 'an iterable that throws is told with its error as the cause',
      run: async (t) => {
        const own = new Error('of the iterable')
        const calls: Calls = (kv) =>
          ['getMany', 'setMany', 'deleteMany'].map((name) => () => kv[name]?.(throwing(own)))
        for (const error of await refusals(t, calls)) assert.equal(error.cause, own)
      },
    },
    {
      title: 'clear is told one thing alone, and else clears nothing',
      needs: [scan],
      run: async (t) => {
        await t.kv.set('key', t.value(1))
        await refusals(t, (kv) =>
          [
            { prefix: 'k', all: true },
            { prefix: '', all: true },
            { prefix: 'k', all: false },
            { all: 'true' },
            { prefx: 'k' },
            'k',
          ].map((what) => () => kv['clear']?.(what)),
        )
        assert.ok(await t.kv.has('key'))
      },
    },
    {
      title: 'update refuses an async function and changes nothing',
      needs: [conditionalWrite],
      run: async ({ kv, value }) => {
        const error = await rejectsWith('INVALID_ARGUMENT', () => kv.update('key', async () => value(1)))
        assert.equal(error.retryable, false)
        assert.equal(await kv.has('key'), false)
      },
    },
  ],
}

/** All of these are the caller's fault, and the store never hears of them. */
async function refusals(t: Fixture, calls: Calls, what?: string): Promise<readonly StoreError[]> {
  const probe = t.observed()
  const kv: AnyKeyValue = t.keyValue(probe.store)
  const errors: StoreError[] = []
  for (const run of calls(kv as unknown as Untyped, t)) {
    const error = await rejectsWith('INVALID_ARGUMENT', run, what)
    assert.equal(error.retryable, false)
    assert.equal(error.store, t.store.name)
    errors.push(error)
  }
  assert.equal(probe.calls, 0, 'nothing was sent')
  return errors
}

function throwing(error: Error): Iterable<never> {
  return {
    [Symbol.iterator]: () => {
      throw error
    },
  }
}
