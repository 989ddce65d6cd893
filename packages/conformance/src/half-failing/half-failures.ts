import { keyValue, remove, type Store } from '@unikv/core'
import type { AnyKeyValue } from '../fixture.ts'
import { conditionalWrite, type Need, scan, touch, ttl } from '../topic.ts'
import { type FailingStore, failingStore, halfFailureList } from './failing-store.ts'
import { assertTrue, type Found, type Records, recordsOf } from './truth.ts'

/** One call, and what it does if all goes well. */
export interface HalfFailureCall {
  readonly title: string
  /** All must hold, or the call is not tried on this store. */
  readonly needs?: readonly Need[]
  /** Make the call; `value(n)` is value number `n`. */
  readonly run: (kv: AnyKeyValue, value: (n: number) => unknown) => Promise<unknown>
  /** The records that are other ones afterwards: number of the value, or what is there. */
  readonly after: Readonly<Record<string, number | 'expiring' | undefined>>
  /** Keys in the order of `error.results`. @default those of `after` */
  readonly keys?: readonly string[]
}

/** Options of `halfFailures`. */
export interface HalfFailuresOptions {
  /** Registers one test. */
  readonly test: (title: string, run: () => Promise<void>) => unknown
  /** A stack over an empty store, to which `failing` was applied wherever failures may come from. */
  readonly open: (failing: <S>(store: S) => S) => unknown
  /** Value number `n`, made anew. */
  readonly value: (n: number) => unknown
  /** @default those of KeyValue */
  readonly calls?: readonly HalfFailureCall[]
}

/** The answer of a call is true, also where reads fail and writes work, or the reverse. */
export function halfFailures({ test, open, value, calls = callsOfKeyValue }: HalfFailuresOptions): void {
  for (const call of calls)
    test(`${call.title}: what is told is true while half of the store is away`, async () => {
      for (const failure of halfFailureList) {
        const failing: FailingStore<unknown>[] = []
        const store = (await open(<S>(below: S): S => {
          const made = failingStore(below as Store<unknown>)
          failing.push(made)
          return made.store as S
        })) as Store<unknown>
        const kv = keyValue(store, [], { timeoutMs: 10_000 }) as unknown as AnyKeyValue
        await tried(kv, value, call, (isFailing) => {
          for (const one of failing) one.fail(isFailing ? failure : undefined)
        })
        await kv.close()
      }
    })
}

/** Make one call while `fail(true)`, and compare what it was told with what is there. */
export async function tried(
  kv: AnyKeyValue,
  value: (n: number) => unknown,
  { run, after, needs = [], keys = Object.keys(after) }: HalfFailureCall,
  fail: (isFailing: boolean) => void,
): Promise<void> {
  const setting = { capabilities: kv.capabilities } as Parameters<Need>[0]
  if (!needs.every((need) => need(setting))) return
  await kv.deleteMany(['d'])
  await kv.setMany(['a', 'b', 'c'].map((key, i) => [key, value(i)]))
  const before = await recordsOf(kv, keys)
  fail(true)
  const [outcome] = await Promise.allSettled([run(kv, value)])
  fail(false)
  const now = await recordsOf(kv, keys)
  const whole = { ...before, ...wholeOf(after, before, value) }
  assertTrue({ outcome, before, whole, now, keys, isCounted: kv.capabilities.existed === true })
}

function wholeOf(after: HalfFailureCall['after'], before: Records, value: (n: number) => unknown): Records {
  const found = Object.entries(after).map(([key, what]): [string, Found] => {
    if (what === undefined) return [key, undefined]
    if (what === 'expiring') return [key, before[key] && { ...before[key], expires: true }]
    return [key, { value: value(what), expires: false }]
  })
  return Object.fromEntries(found)
}

/** A call that is made at the same time, whose own outcome is not looked at. */
async function beside(call: Promise<unknown>, ...others: Promise<unknown>[]): Promise<unknown> {
  const [outcome] = await Promise.allSettled([call, ...others])
  if (outcome?.status === 'rejected') throw outcome.reason
  return outcome
}

const none = { a: undefined, b: undefined, c: undefined }

/** The calls of KeyValue that have several steps, and single ones to compare. */
export const callsOfKeyValue: readonly HalfFailureCall[] = [
  { title: 'set', run: (kv, value) => kv.set('a', value(9)), after: { a: 9 } },
  { title: 'delete', run: (kv) => kv.delete('a'), after: { a: undefined } },
  {
    title: 'setMany',
    run: (kv, value) => kv.setMany(['a', 'd', 'b'].map((key) => [key, value(9)])),
    after: { a: 9, d: 9, b: 9 },
  },
  {
    title: 'deleteMany',
    run: (kv) => kv.deleteMany(['a', 'd', 'b']),
    after: { a: undefined, d: undefined, b: undefined },
  },
  {
    title: 'write',
    run: (kv, value) =>
      kv.write([
        { type: 'set', key: 'a', value: value(9) },
        { type: 'delete', key: 'b' },
      ]),
    after: { a: 9, b: undefined },
  },
  {
    title: 'update',
    needs: [conditionalWrite],
    run: (kv, value) => kv.update('a', () => value(9)),
    after: { a: 9 },
  },
  {
    title: 'an update that makes a record',
    needs: [conditionalWrite],
    run: (kv, value) => kv.update('d', () => value(9)),
    after: { d: 9 },
  },
  {
    title: 'an update that removes',
    needs: [conditionalWrite],
    run: (kv) => kv.update('a', () => remove),
    after: { a: undefined },
  },
  { title: 'take', needs: [conditionalWrite], run: (kv) => kv.take('a'), after: { a: undefined } },
  {
    title: 'touch',
    needs: [touch, ttl],
    run: (kv) => kv.touch('a', { ttlMs: 3_600_000 }),
    after: { a: 'expiring' },
  },
  { title: 'clear', needs: [scan], run: (kv) => kv.clear({ all: true }), after: none },
  {
    title: 'clear, and a read at the same time',
    needs: [scan],
    run: (kv) => beside(kv.clear({ all: true }), kv.has('a')),
    after: none,
  },
  {
    title: 'clear of one record, and a read of it at the same time',
    needs: [scan],
    run: (kv) => beside(kv.clear({ prefix: 'a' }), kv.has('a')),
    after: { a: undefined },
  },
  {
    title: 'clear, and reads of several keys at the same time',
    needs: [scan],
    run: (kv) => beside(kv.clear({ all: true }), kv.getMany(['a', 'b']), kv.get('c')),
    after: none,
  },
]
