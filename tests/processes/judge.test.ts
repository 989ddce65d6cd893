import { describe, expect, test } from 'vitest'
import { type Rejection, unexcused } from './excuses.ts'
import { acknowledgedBySight, judge, type Seen, type Violation, type Write } from './judge.ts'

const set = (value: string, startMs: number, endMs?: number, isRefused = false): Write => ({
  key: 'a',
  value,
  startMs,
  endMs,
  isRefused,
})
const removal = (startMs: number, endMs?: number): Write => ({ key: 'a', value: undefined, startMs, endMs })
const seen = (value: string | undefined, startMs: number, endMs: number): Seen => ({
  key: 'a',
  value,
  startMs,
  endMs,
})
const found = (violations: readonly Violation[]) =>
  violations.map(({ what, staleForMs }) => [what, staleForMs])

describe('what the judge finds', () => {
  test('a value that was overwritten before the read began', () => {
    const writes = [set('v1', 0, 1), set('v2', 2, 3)]
    expect(found(judge(writes, [seen('v1', 4, 5)]))).toEqual([['older than acknowledged', 1]])
  })

  test('a value that was removed before the read began', () => {
    const writes = [set('v1', 0, 1), removal(2, 3)]
    expect(found(judge(writes, [seen('v1', 10, 11)]))).toEqual([['older than acknowledged', 7]])
  })

  test('absence after a write was acknowledged', () => {
    expect(found(judge([set('v1', 0, 1)], [seen(undefined, 2, 3)]))).toHaveLength(1)
    const removedBefore = [removal(0, 1), set('v1', 2, 3)]
    expect(found(judge(removedBefore, [seen(undefined, 4, 5)]))).toEqual([['older than acknowledged', 1]])
  })

  test('a value of an unknown write that a read has shown before it was overwritten', () => {
    const writes = [set('v1', 0), set('v2', 5, 6)]
    const reads = [seen('v1', 1, 2), seen('v1', 7, 8)]
    expect(found(judge(writes, reads))).toEqual([['older than acknowledged', 1]])
  })

  test('a value that the first of several later writes had replaced long ago', () => {
    const writes = [set('v1', 0, 1), set('v2', 2, 3), set('v3', 90, 91)]
    expect(found(judge(writes, [seen('v1', 100, 101)]))).toEqual([['older than acknowledged', 97]])
  })

  test('a value that nobody wrote, whose write was refused, or of another key', () => {
    const writes = [set('v1', 0, 1, true), { ...set('v2', 0, 1), key: 'b' }]
    const reads = [seen('v0', 2, 3), seen('v1', 2, 3), seen('v2', 2, 3)]
    expect(found(judge(writes, reads)).map(([what]) => what)).toEqual(Array(3).fill('never written'))
  })

  test('a value before its write began', () => {
    expect(found(judge([set('v1', 5, 6)], [seen('v1', 1, 2)]))).toEqual([['not yet written', 0]])
  })

  test('one planted stale read among 20,000 right ones', () => {
    const writes = Array.from({ length: 1_000 }, (_, i) => set(`v${i}`, 20 * i, 20 * i + 5))
    const reads = Array.from({ length: 20_000 }, (_, i) => {
      const value = Math.floor(i / 20)
      return seen(`v${i % 20 < 5 ? Math.max(0, value - 1) : value}`, i + 0.5, i + 4)
    }).filter(({ startMs }) => startMs > 5)
    expect(judge(writes, reads)).toEqual([])
    expect(judge(writes, [...reads, seen('v500', 10_026, 10_027)])).toHaveLength(1)
    expect(judge(writes, [...reads, seen('v500', 10_024, 10_027)])).toEqual([])
  })
})

describe('what the judge allows', () => {
  test('either value of writes that overlap', () => {
    const writes = [set('v1', 0, 10), set('v2', 5, 6)]
    expect(judge(writes, [seen('v1', 11, 12), seen('v2', 11, 12)])).toEqual([])
  })

  test('the former value while a write is under way, and when it was acknowledged after the read began', () => {
    const writes = [set('v1', 0, 1), set('v2', 2, 6)]
    expect(judge(writes, [seen('v1', 5, 9), seen('v2', 3, 4)])).toEqual([])
  })

  test('a write of unknown outcome at any later time, or never', () => {
    const writes = [set('v1', 0), set('v2', 2, 3)]
    expect(judge(writes, [seen('v2', 4, 5), seen('v1', 6, 7)])).toEqual([])
    expect(judge([removal(0), set('v2', 2, 3)], [seen(undefined, 4, 5)])).toEqual([])
  })

  test('absence at first, and after a removal', () => {
    expect(judge([set('v1', 2, 3)], [seen(undefined, 0, 1), seen(undefined, 2, 4)])).toEqual([])
    expect(judge([set('v1', 0, 1), removal(2, 3)], [seen(undefined, 4, 5)])).toEqual([])
  })
})

