import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultOf } from '@unikv/bench/studies'
import { knownStores } from '@unikv/stores/knowledge'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { givenIn, screened } from '../src/cli/evaluate/candidates.ts'
import { run } from '../src/cli/program.ts'
import { commandsOfGuide, inProcess, root } from './command-line.ts'

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
  expect(text).toContain('cloud is out: Self-hosted: the answer must be yes, but for ')
  expect(text).toContain('gone was not reached: postgres://127.0.0.1:1/shop')
  expect(text).toMatch(
    /(lmdb and file|file and lmdb) meet every scenario\. · 1–2: .* cannot be told apart by their throughput, as one run does not tell/,
  )
  expect(text).toContain('Not measured: gone, facts.')
  const kept = await readFile(join(root, 'shop', 'result.json'), 'utf8')
  expect(kept + out).not.toContain('secret')
  const result = JSON.parse(kept) as ResultOf<'evaluate'>
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

test('a store that unikv does not open is told with its reason, and falls out of scenarios by its facts', async () => {
  const candidates = {
    lmdb: 'lmdb:./gr-l',
    graph: 'neo4j',
    riak: 'riak://u:secret@127.0.0.1:8087',
    search: { url: 'elasticsearch://127.0.0.1:9200', eventual: 'elasticsearch://127.0.0.1:9201' },
  }
  const scenarios = {
    growing: { extends: 'growth', load: 'both', callers: 4, requires: { sharding: 'automatic' } },
    fresh: {
      measure: 'errors <= 0%',
      load: 'both',
      callers: 4,
      requires: { consistency: 'strong', tls: true },
    },
    small: { measure: 'errors <= 0%', load: 'both', callers: 4 },
  }
  const file = await documentOf({ candidates, scenarios, requires: { tls: true }, needs: [] }, 'graph.yaml')
  const plan = await inProcess(['evaluate', file, '--dry-run'])
  const text = lineOf(plan.out)
  expect([plan.code, plan.out.includes('secret')]).toEqual([0, false])
  expect(text).toMatch(
    /graph Neo4j screened out unikv has no adapter for Neo4j: it is a graph store, .*“growing”: Sharding: at least automatic is required, but Neo4j has manual \(https:\/\/neo4j\.com/,
  )
  expect(text).toMatch(
    /riak Riak KV screened out unikv has no adapter .* “fresh”: Consistency: strong is required/,
  )
  expect(text).toMatch(/lmdb LMDB screened out .*“growing”: Sharding/)
  const open = { growing: { ...scenarios.small, extends: 'growth', requires: {} } }
  const measured = await documentOf(
    { candidates, scenarios: open, requires: {}, needs: ['scan'] },
    'graph.yaml',
  )
  const { code, out, err } = await inProcess(['evaluate', measured, '--out', 'graph', '--quiet'])
  expect([code, err]).toEqual([0, ''])
  expect(lineOf(out)).toContain('Not measured: graph, riak, search.')
  expect(lineOf(out)).toContain('unikv has no adapter for Riak KV: no client for Node.js is maintained.')
})

test('--dry-run shows the plan and its time, and writes nothing', async () => {
  const sweep = { callers: [1, 2], runs: 2, duration: '10s', warmup: '5s' }
  const file = await documentOf({ sweep, candidates: { a: 'lmdb:./dry', b: 'dynamodb' }, scenarios: {} })
  const { code, out } = await inProcess(['evaluate', file, '--dry-run', '--out', 'dry-out'])
  expect(code).toBe(0)
  expect(lineOf(out)).toContain('20 records are loaded into 1 store.')
  expect(lineOf(out)).toContain('Measuring takes 45 s')
  expect(existsSync(join(root, 'dry-out'))).toBe(false)
  // A candidate in a file is not made either.
  expect(existsSync(join(root, 'dry'))).toBe(false)
})

test('a candidate that cannot take the workload is out, in the plan too, and the others are measured', async () => {
  const file = await documentOf({
    candidates: { lmdb: 'lmdb:./fit-l', file: 'file:./fit-f', cache: 'memcached://127.0.0.1:1' },
    needs: [],
    loads: { walk: 'scan=100' },
    scenarios: {},
  })
  const plan = await inProcess(['evaluate', file, '--dry-run'])
  expect(lineOf(plan.out)).toContain('20 records are loaded into 1 store.')
  // The document limits the operations, too.
  expect(lineOf(plan.out)).toContain('Measuring takes up to 15 s,')
  const { code, out, err } = await inProcess(['evaluate', file, '--out', 'fit', '--quiet'])
  expect([code, err]).toEqual([0, ''])
  expect(lineOf(out)).toContain(
    'file is out: file cannot do the operation scan: it does not list keys in order.',
  )
  expect(lineOf(out)).toContain('cache is out: It cannot be measured: it does not list its keys')
})

test('what acknowledged writes survive can be required, and is told where candidates differ', async () => {
  const candidates = { lmdb: 'lmdb:./du-l', heap: 'memory:', cache: 'memcached', pg: 'postgres' }
  const plan = await inProcess([
    'evaluate',
    await documentOf({ candidates, requires: { durability: 'flushed' }, needs: [] }, 'durable.yaml'),
    '--dry-run',
  ])
  expect(lineOf(plan.out)).toContain('heap Memory screened out Durability: at least flushed is required')
  expect(lineOf(plan.out)).toMatch(/cache memcached screened out Durability: .* with unikv it is memory/)
  expect(lineOf(plan.out)).toMatch(/pg PostgreSQL facts only/)
  const listed = await documentOf({ candidates, requires: {}, needs: ['scan'] }, 'listed.yaml')
  expect(lineOf((await inProcess(['evaluate', listed, '--dry-run'])).out)).toContain(
    'cache memcached screened out With unikv it lacks scan',
  )
  const { code, out } = await inProcess(['evaluate', listed, '--out', 'listed', '--quiet'])
  expect([code, lineOf(out)]).toEqual([
    0,
    expect.stringContaining('The stores promise different things of a write'),
  ])
  const wrong = await documentOf({ candidates, requires: { durability: 'disk' } }, 'wrong.yaml')
  expect((await inProcess(['evaluate', wrong])).err).toContain(
    'requires.durability: it must be memory, buffered, flushed or replicated',
  )
})

test('without an answer from its second URL a candidate is measured with strong consistency alone', async () => {
  const redis = { url: 'redis://127.0.0.1:1', eventual: 'redis://127.0.0.1:1?replicas=1' }
  const file = await documentOf({ candidates: { lmdb: 'lmdb:./ev-l', redis }, loads: { both: 'read=100' } })
  const { code, out } = await inProcess(['evaluate', file, '--dry-run'])
  expect([code, lineOf(out)]).toEqual([0, expect.stringContaining('loaded into 1 store.')])
  const given = givenIn({ name: '', candidates: { redis } }, 'shop.yaml', knownStores)
  const asked: string[] = []
  const trial = { file: 'shop.yaml', timeoutMs: 1, isWritten: false, check: () => {} }
  const [found] = await screened(given, { name: '', candidates: {} }, knownStores, trial, async (name) => {
    asked.push(name)
    return name === 'redis'
      ? { state: 'measured', reasons: [] }
      : { state: 'unreachable', reasons: ['It did not answer.'] }
  })
  expect(asked).toEqual(['redis', 'redis-eventual'])
  expect(found).toMatchObject({
    state: 'measured',
    hasEventual: false,
    reasons: ['Eventual consistency is not measured.', 'It did not answer.'],
  })
})

test('facts of a file hold for a product with a scheme of its own', async () => {
  const valkey = { facts: { license: { value: ['BSD-3-Clause'], says: 'BSD.', source: 'its LICENSE' } } }
  await writeFile(
    join(root, 'valkey.yaml'),
    stringify({ stores: { valkey: { ...valkey, title: 'Valkey', checked: '2026-11-27', version: '8' } } }),
  )
  const file = await documentOf({
    candidates: { lmdb: 'lmdb:./vk-l', own: 'valkey://127.0.0.1:1', other: 'redis://127.0.0.1:2' },
    requires: { license: ['BSD-3-Clause', 'OLDAP-2.8'] },
  })
  const { code, out } = await inProcess(['evaluate', file, '--dry-run', '--facts', 'valkey.yaml'])
  expect(code).toBe(0)
  expect(lineOf(out)).toMatch(/own Valkey not reached/)
  expect(lineOf(out)).toMatch(/other Redis screened out/)
})

test('if no candidate can be reached, that is not a mistake in the document', async () => {
  const file = await documentOf({ candidates: { gone: 'redis://127.0.0.1:1' } })
  const { code, err } = await inProcess(['evaluate', file, '--out', 'gone', '--quiet'])
  expect([code, lineOf(err)]).toEqual([
    1,
    expect.stringContaining('No candidate is left to measure. gone: redis://127.0.0.1:1: '),
  ])
})

test('an evaluation goes on after Ctrl-C', async () => {
  const sweep = { callers: [1, 2, 3, 4], runs: 2, operations: 20, warmup: '0s' }
  const file = await documentOf(
    { sweep, candidates: { lmdb: 'lmdb:./on-l', file: 'file:./on-f' } },
    'on.yaml',
  )
  let isAsked = false
  const first = await inProcess(['evaluate', file, '--out', 'on', '--progress', 'json'], (err, interrupt) => {
    if (isAsked || !err.includes('"cell":{"run":1,')) return
    isAsked = true
    interrupt()
  })
  expect([first.code, first.err.includes('Interrupted')]).toEqual([130, true])
  const second = await inProcess(['evaluate', file, '--out', 'on'])
  expect(second.code, second.err).toBe(0)
  const { curves } = JSON.parse(
    await readFile(join(root, 'on', 'result.json'), 'utf8'),
  ) as ResultOf<'evaluate'>
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
  [
    { candidates: { a: '${SHOP_URL}' } },
    'wrong.yaml: candidates.a: the environment variable SHOP_URL is not set',
  ],
  [
    { candidates: { a: { url: 'lmdb:./l', eventual: 'redis' } } },
    "candidates.a.eventual: 'redis' is not a URL",
  ],
  [
    { candidates: { a: { url: 'lmdb:./l', eventual: 'file:./f' } } },
    'candidates.a.eventual: it is a store of another kind (file) than url (lmdb)',
  ],
  [
    { candidates: { a: { url: 'lmdb:./l', eventual: 'foo:secret' } } },
    'candidates.a.eventual: it is a store of another kind (foo) than url (lmdb)',
  ],
  [
    { candidates: { a: { url: 'lmdb:./l', eventual: 'lmdb:./l' } } },
    'candidates.a.eventual: it is the same as url, so there is nothing to compare',
  ],
  [
    { candidates: { a: { url: 'redis', eventual: 'redis://h' } } },
    "candidates.a: 'redis' is the name of a store, whose facts alone are looked at",
  ],
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
  for (const option of ['--dry-run', '--quiet']) {
    const { code, err } = await inProcess(['evaluate', file, '--out', 'full', option])
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^unikv: The records of lmdb take at least [\d.]+ \w+, but the disk of /),
    ])
  }
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
  await writeFile(
    join(root, 'shop.yaml'),
    document
      .replace('duration: 1s', 'operations: 100\n  warmup: 0s')
      .replace('1000', '20')
      .replace('50ms', '5s'),
  )
  const commands = await commandsOfGuide('evaluate')
  expect(commands).toHaveLength(2)
  for (const command of commands) {
    const { code, err } = await inProcess(command)
    expect(code, err).toBe(0)
  }
})

test('names with control characters do not reach a terminal as they are', async () => {
  const escape = String.fromCharCode(27)
  const file = await documentOf({
    name: `${escape}[2Jshop`,
    candidates: { lmdb: 'lmdb:./esc-l' },
    scenarios: {},
  })
  await writeFile(
    join(root, 'esc.yaml'),
    stringify({ stores: { own: { title: `${escape}own`, facts: {} } } }),
  )
  const commands = [
    ['evaluate', file, '--dry-run'],
    ['evaluate', file, '--out', 'esc', '--quiet'],
    ['stores', 'show', 'own', '--facts', 'esc.yaml'],
    ['stores', 'show', escape],
  ]
  const before = process.cwd()
  process.chdir(root)
  try {
    for (const args of commands) {
      let told = ''
      const write = (text: string): void => void (told += text)
      await run({
        arguments: args,
        out: write,
        error: write,
        width: 80,
        columns: undefined,
        onInterrupt: () => {},
      })
      expect([args, told.includes(escape), told.includes(String.raw`\u001b`)]).toEqual([args, false, true])
    }
  } finally {
    process.chdir(before)
  }
})
