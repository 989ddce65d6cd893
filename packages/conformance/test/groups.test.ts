import { describe, expect, test } from 'vitest'
import { isSerial } from '../src/groups/serial-order.ts'
import { collectingRunner, groupTransactions, type OpenedGroupStore } from '../src/index.ts'
import { type Fault, numberedMemory } from './numbered-memory.ts'

function opened(fault?: Fault): OpenedGroupStore {
  return { groups: numberedMemory(fault), close: async () => {} }
}

describe('groups in memory that number their commits', () => {
  groupTransactions({ test, describe, open: () => opened() })
})

test.each<[Fault, string]>([
  ['no check of keys', 'no update is lost'],
  ['no check of keys', 'two that read the same and write apart are not both committed (write skew)'],
  ['no check of ranges', 'a record that appears in a range that was listed is a conflict (phantom)'],
  ['no check of reads', 'reads of one transaction are of one state'],
  ['half a commit', 'a commit sets, replaces and removes at once'],
  ['order of UTF-16', 'records come in the order of unsigned UTF-8 bytes'],
  ['after the deadline', 'a call whose time is over begins nothing'],
])('a store with %s fails at "%s"', async (fault, title) => {
  const runner = collectingRunner({ only: (_topic, one) => one === title })
  groupTransactions({ ...runner, open: () => opened(fault) })
  const { failed } = await runner.run()
  expect(failed.map((failure) => failure.title)).toEqual([title])
})

test('an order of transactions that no serial one explains is found', () => {
  const lists = (x: string, y: string) =>
    new Map([
      ['x', x === '' ? [] : x.split(',')],
      ['y', y === '' ? [] : y.split(',')],
    ])
  const skewed = [
    { name: 'a', read: lists('', ''), appended: ['x'] },
    { name: 'b', read: lists('', ''), appended: ['y'] },
  ]
  expect(isSerial(skewed, lists('a', 'b'))).toBe(false)
  const serial = [
    { name: 'a', read: lists('', ''), appended: ['x'] },
    { name: 'b', read: lists('a', ''), appended: ['y'] },
  ]
  expect(isSerial(serial, lists('a', 'b'))).toBe(true)
  expect(isSerial(serial, lists('a', ''))).toBe(false)
})
