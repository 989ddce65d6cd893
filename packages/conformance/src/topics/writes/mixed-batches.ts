import assert from 'node:assert/strict'
import { isStoreError } from '@unikv/core'
import { assertAllSame, partialResults, rejectsWith } from '../../assertions.ts'
import { atomic, bytes, conditionalWrite, not, type Topic, ttl } from '../../topic.ts'
import { assertWritten, presentEntry } from '../../verbs.ts'
import { assertExpiresAt } from './expiry.ts'

const farMs = 10_000_000

export const mixedBatches: Topic = {
  title: 'write, and batches that fail in part',
  cases: [
    {
      title: 'write sets and deletes in one call, and tells of each',
      run: async ({ kv, store, value }) => {
        await kv.set('old', value(1))
        const told = await kv.write([
          { type: 'set', key: 'new', value: value(2) },
          { type: 'delete', key: 'old' },
          { type: 'delete', key: 'never' },
        ])
        for (const one of told) assertWritten(one)
        assert.equal(told[0]?.version, (await presentEntry(store, 'new')).version)
        assertAllSame(await kv.getMany(['new', 'old']), [value(2), undefined])
        assert.deepEqual(await kv.write([]), [])
      },
    },
    {
      title: 'a condition in write concerns its own item',
      needs: [conditionalWrite],
      run: async ({ kv, value }) => {
        await kv.set('a', value(1))
        const [a, b, c] = await partialResults(() =>
          kv.write([
            { type: 'set', key: 'a', value: value(2), ifVersion: null },
            { type: 'set', key: 'b', value: value(3), ifVersion: null },
            { type: 'delete', key: 'c', ifVersion: 'f'.repeat(24) },
          ]),
        )
        assert.ok(isStoreError(a) && a.code === 'CONDITION_FAILED')
        assert.ok(!isStoreError(b))
        assert.ok(isStoreError(c) && c.code === 'CONDITION_FAILED')
        assertAllSame(await kv.getMany(['a', 'b']), [value(1), value(3)])
      },
    },
    {
      title: 'an atomic write takes effect as a whole; on a condition it is refused',
      needs: [atomic, conditionalWrite],
      run: async ({ kv, value }) => {
        await kv.set('b', value(1))
        const items = [
          { type: 'set', key: 'a', value: value(2) },
          { type: 'delete', key: 'b' },
        ] as const
        await kv.write(items, { atomic: true })
        assertAllSame(await kv.getMany(['a', 'b']), [value(2), undefined])
        await rejectsWith('UNSUPPORTED', () =>
          kv.write([{ type: 'set', key: 'c', value: value(3), ifVersion: null }], { atomic: true }),
        )
        assert.equal(await kv.has('c'), false)
      },
    },
    {
      title: 'an atomic write is UNSUPPORTED where the store does not write as a whole',
      needs: [not(atomic)],
      run: async (t) => {
        const probe = t.observed()
        const kv = t.keyValue(probe.store)
        await rejectsWith('UNSUPPORTED', () =>
          kv.write([{ type: 'set', key: 'a', value: t.value(1) }], { atomic: true }),
        )
        assert.equal(probe.calls, 0, 'nothing was sent')
      },
    },
    {
      title: 'setMany of which an item is refused rejects with PARTIAL, and the results of all',
      needs: [bytes, not(atomic)],
      run: async ({ kv, value }) => {
        const [a, b] = await partialResults(() =>
          kv.setMany([
            ['a', value(1)],
            ['b', 'no bytes'],
          ]),
        )
        assertWritten(a as never)
        assert.ok(isStoreError(b) && b.code === 'INVALID_VALUE' && b.key === 'b')
        assertAllSame(await kv.getMany(['a', 'b']), [value(1), undefined])
      },
    },
    {
      title: 'an item of setMany and of write may have an expiry of its own',
      needs: [ttl],
      run: async (t) => {
        const expiresAt = t.now() + farMs
        await t.kv.setMany(
          [
            ['common', t.value(1)],
            ['own', t.value(2), { expiresAt: expiresAt + farMs }],
            ['none of its own', t.value(2), {}],
          ],
          { expiresAt },
        )
        await t.kv.write([
          { type: 'set', key: 'written', value: t.value(3), expiresAt },
          { type: 'set', key: 'plain', value: t.value(4) },
        ])
        assertExpiresAt(t, (await presentEntry(t.store, 'common')).expiresAt, expiresAt)
        assertExpiresAt(t, (await presentEntry(t.store, 'own')).expiresAt, expiresAt + farMs)
        assertExpiresAt(t, (await presentEntry(t.store, 'none of its own')).expiresAt, expiresAt)
        assertExpiresAt(t, (await presentEntry(t.store, 'written')).expiresAt, expiresAt)
        assert.equal((await presentEntry(t.store, 'plain')).expiresAt, undefined)
      },
    },
    {
      title: 'an argument that is not an item of write is refused, and nothing is written',
      run: async (t) => {
        const probe = t.observed()
        const kv = t.keyValue(probe.store)
        const good = { type: 'set', key: 'a', value: t.value(1) }
        const wrong = [
          { type: 'put', key: 'b', value: t.value(1) },
          ['b', t.value(1)],
          null,
          'b',
          { ...good, ttl: 1 },
        ]
        for (const [i, item] of wrong.entries())
          await rejectsWith('INVALID_ARGUMENT', () => kv.write([good, item] as never), `item ${i}`)
        await rejectsWith('INVALID_ARGUMENT', () => kv.write([good, good] as never))
        await rejectsWith('INVALID_ARGUMENT', () => kv.write('text' as never))
        await rejectsWith('INVALID_ARGUMENT', () => kv.write([good] as never, { atomic: 'yes' } as never))
        assert.equal(probe.calls, 0, 'nothing was sent')
      },
    },
  ],
}
