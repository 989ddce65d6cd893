import { expect, test } from 'vitest'
import { judgeTransactions, type RecordedTransaction } from '../src/index.ts'

let clock = 0

/** A transaction that found and left these; it began and ended at times of its own. */
function tx(
  reads: Record<string, string | undefined>,
  writes: Record<string, string> = {},
  seen: Partial<RecordedTransaction> = {},
): RecordedTransaction {
  const [calledAt, returnedAt] = [clock++, clock++]
  const [found, left] = [new Map(Object.entries(reads)), new Map(Object.entries(writes))]
  return { calledAt, returnedAt, reads: found, writes: left, result: 'committed', ...seen }
}

const beside = { calledAt: 0, returnedAt: 1e6 }
const begun = tx({ x: undefined, y: undefined }, { x: 'x0', y: 'y0' }, { calledAt: -2, returnedAt: -1 })

test.each<[string, RecordedTransaction[]]>([
  ['one after the other', [tx({ x: 'x0' }, { x: 'x1' }), tx({ x: 'x1' }, { x: 'x2' })]],
  [
    'a reader beside a writer, before it',
    [tx({ x: 'x0' }, { x: 'x1' }, beside), tx({ x: 'x0', y: 'y0' }, {}, beside)],
  ],
  [
    'an unknown one that came',
    [tx({ x: 'x0' }, { x: 'x1' }, { result: 'unknown' }), tx({ x: 'x1' }, { x: 'x2' })],
  ],
  [
    'an unknown one that never came',
    [tx({ x: 'x0' }, { x: 'x1' }, { result: 'unknown' }), tx({ x: 'x0' }, { x: 'x2' })],
  ],
])('serializable: %s', (_, history) => {
  expect(judgeTransactions([begun, ...history])).toMatchObject({ serializable: true })
})

test.each<[string, RecordedTransaction[], string]>([
  [
    'a lost update',
    [tx({ x: 'x0' }, { x: 'x1' }, beside), tx({ x: 'x0' }, { x: 'x2' }, beside)],
    'both replaced',
  ],
  [
    'write skew',
    [tx({ x: 'x0', y: 'y0' }, { x: 'x1' }, beside), tx({ x: 'x0', y: 'y0' }, { y: 'y1' }, beside)],
    'before the next',
  ],
  [
    'half of a transaction',
    [tx({ x: 'x0', y: 'y0' }, { x: 'x1', y: 'y1' }, beside), tx({ x: 'x1', y: 'y0' }, {}, beside)],
    'before the next',
  ],
  ['a value that was rolled back', [tx({ x: 'gone' })], 'that no transaction left'],
  ['a stale read', [tx({ x: 'x0' }, { x: 'x1' }), tx({ x: 'x0' })], 'before the next'],
  [
    'two that each miss the other',
    [
      tx({ z: undefined, w: undefined }, { z: 'z1' }, beside),
      tx({ z: undefined, w: undefined }, { w: 'w1' }, beside),
    ],
    'before the next',
  ],
])('not serializable: %s', (_, history, reason) => {
  const judgement = judgeTransactions([begun, ...history])
  expect(judgement).toMatchObject({ serializable: false, reason: expect.stringContaining(reason) })
})

test('twenty thousand transactions are judged, and one planted fault among them is found', () => {
  const history = Array.from({ length: 20_000 }, (_, at) => {
    const key = `k${at % 97}`
    const found = at < 97 ? undefined : `s${at - 97}`
    return tx({ [key]: found }, { [key]: `s${at}` })
  })
  expect(judgeTransactions(history)).toEqual({ serializable: true, transactions: 20_000 })
  const stale = tx({ k5: 's5' })
  expect(judgeTransactions([...history, stale])).toMatchObject({ serializable: false })
})
