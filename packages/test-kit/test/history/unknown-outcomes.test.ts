import { expect, test } from 'vitest'
import { judge } from '../../src/history/linearizable.ts'
import { type HistoryOperation, step, type Token } from '../../src/history/operation.ts'

/** Every order that time allows, with and without each operation of unknown outcome. */
function isLinearizable(left: readonly HistoryOperation[], state?: Token): boolean {
  if (left.every(({ returnedAt }) => returnedAt === Number.POSITIVE_INFINITY)) return true
  const firstAnswer = Math.min(...left.map(({ returnedAt }) => returnedAt))
  return left.some((one) => {
    const next = one.calledAt <= firstAnswer ? step(one, state) : undefined
    return (
      next !== undefined &&
      isLinearizable(
        left.filter((other) => other !== one),
        next.state,
      )
    )
  })
}

/** Operations at random, most of them of unknown outcome; what they saw may make sense or not. */
function randomHistory(random: () => number): HistoryOperation[] {
  const one = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T
  const tokens = ['a', 'b', 'c', undefined]
  return Array.from({ length: 6 }, (_, n): HistoryOperation => {
    const calledAt = random() * 10
    const answered = { key: 'k', calledAt, returnedAt: calledAt + random() * 5 }
    if (random() < 0.35) return { ...answered, type: 'read', found: one(...tokens) }
    const token = random() < 0.25 ? undefined : ['a', 'b', 'c', 'd', 'e', 'f'][n]
    const ifToken = one(undefined, undefined, null, 'a', 'b')
    const result = one('applied', 'unknown', 'unknown', ifToken === undefined ? 'unknown' : 'refused')
    const returnedAt = result === 'unknown' ? Number.POSITIVE_INFINITY : answered.returnedAt
    return { ...answered, returnedAt, type: 'write', token, ifToken, result }
  })
}

test('the judgement is that of all orders one by one', () => {
  let seed = 7
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const verdicts = { true: 0, false: 0 }
  for (let i = 0; i < 5_000; i++) {
    const history = randomHistory(random)
    const expected = isLinearizable(history)
    verdicts[`${expected}`]++
    expect(judge(history).linearizable, JSON.stringify(history)).toBe(expected)
  }
  expect(verdicts.true).toBeGreaterThan(500)
  expect(verdicts.false).toBeGreaterThan(500)
})

test('forty writes of unknown outcome before a wrong read are no thousand million orders', () => {
  const unknown = Array.from({ length: 40 }, (_, n): HistoryOperation => {
    const token = n % 4 === 0 ? undefined : `unknown ${n}`
    return {
      type: 'write',
      key: 'k',
      calledAt: n,
      returnedAt: Number.POSITIVE_INFINITY,
      token,
      result: 'unknown',
    }
  })
  const seen = (at: number, found: Token): HistoryOperation => {
    return { type: 'read', key: 'k', calledAt: 100 + at, returnedAt: 100.5 + at, found }
  }
  const right = [seen(1, 'unknown 5'), seen(2, 'unknown 3'), seen(3, 'unknown 9')]
  expect(judge([...unknown, ...right]).linearizable).toBe(true)
  expect(judge([...unknown, ...right, seen(4, 'unknown 3')]).linearizable).toBe(false)
})
