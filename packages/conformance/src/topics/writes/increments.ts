import assert from 'node:assert/strict'
import {
  type ErrorCode,
  isStoreError,
  isWritten,
  newVersion,
  type Store,
  type WriteResult,
} from '@unikv/core'
import { assertSame, rejectsWith } from '../../assertions.ts'
import { bytes, increment, type Topic, ttl } from '../../topic.ts'
import {
  assertWritten,
  mutate,
  presentEntry,
  readEntry,
  readValue,
  remove,
  set,
  writeTogether,
} from '../../verbs.ts'
import { assertExpiresAt } from './expiry.ts'

const farMs = 10_000_000
const max = Number.MAX_SAFE_INTEGER

/** In Latin-1. */
// biome-ignore format: many on a line, to be looked over
const notNumbers: readonly string[] = [
  '', '-', 'x', 'inf', '1.0', '1.5', '1e3', ' 1', '1 ', '1\n', '+1', '01', '-0', '0x1', 'NaN', 'NULL', '1\0', '--1', '\xff',
  Buffer.from('٣').toString('latin1'), '9007199254740992', '99999999999999999999', '1'.repeat(30),
]

export const increments: Topic = {
  title: 'increment',
  cases: [
    {
      title: 'a missing key starts at the initial number',
      needs: [increment],
      run: async ({ store, counter }) => {
        assert.equal(await add(store, 'a', 1, 0), 1)
        assert.equal(await add(store, 'b', 5, 10), 15)
        assert.equal(await add(store, 'c', 0, -3), -3)
        assertSame(await readValue(store, 'b'), counter(15))
      },
    },
    {
      title: 'an existing number is added to, up and down, and the initial number is of no account',
      needs: [increment],
      run: async ({ store, counter }) => {
        await set(store, 'key', counter(40))
        assert.equal(await add(store, 'key', 2, 1_000), 42)
        assert.equal(await add(store, 'key', -50, 1_000), -8)
        assert.equal(await add(store, 'key', 8, 1_000), 0)
        assert.equal(await add(store, 'key', 0, 1_000), 0)
        assertSame(await readValue(store, 'key'), counter(0))
      },
    },
    {
      title: 'an increment leaves its own version',
      needs: [increment],
      run: async ({ store }) => {
        for (const by of [1, 1, 0]) {
          const version = newVersion()
          const result = assertWritten(
            await mutate(store, { type: 'increment', key: 'key', by, initial: 0, version }),
          )
          assert.equal(result.version, version)
          assert.equal((await presentEntry(store, 'key')).version, version)
        }
      },
    },
    {
      title: 'a deleted counter starts anew',
      needs: [increment],
      run: async ({ store }) => {
        await add(store, 'key', 7, 0)
        await remove(store, 'key')
        assert.equal(await add(store, 'key', 1, 0), 1)
      },
    },
    {
      title: 'increments at the same time count each, over two instances too',
      needs: [increment],
      run: async (t) => {
        const second = await t.reopened()
        const results = await Promise.all(
          Array.from({ length: 40 }, (_, i) => add(i % 2 === 0 ? t.store : second, 'key', 1, 0)),
        )
        assert.deepEqual(
          results.toSorted((a, b) => a - b),
          results.map((_, i) => i + 1),
          'no number comes twice',
        )
        assertSame(await readValue(t.store, 'key'), t.counter(40))
      },
    },
    {
      title: 'a counter keeps its expiry, and a new one takes what it is given',
      needs: [increment, ttl],
      run: async (t) => {
        const expiresAt = t.now() + farMs
        const give = { type: 'increment', by: 1, initial: 0 } as const
        assertWritten(await mutate(t.store, { ...give, key: 'key', version: newVersion(), expiresAt }))
        assertExpiresAt(t, (await presentEntry(t.store, 'key')).expiresAt, expiresAt)
        assertWritten(
          await mutate(t.store, {
            ...give,
            key: 'key',
            version: newVersion(),
            expiresAt: t.now() + 5 * farMs,
          }),
        )
        assertExpiresAt(t, (await presentEntry(t.store, 'key')).expiresAt, expiresAt)
        assertWritten(await mutate(t.store, { ...give, key: 'lasting', version: newVersion() }))
        assert.equal((await presentEntry(t.store, 'lasting')).expiresAt, undefined)
      },
    },
    {
      title: 'an expired counter starts anew',
      needs: [increment, ttl],
      run: async ({ store, counter, expired }) => {
        await expired((expiresAt) => set(store, 'key', counter(7), { expiresAt }))
        assert.equal(await add(store, 'key', 1, 0), 1)
        assert.equal((await presentEntry(store, 'key')).expiresAt, undefined)
      },
    },
    {
      title: 'safe integers are exact to their ends, and are not left',
      needs: [increment],
      run: async ({ store, counter }) => {
        await set(store, 'high', counter(max - 1))
        assert.equal(await add(store, 'high', 1, 0), max)
        await assertKept(store, 'high', 1)
        await set(store, 'low', counter(1 - max))
        assert.equal(await add(store, 'low', -1, 0), -max)
        await assertKept(store, 'low', -1)
        assert.equal(await add(store, 'wide', max, -max), 0)
        assert.equal(
          failure(
            await mutate(store, {
              type: 'increment',
              key: 'new',
              by: 1,
              initial: max,
              version: newVersion(),
            }),
          ),
          'INVALID_VALUE',
        )
        assert.equal(await readEntry(store, 'new'), undefined)
      },
    },
    {
      title: 'a value that is not a number is not counted, and stays as it is',
      needs: [increment, bytes],
      run: async ({ store }) => {
        for (const text of notNumbers) {
          await set(store, 'key', Buffer.from(text, 'latin1'))
          await assertKept(store, 'key', 1)
        }
      },
    },
    {
      title: 'a counter that fails in a batch does not disturb the others',
      needs: [increment, bytes, ({ capabilities }) => capabilities.batch.atomicity === 'none'],
      run: async ({ store, counter }) => {
        await set(store, 'b', Buffer.from('x'))
        const batch = ['a', 'b', 'c'].map(
          (key) => ({ type: 'increment', key, by: 1, initial: 0, version: newVersion() }) as const,
        )
        const results = await writeTogether(store, batch)
        assert.equal(failure(results[1]), 'INVALID_VALUE')
        for (const key of ['a', 'c']) assertSame(await readValue(store, key), counter(1))
      },
    },
    {
      title: 'KeyValue counts',
      needs: [increment],
      run: async ({ kv }) => {
        assert.equal(await kv.increment('key'), 1)
        assert.equal(await kv.increment('key', 4), 5)
        assert.equal(await kv.increment('key', -6), -1)
        assert.equal(await kv.increment('other', 1, { initial: 100 }), 101)
        for (const by of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
          await rejectsWith('INVALID_ARGUMENT', () => kv.increment('key', by))
        }
        await kv.increment('key', max - 5)
        await rejectsWith('INVALID_VALUE', () => kv.increment('key', 7))
        assert.equal(await kv.increment('key', 0), max - 6)
      },
    },
  ],
}

async function add(store: Store<unknown>, key: string, by: number, initial: number): Promise<number> {
  const result = assertWritten(
    await mutate(store, { type: 'increment', key, by, initial, version: newVersion() }),
  )
  assert.equal(typeof result.value, 'number')
  return result.value as number
}

/** The increment is refused, and the record is what it was. */
async function assertKept(store: Store<unknown>, key: string, by: number): Promise<void> {
  const before = await presentEntry(store, key)
  const result = await mutate(store, { type: 'increment', key, by, initial: 0, version: newVersion() })
  assert.equal(failure(result), 'INVALID_VALUE')
  const after = await presentEntry(store, key)
  assertSame(after.value, before.value)
  assert.equal(after.version, before.version)
}

function failure(result: WriteResult | undefined): ErrorCode | undefined {
  assert.ok(result !== undefined && !(isWritten(result) && result.value === undefined))
  return isStoreError(result) ? result.code : undefined
}
