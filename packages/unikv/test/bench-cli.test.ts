import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keyValue, StoreError } from '@unikv/core'
import { open } from '@unikv/stores'
import { describe, expect, test } from 'vitest'
import { exitCodeOf } from '../src/cli/exit-code.ts'
import { repeatCommand } from '../src/cli/repeat-command.ts'
import { serverFacts } from '../src/cli/server-facts.ts'
import { driverOf, driverVersions, kindOf } from '../src/cli/versions.ts'
import { inProcess, root, typed, unikv } from './command-line.ts'

test('a store that does not return what was written makes a run invalid', () => {
  expect(exitCodeOf(new StoreError('CORRUPT', 'x'))).toBe(4)
  expect(exitCodeOf(new StoreError('INVALID_VALUE', 'x'))).toBe(2)
  expect(exitCodeOf(new StoreError('TIMEOUT', 'x'))).toBe(1)
})

describe('the command to repeat a run', () => {
  test('holds no user info, in whatever form a URL is given', () => {
    const url = 'redis://user:s3cret@h:1?dataset=d'
    const args = ['bench', 'sizes', '--store', url, '--store', `near=${url}`, `--cache=far=${url}`]
    const shown = repeatCommand(args)
    expect(shown).not.toContain('s3cret')
    expect(shown).toBe(
      "npx unikv bench sizes --store 'redis://h:1?dataset=d' --store 'near=redis://h:1?dataset=d' '--cache=far=redis://h:1?dataset=d'",
    )
  })

  test('quotes what a shell would read', () => {
    expect(repeatCommand(['--data', "it's here", '--sizes', '1K..1M:2'])).toBe(
      "npx unikv --data 'it'\\''s here' --sizes 1K..1M:2",
    )
  })
})

test('a long command is in a file beside the result, and runs again from there', async () => {
  const limits = Array.from({ length: 12 }, (_, at) => ['--fail-if', `read.p99 > ${at + 10}s`]).flat()
  const args = [...typed('--store near=memory: --records 10 --warmup 0s --duration 50ms'), ...limits]
  const first = await inProcess(['bench', 'run', ...args, '--out', 'long'])
  expect(first.out).toContain('repeat: npx unikv @long/repeat.txt\n')
  const again = await inProcess(['@long/repeat.txt', '--format', 'json'])
  const { command, stores } = JSON.parse(again.out)
  expect(stores[0].name).toBe('near')
  expect(command).toContain("--fail-if 'read.p99 > 21s' --out long --format json")
  await writeFile(join(root, 'quoted'), "stores\n's'how \"re\"\\d$'i\\u0073' ")
  expect((await inProcess(['@quoted'])).out).toContain('Redis')
  await writeFile(join(root, 'quoted'), "stores 'show")
  expect((await inProcess(['@quoted'])).err).toContain('a quote that does not end')
  const none = await inProcess(['@none'])
  expect(none).toMatchObject({ code: 2, err: expect.stringContaining('cannot be read (ENOENT)') })
})

test('the driver of a URL is the one that it asks for', () => {
  const names = [
    'redis://h',
    'rediss://h?driver=node-redis',
    'valkey://h',
    'mariadb://h/d?driver=mariadb',
    'postgresql://h/d',
    'mongodb+srv://h/d',
    's3://b',
    'file:./d',
  ]
  expect(names.map(driverOf)).toEqual([
    'ioredis',
    'redis',
    'ioredis',
    'mariadb',
    'pg',
    'mongodb',
    '@aws-sdk/client-s3',
    undefined,
  ])
  const versions = driverVersions(names.map((url) => ({ name: 'x', url })))
  for (const name of ['ioredis', 'redis', 'mariadb', 'pg', 'mongodb', '@aws-sdk/client-s3'])
    expect(versions[name]).toMatch(/^\d+\./)
})

const servers = [
  [
    'redis',
    process.env['UNIKV_TEST_REDIS_URL'],
    ['version', 'appendonly', 'appendfsync', 'maxmemory-policy'],
  ],
  [
    'mysql',
    process.env['UNIKV_TEST_MARIADB_URL'],
    ['version', 'innodb_flush_log_at_trx_commit', 'sync_binlog'],
  ],
  ['postgres', process.env['UNIKV_TEST_POSTGRES_URL'], ['version', 'fsync', 'synchronous_commit']],
  ['mongodb', process.env['UNIKV_TEST_MONGODB_URL'], ['version']],
  ['cassandra', process.env['UNIKV_TEST_CASSANDRA_URL'], ['version']],
] as const

describe('a server is asked for its version and settings', () => {
  for (const [kind, url, names] of servers) {
    test.skipIf(url === undefined)(kind, async () => {
      const drivers = kind === 'redis' ? ['ioredis', 'node-redis'] : [undefined]
      for (const driver of drivers) {
        const own = `${url}${driver === undefined ? '' : `?driver=${driver}`}`
        const store = open(own)
        await keyValue(store).get('connects')
        const facts = await serverFacts(kindOf(own), store.native)
        await store.close()
        expect(Object.keys(facts)).toEqual(expect.arrayContaining([...names]))
        expect(facts['version']).toMatch(/^\d+\./)
      }
    })
  }

  test('and one that tells nothing has nothing', async () => {
    expect(await serverFacts('file', {})).toEqual({})
  })
})

/** Counts what a run of the command line loads. */
const counter = `import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(\`
  import { appendFileSync } from 'node:fs'
  export function load(url, context, next) {
    appendFileSync(\${JSON.stringify(process.env.LOADED)}, url + '\\\\n')
    return next(url, context)
  }\`))`

test.each([
  [['--version'], 150],
  [['bench', '--help'], 150],
] as const)('unikv %j loads few modules', async (args, most) => {
  const file = join(root, `loaded-${args.at(-1)}`)
  const counting = `--import data:text/javascript,${encodeURIComponent(counter)}`
  const { code } = await unikv(args, undefined, { LOADED: file, NODE_OPTIONS: counting })
  const loaded = new Set((await readFile(file, 'utf8')).split('\n').filter((url) => url.startsWith('file:')))
  expect(code).toBe(0)
  expect(loaded.size).toBeGreaterThan(20)
  expect(loaded.size).toBeLessThanOrEqual(most)
})
