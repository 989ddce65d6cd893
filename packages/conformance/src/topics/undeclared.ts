import assert from 'node:assert/strict'
import { type Capabilities, newVersion } from '@unikv/core'
import { rejectsWith } from '../assertions.ts'
import type { AnyKeyValue, Fixture } from '../fixture.ts'
import type { Topic } from '../topic.ts'
import { collect } from '../verbs.ts'

/** Each case takes one capability away, unless the store does not declare it anyway. */
export const undeclared: Topic = {
  title: 'undeclared operations',
  cases: [
    {
      title: 'a time to live without expiry is UNSUPPORTED before the store is asked',
      run: (t) =>
        assertUnsupported(t, { ttl: false, touch: false }, (kv) => [
          () => kv.set('key', t.value(1), { ttlMs: 1_000 }),
          () => kv.set('key', t.value(1), { ttlMs: 'keep' }),
          () => kv.setMany([['key', t.value(1)]], { ttlMs: 1_000 }),
        ]),
    },
    {
      title: 'a condition without conditional writes is UNSUPPORTED before the store is asked',
      run: (t) =>
        assertUnsupported(t, { conditionalWrite: false }, (kv) => [
          () => kv.set('key', t.value(1), { ifVersion: null }),
          () => kv.set('key', t.value(1), { ifVersion: newVersion() }),
          () => kv.delete('key', { ifVersion: newVersion() }),
          () => kv.update('key', () => t.value(1)),
        ]),
    },
    {
      title: 'revalidation without conditional reads is UNSUPPORTED before the store is asked',
      run: (t) =>
        assertUnsupported(t, { conditionalRead: false }, (kv) => [() => kv.revalidate('key', newVersion())]),
    },
    {
      title: 'touch without touch is UNSUPPORTED before the store is asked',
      run: (t) => assertUnsupported(t, { touch: false }, (kv) => [() => kv.touch('key', { ttlMs: 1_000 })]),
    },
    {
      title: 'increment without increment is UNSUPPORTED before the store is asked',
      run: (t) => assertUnsupported(t, { increment: false }, (kv) => [() => kv.increment('key')]),
    },
    {
      title: 'listing without scan is UNSUPPORTED before the store is asked',
      run: (t) =>
        assertUnsupported(t, { scan: false }, (kv) => [
          () => collect(kv.keys()),
          () => collect(kv.entries({ prefix: 'a' })),
          () => collect(kv.keys().pages()),
          () => kv.count(),
          () => kv.clear({ all: true }),
          () => kv.clear({ prefix: 'a' }),
        ]),
    },
    {
      title: 'a range without order is UNSUPPORTED before the store is asked',
      run: (t) => {
        const scan = { order: 'none', delivery: 'at-least-once', prefix: 'filtered' } as const
        return assertUnsupported(t, { scan }, (kv) => [
          () => collect(kv.keys({ gte: 'a' })),
          () => collect(kv.keys({ gt: 'a' })),
          () => collect(kv.entries({ lt: 'b' })),
          () => collect(kv.entries({ lte: 'b' })),
        ])
      },
    },
  ],
}

async function assertUnsupported(
  t: Fixture,
  without: Partial<Capabilities>,
  operations: (kv: AnyKeyValue) => readonly (() => Promise<unknown>)[],
): Promise<void> {
  const probe = t.observed(without)
  const kv = t.keyValue(probe.store)
  for (const run of operations(kv)) {
    const error = await rejectsWith('UNSUPPORTED', run)
    assert.equal(error.store, t.store.name)
  }
  assert.equal(probe.calls, 0, 'nothing was sent')
}
