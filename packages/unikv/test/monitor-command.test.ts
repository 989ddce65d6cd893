import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Manager, openStores } from '@unikv/manager'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sectionsText } from '../src/cli/columns.ts'
import { sparkline } from '../src/cli/monitor/live-view.ts'
import { inProcess, root } from './command-line.ts'

const metrics = `lmdb:${join(root, 'metrics')}`

const config = {
  stores: { users: { url: 'memory:', layers: ['cache', 'json'] }, metrics },
  // Written when the test says so: the live record is of the five seconds before.
  monitor: { keepIn: 'metrics', processName: 'web-1', flushMs: 600_000 },
} as const
let present: Manager<typeof config> | undefined

/** A program that has worked, and one that still does. */
beforeAll(async () => {
  await writeFile(join(root, 'unikv.config.json'), JSON.stringify(config))
  const earlier = await openStores(config)
  await earlier.stores.users.set('ada', { name: 'Ada' })
  await earlier.close()
  present = await openStores(config)
  await present.stores.users.set('ada', { name: 'Ada' })
  for (let i = 0; i < 3; i++) await present.stores.users.get('ada')
  await present.recorder?.flush()
})
afterAll(() => present?.close())

test('one look shows each operation of each store, by the configuration of the folder', async () => {
  const { code, out, err } = await inProcess(['monitor', '--once'])
  expect([code, err]).toEqual([0, ''])
  expect(out).toMatch(/^1 process \(web-1\), last figures \d+ s ago\n/)
  expect(out).toMatch(/users +read +[\d.,]+ .* 66\.7 % +█/)
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})

test('the past by period, as a table and as lines of JSON', async () => {
  const { out } = await inProcess(['monitor', '--url', metrics, '--history', 'day', '--store', 'users'])
  expect(out).toMatch(/20\d\d-\d\d-\d\d 00:00 +users +read +3 /)
  expect(out).toMatch(/users +set +2 /)
  const { out: lines } = await inProcess(['monitor', '--history', 'hour', '--operation', 'set', '--json'])
  expect(JSON.parse(lines.split('\n')[0] as string)).toMatchObject({
    store: 'users',
    operation: 'set',
    calls: 2,
  })
})

test('one look as JSON', async () => {
  const { out } = await inProcess(['monitor', '--once', '--json', '--operation', 'read'])
  expect(JSON.parse(out)).toMatchObject({
    processes: [{ name: 'web-1' }],
    operations: [{ store: 'users', operation: 'read', calls: 3, hits: { memory: 2 }, misses: 1 }],
  })
})

test.each([
  [['monitor', '--config', 'no.yaml'], 'no.yaml: there is no such file.'],
  [['monitor', '--config', 'x', '--url', 'memory:'], 'Choose --config or --url, not both.'],
  [['monitor', '--from', '2026-01-01'], '--from and --to belong to --history.'],
  [['monitor', '--history', 'minute', '--once'], '--once is for the live view'],
  [['monitor', '--history', 'day', '--from', 'yesterday'], 'from must be a date'],
  [['monitor', '--history', 'day', '--operation', 'reed'], "Did you mean 'read'?"],
  [['monitor', '--interval', 'soon'], 'soon'],
  [['monitor', '--interval', '0s'], '--interval must be from 100ms to 24h.'],
  [['monitor', '--history', 'day', '--from', '5'], 'from must be a date'],
  [['monitor', '--url', 'memcached://127.0.0.1'], 'cannot list keys'],
])('%j is refused', async (args, words) => {
  const { code, err } = await inProcess(args)
  expect(err).toContain(words)
  expect(code).toBe(2)
})

test('a trend is as high as its highest value', () => {
  expect(sparkline([0, 5, 10])).toBe('▁▅█')
  expect(sparkline([0, 0])).toBe('▁▁')
})

test('a row with errors is red where there are colors, in each line of a folded cell', () => {
  const table = {
    head: ['store', 'errors'],
    rows: [
      ['users', '0'],
      ['a long name', '2 %'],
    ],
    wrong: [1],
  }
  expect(sectionsText([table], 14, true).split('\n').slice(2)).toEqual([
    'users        0',
    '\u001b[31ma long name  2\u001b[39m',
    '\u001b[31m             %\u001b[39m',
    '',
  ])
  expect(sectionsText([table], 80)).not.toContain('\u001b')
})
