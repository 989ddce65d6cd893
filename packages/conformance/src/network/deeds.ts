import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { type Entry, remove, type Version } from '@unikv/core'
import { resultsOf } from '../assertions.ts'
import type { AnyKeyValue } from '../fixture.ts'
import { conditionalWrite, increment, type Need, touch, ttl } from '../topic.ts'
import { type Told, told, toldBy } from './outcome.ts'

/** The outcome for one key. */
export type Effect = 'none' | 'once' | 'more'

/** The key of a deed, before it and after. */
interface Sight {
  readonly before: Entry<unknown> | undefined
  readonly after: Entry<unknown> | undefined
}

/** Operations are called on these. */
export interface DeedSetting {
  readonly kv: AnyKeyValue
  /** Past the proxy. */
  readonly direct: AnyKeyValue
  readonly value: (n: number) => unknown
  readonly settings: { readonly timeoutMs?: number }
}

/** One call of a deed. */
export interface Doing extends DeedSetting {
  readonly keys: readonly string[]
  /** The values of the keys. */
  readonly before: readonly (Entry<unknown> | undefined)[]
  /** Called right before what changes the keys is sent. */
  readonly arm: () => void
}

/** A mutating operation of KeyValue, and how it is seen that it took effect. */
export interface Deed {
  readonly title: string
  readonly needs?: readonly Need[]
  /** How many keys it changes. @default 1 */
  readonly keys?: number
  /** Whether the attempt leaves its version in the record. @default true */
  readonly marks?: boolean
  /** Make one of its keys ready. @default value 1, without expiry */
  readonly prepare?: (t: DeedSetting, key: string) => Promise<unknown>
  /** Change the keys, and tell what the caller was told of each. */
  readonly run: (t: Doing) => Promise<readonly Told[]>
  readonly effect: (t: DeedSetting, sight: Sight) => Effect
}

const lifeMs = 600_000
const longerLifeMs = 2 * lifeMs

const replaced = (t: DeedSetting, { before, after }: Sight): Effect => {
  if (holds(after, t.value(2))) return 'once'
  assertUnchanged(before, after)
  return 'none'
}

const removed = (_: DeedSetting, { before, after }: Sight): Effect => {
  if (after === undefined) return 'once'
  assertUnchanged(before, after)
  return 'none'
}

