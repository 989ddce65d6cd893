import assert from 'node:assert/strict'
import { type Capabilities, newVersion } from '@unikv/core'
import { rejectsWith } from '../assertions.ts'
import type { AnyKeyValue, Fixture } from '../fixture.ts'
import type { Topic } from '../topic.ts'
import { collect } from '../verbs.ts'

interface Undeclared {
  readonly what: string
  readonly without: Partial<Capabilities>
  readonly operations: (kv: AnyKeyValue, value: unknown) => readonly (() => Promise<unknown>)[]
}

/** Capabilities that are taken away, unless the store does not declare them anyway, and the operations that need them. */
const all: readonly Undeclared[] = [
  {
    what: 'a time to live without expiry',
    without: { ttl: false, touch: false },
    operations: (kv, value) => [
      () => kv.set('key', value, { ttlMs: 1_000 }),
      () => kv.set('key', value, { ttlMs: 'keep' }),
      () => kv.set('key', value, { expiresAt: Date.now() + 1_000 }),
      () => kv.setMany([['key', value]], { ttlMs: 1_000 }),
      () => kv.setMany([['key', value, { ttlMs: 1_000 }]]),
    ],
  },
  {
    what: 'a condition without conditional writes',
    without: { conditionalWrite: false },
    operations: (kv, value) => [
      () => kv.set('key', value, { ifVersion: null }),
      () => kv.set('key', value, { ifVersion: newVersion() }),
      () => kv.delete('key', { ifVersion: newVersion() }),
      () => kv.update('key', () => value),
      () => kv.take('key'),
      () => kv.write([{ type: 'set', key: 'key', value, ifVersion: null }]),
    ],
  },
  {
    what: 'revalidation without conditional reads',
    without: { conditionalRead: false },
    operations: (kv) => [() => kv.revalidate('key', newVersion())],
  },
  {
    what: 'touch without touch',
    without: { touch: false },
    operations: (kv) => [() => kv.touch('key', { ttlMs: 1_000 })],
  },
  {
    what: 'increment without increment',
    without: { increment: false },
    operations: (kv) => [() => kv.increment('key'), () => kv.incrementEntry('key')],
  },
  {
    what: 'listing without scan',
    without: { scan: false },
    operations: (kv) => [
      () => collect(kv.keys()),
      () => collect(kv.entries({ prefix: 'a' })),
      () => collect(kv.keys().pages()),
      () => kv.count(),
      () => kv.clear({ all: true }),
      () => kv.clear({ prefix: 'a' }),
    ],
  },
  {
    what: 'a query without find',
    without: { find: false },
    operations: (kv) => [() => kv.find({ where: { n: 1 } }), () => kv.aggregate({ where: { n: 1 } })],
  },
  {
    what: 'a range without order',
    without: { scan: { order: 'none', delivery: 'at-least-once', prefix: 'filtered' } },
    operations: (kv) => [
      () => collect(kv.keys({ gte: 'a' })),
      () => collect(kv.keys({ gt: 'a' })),
      () => collect(kv.entries({ lt: 'b' })),
      () => collect(kv.entries({ lte: 'b' })),
      () => collect(kv.keys({ reverse: true })),
      () => kv.clear({ gte: 'a' }),
    ],
  },
]

export const undeclared: Topic = {
  title: 'undeclared operations',
  cases: [
    {
      title: 'an operation that is not declared is UNSUPPORTED before the store is asked',
      run: async (t) => {
        for (const one of all) await assertUnsupported(t, one)
      },
    },
  ],
}

async function assertUnsupported(t: Fixture, { what, without, operations }: Undeclared): Promise<void> {
  const probe = t.observed(without)
  const kv = t.keyValue(probe.store)
  for (const run of operations(kv, t.value(1))) {
    const error = await rejectsWith('UNSUPPORTED', run, what)
    assert.equal(error.store, t.store.name)
  }
  assert.equal(probe.calls, 0, `${what}: nothing was sent`)
}
