import { describe, expect, test } from 'vitest'
import {
  absencesOf,
  Call,
  callOptions,
  type Derivation,
  derive,
  type Fact,
  fact,
  noteAbsent,
  PartCall,
  within,
} from '../src/adapter/index.ts'
import type { CallOptions } from '../src/index.ts'
import { heartbeat } from '../src/platform/heartbeat.ts'

/** Do this, and have the process not run for 100 ms meanwhile. */
function losing<T>(run: () => T): T {
  heartbeat.lostMs += 100
  return run()
}

/** Later than any time that these tests take. */
const later = 1_000_000

const theirs = new AbortController().signal
const mine = new AbortController().signal
const [one, other]: [Fact<number>, Fact<number>] = [fact('tests.one'), fact('tests.other')]

/** An original with everything that a call can have. */
function original(): Call {
  return within(later, { signal: theirs, consistency: 'strong', facts: one.with(1) })
}

/** What a derived call says at first. */
const same = { consistency: 'strong', one: 1, other: undefined as unknown, signal: theirs, until: later }
/** Of an original and a derived call: whether each was sent after one of them was, and after that was taken back. */
const shared = { down: true, up: true, back: false }
const own = { down: false, up: false, back: false }
const part = { down: false, up: true, back: true }

describe.each<[Derivation, { readonly [name in keyof typeof same]?: unknown }, typeof shared]>([
  [{}, {}, shared],
  [{ consistency: null }, { consistency: undefined }, shared],
  [{ consistency: undefined, sent: 'own' }, {}, own],
  [{ consistency: 'session' }, { consistency: 'session' }, shared],
  [{ sent: 'part' }, {}, part],
  [{ signal: mine, sent: 'own' }, { signal: mine }, own],
  [{ until: 5, sent: 'own' }, { until: 5 }, own],
  [{ until: 2 * later }, { until: later }, shared],
  [{ facts: other.with(2) }, { other: 2 }, shared],
  [{ facts: other.with(2, one.with(3)) }, { one: 3, other: 2 }, shared],
])('a call derived with %o', (how, differs, sent) => {
  const { until: endsAt, ...options } = { ...same, ...differs }
  const until = endsAt as number

  test('differs from its original in that alone', () => {
    const call = derive(original(), how)
    const { consistency, facts, signal } = call
    expect({ consistency, one: one.of(facts), other: other.of(facts), signal }).toEqual(options)
    expect(call.parts).toBeUndefined()
  })

  test.each(['a call', 'any object'])('ends when it should, also under lost time, for %s', (kind) => {
    const now = heartbeat.now()
    const first: CallOptions = kind === 'a call' ? original() : { deadlineAt: now + later }
    const call = derive(first, 'until' in how ? { ...how, until: now + (how.until as number) } : how)
    const end = call.deadlineAt
    expect(end - now).toBeGreaterThan(until - 0.001)
    expect(end - now).toBeLessThan(until + later / 2)
    const moves = kind === 'a call' || until < later
    expect(losing(() => call.deadlineAt) - end).toBeCloseTo(moves ? 100 : 0)
  })

  test('tells of its sending whom it should', () => {
    const first = original()
    const call = derive(first, how)
    first.sent = true
    expect(call.sent).toBe(sent.down)
    first.sent = false
    call.sent = true
    expect([call.sent, first.sent]).toEqual([true, sent.up])
    call.sent = false
    expect([call.sent, first.sent]).toEqual([false, sent.back])
  })

  test('is settled with its original, and not the other way round', () => {
    const first = original()
    const call = derive(first, how)
    expect(call.settled).toBe(false)
    derive(first, how).settled = true
    expect([first.settled, call.settled]).toEqual([false, false])
    first.settled = true
    expect(call.settled).toBe(true)
  })

  test('has the absences of its original, whichever of them is told first', () => {
    const first = original()
    noteAbsent(derive(first, how), 'a', { tier: 'one' })
    noteAbsent(first, 'b', { tier: 'two' })
    expect(Array.from(absencesOf(derive(derive(first, how), how))?.keys() ?? [])).toEqual(['a', 'b'])
  })
})

test('a derived call of any object is told nothing that the object does not say', () => {
  const call: CallOptions = derive({ deadlineAt: Number.POSITIVE_INFINITY }, {})
  const { deadlineAt, sent, settled, facts, told } = call
  expect({ deadlineAt, sent, settled, facts, told }).toEqual({
    deadlineAt: Number.POSITIVE_INFINITY,
    sent: false,
    settled: false,
    facts: undefined,
    told: undefined,
  })
})

test.each([
  ['first looks at its deadline', () => new Call(later), 0],
  ['is made within a time', () => within(later), 100],
  ['is made until a time', () => callOptions({ deadlineAt: heartbeat.now() + later }), 100],
] as const)('a deadline moves on by what is lost after the call %s', (_, make, movedMs) => {
  const soonest = heartbeat.now() + later
  const call = make()
  const end = losing(() => call.deadlineAt)
  expect(end - soonest - movedMs).toBeGreaterThanOrEqual(-0.001)
  expect(losing(() => call.deadlineAt)).toBeCloseTo(end + 100)
})

test('a renewed call has its time again, and another answer to give', () => {
  const call = new Call(1)
  const first = call.deadlineAt
  call.settled = true
  call.renew(later)
  expect(call.settled).toBe(false)
  expect(call.deadlineAt - first).toBeGreaterThan(later / 2)
})

test('a call without a deadline has none, whatever is lost', () => {
  const call = derive(within(Number.POSITIVE_INFINITY, { signal: theirs, consistency: 'session' }), {
    sent: 'own',
  })
  expect(losing(() => call.deadlineAt)).toBe(Number.POSITIVE_INFINITY)
  expect([call.signal, call.consistency]).toEqual([theirs, 'session'])
})

test('a part of a call carries its facts, and tells it what it is told', () => {
  const first = original()
  const part = new PartCall(first, 1, [])
  expect(part.facts).toBe(first.facts)
  noteAbsent(derive(part, { sent: 'own' }), 'a', { tier: 'one' })
  expect(absencesOf(first)?.get('a')).toEqual({ tier: 'one' })
})
