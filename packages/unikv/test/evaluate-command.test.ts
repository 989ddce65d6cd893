import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EvaluationResult } from '@unikv/study-evaluation'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { commandsOfGuide, inProcess, root, unikv } from './command-line.ts'

const shop = {
  name: 'A shop',
  candidates: {
    lmdb: 'lmdb:./shop-l',
    file: 'file:./shop-f',
    gone: 'postgres://shop:secret@127.0.0.1:1/shop',
    facts: 'postgres',
    cloud: 'dynamodb',
  },
  requires: { selfHosted: true },
  needs: ['scan'],
  workload: { preset: 'b', records: 20, valueSize: 100 },
  loads: { both: 'read=80,update=20' },
  sweep: { callers: [1, 2, 4], runs: 1, operations: 20, warmup: '0s' },
  scenarios: { 'no failure': { measure: 'errors <= 0%', load: 'both', callers: 4 } },
  timeout: '2s',
}

async function documentOf(changes: object, name = 'shop.yaml'): Promise<string> {
  await writeFile(join(root, name), stringify({ ...shop, ...changes }))
  return name
}

function lineOf(text: string): string {
  return text.replace(/\s+/g, ' ')
}

test('unikv evaluate screens, measures and ranks; the page tells why others are out', async () => {
  const file = await documentOf({})
  const { code, out, err } = await inProcess(['evaluate', file, '--out', 'shop', '--quiet'])
  expect([code, err]).toEqual([0, ''])
  // The address of a source is not broken.
  for (const line of out.split('\n'))
    if (!line.includes('https:')) expect(line.length).toBeLessThanOrEqual(80)
  const text = lineOf(out)
  expect(text).toContain('cloud is out: Self-hosted: yes is required, ')
  expect(text).toContain('gone was not reached: postgres://127.0.0.1:1/shop')
  expect(text).toMatch(
    /(lmdb and file|file and lmdb) meet every scenario\. (lmdb|file) has the most throughput/,
  )
  expect(text).toContain('Not measured: gone, facts.')
  const kept = await readFile(join(root, 'shop', 'result.json'), 'utf8')
  expect(kept + out).not.toContain('secret')
  const result = JSON.parse(kept) as EvaluationResult
  expect(result.config.candidates.map(({ name, state }) => [name, state])).toEqual([
    ['lmdb', 'measured'],
    ['file', 'measured'],
    ['gone', 'unreachable'],
    ['facts', 'named'],
    ['cloud', 'out'],
  ])
  const again = await inProcess(['bench', 'report', 'shop'])
  expect(again.code, again.err).toBe(0)
})

test('--dry-run shows the plan and its time, and writes nothing', async () => {
  const sweep = { callers: [1, 2], runs: 2, duration: '10s', warmup: '5s' }
  const file = await documentOf({ sweep, candidates: { a: 'lmdb:./dry', b: 'dynamodb' }, scenarios: {} })
  const { code, out } = await inProcess(['evaluate', file, '--dry-run', '--out', 'dry-out'])
  expect(code).toBe(0)
  expect(lineOf(out)).toContain('20 records are loaded into 1 store.')
  expect(lineOf(out)).toContain('Measuring takes 45 s')
  expect(existsSync(join(root, 'dry-out'))).toBe(false)
})

test('an evaluation goes on after Ctrl-C', async () => {
  const sweep = { callers: [1, 2, 3, 4], runs: 2, duration: '500ms', warmup: '0s' }
  const file = await documentOf(
    { sweep, candidates: { lmdb: 'lmdb:./on-l', file: 'file:./on-f' } },
    'on.yaml',
  )
  let isAsked = false
  const first = await unikv(['evaluate', file, '--out', 'on'], (err, signal) => {
    if (isAsked || !err.includes('"cell":{"run":1,')) return
    isAsked = true
    signal('SIGINT')
  })
  expect([first.code, first.err.includes('Interrupted')]).toEqual([130, true])
  const second = await unikv(['evaluate', file, '--out', 'on'])
  expect(second.code, second.err).toBe(0)
  const { curves } = JSON.parse(await readFile(join(root, 'on', 'result.json'), 'utf8')) as EvaluationResult
  expect(curves.map(({ points }) => points.map(({ rate }) => rate.runs.length))).toEqual([
    [2, 2, 2, 2],
    [2, 2, 2, 2],
  ])
})

test.each([
  [
    { candidates: { a: 'postgre' } },
    "'postgre' is neither a URL nor the name of a store. Did you mean 'postgres'?",
  ],
  [
    { candidates: { a: 'redis' }, requires: { queries: ['sql'] } },
    'No candidate is left to measure. a: Queries: sql is required',
  ],
  [{ candidates: { a: '${SHOP_URL}' } }, 'candidates.a: the environment variable SHOP_URL is not set'],
  [{ candidates: { a: 'foo://u:secret@h' } }, "wrong.yaml, candidates.a: No store has the scheme 'foo:'"],
  [
    { candidates: { a: 'redis://u:se/cret@h' } },
    'candidates.a: User and password in a redis URL must be percent-encoded',
  ],
  [{ candidates: { a: 'lmdb:./same', b: 'lmdb:same' } }, 'a and b are the same place'],
  [{ requires: { licence: 'MIT' } }, "requires: there is no 'licence' here. Did you mean 'license'?"],
])('unikv evaluate refuses %j with exit code 2, and writes nothing', async (changes, message) => {
  const file = await documentOf(changes, 'wrong.yaml')
  const { code, err } = await inProcess(['evaluate', file, '--out', 'wrong'])
  expect([code, lineOf(err).includes(message), err.includes('cret')], err).toEqual([2, true, false])
  expect(existsSync(join(root, 'wrong'))).toBe(false)
})

test('records that do not fit on the disk are refused before any is written', async () => {
  const workload = { ...shop.workload, records: 1e9, valueSize: '1Mi' }
  const file = await documentOf({ candidates: { lmdb: 'lmdb:./full-l' }, workload }, 'full.yaml')
  const { code, err } = await inProcess(['evaluate', file, '--out', 'full', '--quiet'])
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/^unikv: The records of lmdb take at least [\d.]+ \w+, but the disk of /),
  ])
})

test('exit code 3 if no candidate meets every scenario, and 2 if there is no file', async () => {
  const scenarios = { impossible: { measure: 'rate < 0.001', load: 'both', callers: 1 } }
  const file = await documentOf({ candidates: { lmdb: 'lmdb:./none-l' }, scenarios }, 'none.yaml')
  const { code, err } = await inProcess(['evaluate', file, '--out', 'none', '--quiet'])
  expect([code, err]).toEqual([3, 'unikv: No candidate meets every scenario.\n'])
  const missing = await inProcess(['evaluate', 'nowhere.yaml'])
  expect([missing.code, missing.err]).toEqual([2, 'unikv: nowhere.yaml: there is no such file.\n'])
})

test('the document and the commands of the guide work', async () => {
  const text = await readFile(new URL('../../../docs/guides/evaluate.md', import.meta.url), 'utf8')
  const [, document = ''] = /```yaml\n# shop.yaml\n(.*?)```/s.exec(text) ?? []
  await writeFile(join(root, 'shop.yaml'), document.replace('duration: 1s', 'operations: 100\n  warmup: 0s'))
  const commands = await commandsOfGuide('evaluate')
  expect(commands).toHaveLength(2)
  for (const command of commands) {
    const { code, err } = await inProcess(command)
    expect(code, err).toBe(0)
  }
})
