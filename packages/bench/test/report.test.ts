import { describe, expect, test } from 'vitest'
import { FileNames } from '../src/cube/view-tables.ts'
import { linearAxis, logAxis } from '../src/report/plot/axes.ts'
import { textOf } from '../src/report/report-table.ts'
import { formatCount, formatDuration, formatExact, formatInterval, formatMs } from '../src/report/words.ts'
import { durabilitiesOf, promiseOf } from '../src/run/result.ts'

describe('names of files', () => {
  const files = new FileNames()
  test('are given once, also where capitals do not count', () => {
    const names = ['cache-a-b-c', 'cache-a-b-c', 'cache-A-b-c', 'other'].map((name) => files.claim(name))
    expect(names).toEqual(['cache-a-b-c', 'cache-a-b-c~2', 'cache-A-b-c~3', 'other'])
  })
})

test('times and counts are written for people', () => {
  expect([50, 12_345, 0.5].map(formatExact)).toEqual(['50', '12,345', '0.5'])
  expect([0.0000005, 0.0004, 0.9996, 0.012345, 1.2345, 12.345, 999.6, 61_000].map(formatMs)).toEqual([
    '0.50 ns',
    '400 ns',
    '1.00 ms',
    '12.3 µs',
    '1.23 ms',
    '12.3 ms',
    '1.00 s',
    '61.0 s',
  ])
  expect(formatInterval(0.0123, 0.0004)).toBe('12.3 ± 0.4 µs')
  expect(formatInterval(0.0123, null)).toBe('12.3 µs')
  expect([-3.456, 3.456, 999, 1_234, 12_345, 2_000_000].map(formatCount)).toEqual([
    '−3.46',
    '3.46',
    '999',
    '1,230',
    '12,300',
    '2,000,000',
  ])
  expect([400, 59_000, 185_000, 3_720_000].map(formatDuration)).toEqual([
    '0 s',
    '59 s',
    '3 min 05 s',
    '1 h 02 min',
  ])
})

test('logAxis holds every value between round ends', () => {
  const axis = logAxis([0.00034, 0.9])
  expect([axis.low, axis.high]).toEqual([0.0002, 2])
  expect(axis.ticks).toEqual([0.001, 0.01, 0.1, 1])
  expect(axis.place(0.0002)).toBe(0)
  expect(axis.place(2)).toBeCloseTo(1, 12)
  expect(logAxis([3, 4]).ticks).toEqual([2, 5])
  expect(logAxis([]).ticks.length).toBeGreaterThan(0)
})

test('linearAxis holds 0 and every value, also below 0', () => {
  const found = ([[0, 9], [-3, 9], [-12, -3], []] as const).map((values) => {
    const axis = linearAxis(values)
    expect(values.every((value) => axis.place(value) >= 0 && axis.place(value) <= 1)).toBe(true)
    return [axis.low, axis.high, axis.ticks.length, axis.ticks.includes(0)]
  })
  expect(found).toEqual([
    [0, 10, 11, true],
    [-4, 10, 8, true],
    [-14, 0, 8, true],
    [0, 1, 11, true],
  ])
})

test('a table fits its width, however long its names are', () => {
  const store = 'abcdefghijklmnopqrstuvwxyz123456'
  const table = {
    title: 'Thresholds',
    head: ['ok', 'store', 'fails if', 'found'],
    names: 3,
    rows: [
      ['✓', store, 'read-modify-write.service.p99.9 > 100000ms', '7.98 ms'],
      ['✗', 'short', 'errors > 1%', '2 %'],
    ],
  }
  const text = textOf(table, 60)
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(60)
  expect(text.replace(/\s/g, '')).toContain('7.98ms')
  expect(text).toMatch(/^✗ +short +errors > 1% +2 %$/m)
  expect(textOf(table, 100)).toMatch(
    /^✓ {3}abcdefghijklmnopqrstuvwxyz123456 {2}read-modify-write.* > 100000ms {2}7.98 ms$/m,
  )
  const narrow = textOf({ ...table, rows: [['✓', store + store, 'x', '1']] }, 20)
  expect(narrow.replace(/[^a-z]/g, '')).toContain('vwxyz')
})

test.each([
  ['postgres', { fsync: 'on', synchronous_commit: 'on' }, 'flushed to disk'],
  ['postgres', { fsync: 'off', synchronous_commit: 'on' }, 'buffered, survives'],
  ['postgres', { fsync: 'on', synchronous_commit: 'off' }, 'in memory, lost'],
  [
    'postgres',
    { version: '15.18' },
    'at least buffered, survives a crash of the process but not of the machine, as declared',
  ],
  ['mysql', { innodb_flush_log_at_trx_commit: '1' }, 'flushed to disk'],
  ['mysql', { innodb_flush_log_at_trx_commit: '0' }, 'in memory, lost'],
  ['redis', { appendonly: 'yes', appendfsync: 'always' }, 'flushed to disk'],
  ['redis', { appendonly: 'yes', appendfsync: 'everysec' }, 'buffered, survives'],
  ['redis', { appendonly: 'no', appendfsync: 'always' }, 'in memory, lost'],
])('writes to %s with the settings %j are told as they are', (adapter, server, words) => {
  const store = { name: adapter, url: `${adapter}://127.0.0.1`, adapter, durability: 'buffered', server }
  expect(promiseOf(store).words.startsWith(words)).toBe(true)
  const lmdb = { name: 'lmdb', url: 'lmdb:./l', adapter: 'lmdb', durability: 'flushed', server: {} }
  const isFlushed = words === 'flushed to disk'
  expect(durabilitiesOf({ stores: [lmdb, store] }) === undefined).toBe(isFlushed)
})