/** Every operation that changes something. */
export const deeds: readonly Deed[] = [
  {
    title: 'set',
    run: one((t, key) => t.kv.set(key, t.value(2), t.settings)),
    effect: replaced,
  },
  {
    title: 'set of a new key',
    prepare: async () => {},
    run: one((t, key) => t.kv.set(key, t.value(2), t.settings)),
    effect: replaced,
  },
  {
    title: 'set with a time to live',
    needs: [ttl],
    run: one((t, key) => t.kv.set(key, t.value(2), { ...t.settings, ttlMs: lifeMs })),
    effect: (t, sight) => {
      const effect = replaced(t, sight)
      assert.equal(sight.after?.expiresAt !== undefined, effect === 'once', 'the expiry comes with the value')
      return effect
    },
  },
  {
    title: 'set that keeps the expiry',
    needs: [ttl],
    prepare: (t, key) => t.direct.set(key, t.value(1), { ttlMs: lifeMs }),
    run: one((t, key) => t.kv.set(key, t.value(2), { ...t.settings, ttlMs: 'keep' })),
    effect: (t, sight) => {
      assert.equal(sight.after?.expiresAt, sight.before?.expiresAt, 'the expiry stays')
      return replaced(t, sight)
    },
  },
  {
    title: 'delete',
    marks: false,
    run: one((t, key) => t.kv.delete(key, t.settings)),
    effect: removed,
  },
  {
    title: 'setMany',
    keys: 3,
    run: many((t, keys) =>
      t.kv.setMany(
        keys.map((key) => [key, t.value(2)] as const),
        t.settings,
      ),
    ),
    effect: replaced,
  },
  {
    title: 'deleteMany',
    keys: 3,
    marks: false,
    run: many((t, keys) => t.kv.deleteMany(keys, t.settings)),
    effect: removed,
  },
  {
    title: 'set on the condition that there is nothing',
    needs: [conditionalWrite],
    prepare: async () => {},
    run: one((t, key) => t.kv.set(key, t.value(2), { ...t.settings, ifVersion: null })),
    effect: replaced,
  },
  {
    title: 'set on the condition of a version',
    needs: [conditionalWrite],
    run: one((t, key, ifVersion) => t.kv.set(key, t.value(2), { ...t.settings, ifVersion })),
    effect: replaced,
  },
  {
    title: 'delete on the condition of a version',
    needs: [conditionalWrite],
    marks: false,
    run: one((t, key, ifVersion) => t.kv.delete(key, { ...t.settings, ifVersion })),
    effect: removed,
  },
  {
    title: 'touch',
    needs: [touch, ttl],
    marks: false,
    prepare: (t, key) => t.direct.set(key, t.value(1), { ttlMs: lifeMs }),
    run: one(async (t, key) =>
      assert.equal(await t.kv.touch(key, { ...t.settings, ttlMs: longerLifeMs }), true, 'the key was there'),
    ),
    effect: (_, { before, after }) => {
      assert.ok(before !== undefined && after !== undefined, 'the record is there')
      assert.equal(after.version, before.version, 'touch keeps the version')
      return (after.expiresAt ?? 0) > (before.expiresAt ?? 0) + lifeMs / 2 ? 'once' : 'none'
    },
  },
  {
    title: 'increment',
    needs: [increment],
    prepare: (t, key) => t.direct.increment(key, 41),
    run: one((t, key) => t.kv.increment(key, 1, t.settings)),
    effect: (_, { after }) => {
      const n = counted(after)
      return n === 41 ? 'none' : n === 42 ? 'once' : 'more'
    },
  },
  {
    title: 'update',
    needs: [conditionalWrite],
    run: async (t) => {
      let calls = 0
      const change = (): unknown => {
        calls += 1
        // A second look at the value means that the first attempt was taken for a failure.
        assert.equal(calls, 1, 'the function runs once, as no other caller writes')
        t.arm()
        return t.value(2)
      }
      return [await told(async () => void (await t.kv.update(t.keys[0] as string, change, t.settings)))]
    },
    effect: replaced,
  },
  {
    title: 'take, which is an update that removes',
    needs: [conditionalWrite],
    marks: false,
    run: async (t) => {
      const change = (): typeof remove => {
        t.arm()
        return remove
      }
      return [await told(async () => void (await t.kv.update(t.keys[0] as string, change, t.settings)))]
    },
    effect: removed,
  },
]

/** The number that the record of a counter holds. */
function counted(entry: Entry<unknown> | undefined): number {
  const { value } = entry ?? {}
  return Number(value instanceof Uint8Array ? Buffer.from(value).toString() : value)
}

/** Whether the record has this value, whole. */
function holds(entry: Entry<unknown> | undefined, value: unknown): boolean {
  if (entry === undefined) return false
  if (value instanceof Uint8Array)
    return entry.value instanceof Uint8Array && Buffer.compare(entry.value, value) === 0
  return isDeepStrictEqual(entry.value, value)
}

function assertUnchanged(before: Entry<unknown> | undefined, after: Entry<unknown> | undefined): void {
  assert.ok((before === undefined) === (after === undefined), 'a record is neither made nor lost')
  if (before === undefined) return
  assert.ok(holds(after, before.value), 'the value is the old one or the new one, whole')
  assert.equal(after?.version, before.version, 'the version of what was not replaced stays')
}

function one(run: (t: Doing, key: string, version: Version) => Promise<unknown>): Deed['run'] {
  return async (t) => {
    t.arm()
    return [await told(() => run(t, t.keys[0] as string, t.before[0]?.version as Version))]
  }
}

function many(run: (t: Doing, keys: readonly string[]) => Promise<readonly unknown[]>): Deed['run'] {
  return async (t) => {
    t.arm()
    const outcome = await told(() => resultsOf(() => run(t, t.keys)))
    return outcome.kind === 'done'
      ? (outcome.answer as readonly unknown[]).map(toldBy)
      : t.keys.map(() => outcome)
  }
}
