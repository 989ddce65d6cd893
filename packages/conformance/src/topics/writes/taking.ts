import assert from 'node:assert/strict'
import { assertSame, rejectsWith } from '../../assertions.ts'
import type { Fixture } from '../../fixture.ts'
import { conditionalWrite, existed, type Topic, ttl } from '../../topic.ts'
import { remove } from '../../verbs.ts'

export const taking: Topic = {
  title: 'take and delete',
  cases: [
    {
      title: 'take gives the value and deletes it',
      needs: [conditionalWrite],
      run: async ({ kv, value }) => {
        await kv.set('key', value(1))
        assertSame(await kv.take('key'), value(1))
        assert.equal(await kv.has('key'), false)
        assert.equal(await kv.take('key'), undefined)
        assert.equal(await kv.take('never'), undefined)
      },
    },
    {
      title: 'of those who take a value at the same time one gets it, over two instances too',
      needs: [conditionalWrite],
      run: async (t) => {
        const takers = [t.kv, t.keyValue(await t.reopened())]
        for (let round = 0; round < takeRounds; round++) await assertOneWinner(t, takers, `token ${round}`)
      },
    },
    {
      title: 'an expired record is not taken',
      needs: [conditionalWrite, ttl],
      run: async ({ kv, store, value, expired }) => {
        await expired(
          (expiresAt) =>
            store.write([{ type: 'set', key: 'key', value: value(1), version: 'a'.repeat(24), expiresAt }], {
              deadlineAt: Number.POSITIVE_INFINITY,
            }) as Promise<unknown>,
        )
        assert.equal(await kv.take('key'), undefined)
      },
    },
    {
      title: 'delete tells whether there was a record',
      needs: [existed],
      run: async ({ kv, value }) => {
        await kv.setMany([
          ['a', value(1)],
          ['b', value(2)],
        ])
        assert.equal((await kv.delete('a')).existed, true)
        assert.equal((await kv.delete('a')).existed, false)
        const told = await kv.deleteMany(['a', 'b', 'never'])
        assert.deepEqual(
          told.map((one) => one.existed),
          [false, true, false],
        )
      },
    },
    {
      title: 'deletes of one tick are each told whether there was a record',
      needs: [existed],
      run: async ({ kv, value }) => {
        const keys = Array.from({ length: 24 }, (_, i) => `key ${i}`)
        await kv.setMany(keys.filter((_, i) => i % 3 === 0).map((key, i) => [key, value(i)]))
        const told = await Promise.all(keys.map((key) => kv.delete(key)))
        assert.deepEqual(
          told.map((one) => one.existed),
          keys.map((_, i) => i % 3 === 0),
        )
      },
    },
    {
      title: 'a delete of an expired record finds none',
      needs: [existed, ttl],
      run: async ({ kv, store, value, expired }) => {
        await expired(
          (expiresAt) =>
            store.write([{ type: 'set', key: 'key', value: value(1), version: 'a'.repeat(24), expiresAt }], {
              deadlineAt: Number.POSITIVE_INFINITY,
            }) as Promise<unknown>,
        )
        assert.equal((await kv.delete('key')).existed, false)
      },
    },
    {
      title: 'a delete on a condition tells of its record',
      needs: [existed, conditionalWrite],
      run: async ({ kv, store, value }) => {
        const { version } = await kv.set('key', value(1))
        await remove(store, 'other')
        assert.equal((await kv.delete('key', { ifVersion: version as string })).existed, true)
        await rejectsWith('CONDITION_FAILED', () => kv.delete('key', { ifVersion: version as string }))
      },
    },
  ],
}

const takeRounds = Number(process.env['UNIKV_TAKES'] ?? 10)

async function assertOneWinner(t: Fixture, takers: readonly Fixture['kv'][], key: string): Promise<void> {
  await t.kv.set(key, t.value(1))
  const taken = await Promise.all([...takers, ...takers].map((kv) => kv.take(key)))
  const winners = taken.filter((one) => one !== undefined)
  assert.equal(winners.length, 1, `${key} is taken once`)
  assertSame(winners[0], t.value(1))
}