describe('what must be seen', () => {
  const v1 = set('v1', 0, 1)
  const reads = [seen('v1', 50, 51)]

  test('a read may be older than a write of which nobody was told, and not than one that was told', () => {
    const untold = { ...set('v2', 2, 3), isUntold: true }
    const isTold = ({ isUntold }: Write) => isUntold !== true
    expect(found(judge([v1, untold], reads, isTold))).toEqual([])
    expect(found(judge([v1, untold], reads))).toEqual([['older than acknowledged', 47]])
    const writes = [v1, untold, set('v3', 10, 11)]
    expect(found(judge(writes, reads, isTold))).toEqual([['older than acknowledged', 39]])
  })

  test('a value that nobody was told of was there when it was acknowledged', () => {
    const writes = [{ ...v1, isUntold: true }, set('v2', 2, 3)]
    const isTold = ({ isUntold }: Write) => isUntold !== true
    expect(found(judge(writes, reads, isTold))).toEqual([['older than acknowledged', 47]])
  })

  test('a write of unknown outcome that somebody has seen, if that is asked for', () => {
    const writes = [v1, set('v2', 2), set('v3', 4), removal(4)]
    const all = [seen('v2', 10, 20), seen('v2', 30, 40), ...reads]
    expect(judge(writes, all)).toEqual([])
    expect(found(judge(acknowledgedBySight(writes, all), all))).toEqual([['older than acknowledged', 30]])
    expect(acknowledgedBySight(writes, all).map(({ endMs }) => endMs)).toEqual([1, 20, undefined, undefined])
  })
})

describe('excuses', () => {
  const failed: Rejection = {
    call: 'read',
    key: 'a',
    startMs: 100,
    endMs: 110,
    code: 'UNAVAILABLE',
    timeoutMs: 5_000,
  }

  test.each<[string, Partial<Rejection>]>([
    ['an error without a cause', {}],
    ['the deadline of somebody else', { code: 'TIMEOUT' }],
    ['the abort of somebody else', { code: 'ABORTED' }],
    ['an abort before the own one', { code: 'ABORTED', abortedAtMs: 111 }],
    ['an error that is not the own deadline', { endMs: 5_100 }],
    ['a deadline that comes too early', { code: 'TIMEOUT', endMs: 5_020 }],
    ['a write of unknown outcome', { call: 'write', code: 'OUTCOME_UNKNOWN' }],
  ])('%s is found', (_, changes) => {
    expect(unexcused([{ ...failed, ...changes }])).toHaveLength(1)
  })

  test.each<[string, Partial<Rejection>]>([
    ['the own deadline', { code: 'TIMEOUT', endMs: 5_100 }],
    ['the own abort', { code: 'ABORTED', abortedAtMs: 105 }],
    ['the own abort of a write', { call: 'write', code: 'OUTCOME_UNKNOWN', abortedAtMs: 105 }],
  ])('%s is one', (_, changes) => {
    expect(unexcused([{ ...failed, ...changes }])).toEqual([])
  })

  test('an outage excuses what met it, and nothing else', () => {
    const outage = { calls: ['read'], codes: ['UNAVAILABLE'], fromMs: 105, untilMs: 120 } as const
    expect(unexcused([failed], [outage])).toEqual([])
    expect(unexcused([failed], [{ ...outage, leastMs: 10 }])).toEqual([])
    expect(unexcused([failed], [{ ...outage, leastMs: 11 }])).toHaveLength(1)
    expect(unexcused([failed], [{ ...outage, fromMs: 111 }])).toHaveLength(1)
    expect(unexcused([{ ...failed, call: 'write' }], [outage])).toHaveLength(1)
    expect(unexcused([{ ...failed, code: 'CORRUPT' }], [outage])).toHaveLength(1)
  })
})
