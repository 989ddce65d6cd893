import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultOf } from '@unikv/bench/studies'
import { open } from '@unikv/stores/lazy'
import { ownServer } from '@unikv/test-kit'
import { describeWith, describeWithOwn, isWhole, longTest } from '@unikv/test-kit/vitest'
import { beforeAll, describe, expect, test } from 'vitest'
import { inProcess, install, root, typed } from './command-line.ts'

const short = typed('--records 50,100 --runs 2 --duration 10ms --warmup 1ms --allow-non-empty --quiet')

async function resultIn(out: string): Promise<ResultOf<'overhead'>> {
  return JSON.parse(await readFile(join(root, out, 'result.json'), 'utf8')) as ResultOf<'overhead'>
}

/** The number of calls of each operation at each volume by each side. */
function callsIn({ rows }: ResultOf<'overhead'>): ResultOf<'overhead'>['rows'] {
  return rows.filter(({ measure }) => measure === 'operations')
}

/** Measures a little, and leaves nothing behind. `names` lists tables and keys of native clients. */
function measures(
  store: string,
  url: string,
  names: (native: never) => Promise<readonly unknown[]>,
  beside: readonly string[] = [],
): void {
  test(`all sides of each operation at each volume, ${['native', 'unikv', ...beside].join(', ')}`, async () => {
    const out = `overhead-${store}`
    const { code, err } = await inProcess([
      ...typed(`bench overhead --store ${store}=${url} --out ${out}`),
      ...(beside.length > 0 ? ['--beside', beside.join()] : []),
      ...short,
    ])
    expect([code, err]).toEqual([0, ''])
    const calls = callsIn(await resultIn(out))
    const found = calls.map(
      ({ dimensions: { operation, records, side } }) => `${operation} ${records} ${side}`,
    )
    const of = (operation: string, sides: readonly string[]): readonly string[] =>
      sides.flatMap((side) => [`${operation} 50 ${side}`, `${operation} 100 ${side}`])
    const crud = ['insert', 'read', 'update', 'delete']
    expect(found.toSorted()).toEqual(
      [
        ...crud.flatMap((one) => of(one, ['native', 'unikv', ...beside])),
        ...(/^(postgres|sqlite)/.test(url) ? of('search', ['native', 'unikv']) : []),
      ].toSorted(),
    )
    for (const { value } of calls) expect(value).toBeGreaterThan(1)
    const opened = await open(url)
    expect(await names(opened.native as never)).toEqual([])
    await opened.close()
  })
}

/** `@keyv/redis` is not there. */
beforeAll(() => install('unstorage', 'ioredis', 'mongodb', 'keyv', '@keyv/mongo', '@keyv/postgres'))

describeWith('redis', (url) => {
  test('unikv with layers and another library of the project are sides, and leave nothing behind', async () => {
    const args = ['--store', `redis=${url}`, '--layers', 'cache,json,encryption', '--value-size', '300']
    const others = ['--beside', 'unstorage', '--out', 'layered']
    const { code, out, err } = await inProcess(['bench', 'overhead', ...args, ...others, ...short])
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('what unikv with cache, json, encryption adds to the native client')
    const result = await resultIn('layered')
    expect(result.config.layers).toEqual(['cache', 'json', 'encryption'])
    const sides = new Set(callsIn(result).map(({ dimensions }) => dimensions['side']))
    expect([...sides]).toEqual(['native', 'unikv', 'layers', 'unstorage'])
    const opened = await open(url)
    const native = opened.native as { keys(pattern: string): Promise<string[]> }
    expect([await native.keys('*layers*'), await native.keys('unikv_native_*')]).toEqual([[], []])
    await opened.close()
  })

  longTest(
    'volumes that do not fit into the budget are named, and the smallest one is measured',
    async () => {
      const args = ['--store', `redis=${url}`, '--budget', '1ms', '--out', 'budget', ...short]
      const { code, out } = await inProcess(['bench', 'overhead', ...args])
      expect(code).toBe(0)
      expect(out.replace(/\s+/g, ' ')).toMatch(
        /redis: not run with 100 records, which would take about .*; 0/,
      )
      const result = await resultIn('budget')
      expect(callsIn(result).map(({ dimensions }) => dimensions['records'])).toEqual(Array(8).fill(50))
      expect(result.notRun).toMatchObject([{ store: 'redis', volume: 100, leftMs: 0 }])
    },
  )

  if (isWhole)
    measures('redis', url, (native: { keys(pattern: string): Promise<string[]> }) =>
      native.keys('unikv_native_*'),
    )
})

describeWith('postgres', (url) => {
  measures(
    'postgres',
    url,
    async (native: { query(sql: string): Promise<{ rows: unknown[] }> }) => {
      const { rows } = await native.query(
        "SELECT tablename FROM pg_tables WHERE tablename LIKE 'unikv_native_%'",
      )
      return rows
    },
    ['keyv'],
  )
})

interface Database {
  listCollections(filter: object): { toArray(): Promise<readonly unknown[]> }
}

describeWith('mongodb', (url) => {
  measures(
    'mongodb',
    url,
    async (native: { client(): Promise<{ db(name: string): Database }> }) =>
      (await native.client())
        .db('unikv')
        .listCollections({ name: /^unikv_native_/ })
        .toArray(),
    ['keyv', 'unstorage'],
  )
})

describeWithOwn('memcached', () => {
  test('a store that cannot list its keys is measured, and nothing is left in it', async () => {
    await using server = await ownServer('memcached')
    const args = ['--store', `memcached=${server.url}`, '--out', 'unlisted', ...short]
    const { code, err } = await inProcess(['bench', 'overhead', ...args])
    expect([code, err]).toEqual([0, ''])
    expect(callsIn(await resultIn('unlisted'))).toHaveLength(16)
    const opened = await open(server.url)
    const native = opened.native as { stats(): Promise<Readonly<Record<string, string>>> }
    const { curr_items: left, total_items: written } = await native.stats()
    expect([left, Number(written) > 150]).toEqual(['0', true])
    await opened.close()
  })
})

describe('refused:', () => {
  test.each([
    [
      '--store memory:',
      'memory: bench overhead knows the native clients of redis, postgres, mysql, mongodb, cassandra, memcached,',
    ],
    ['--store redis://h?driver=node-redis', 'redis: bench overhead compares with ioredis'],
    ['--store redis://h --records many', "'many' is not a number of records"],
    ['--store redis://h --duration 0s', 'would measure nothing'],
    ['--store redis://h --layers []', '--layers names no layer. Leave it out, or name one.'],
    ['--store redis://h --layers json,cach', "--layers[1]: there is no layer 'cach'. Did you mean 'cache'?"],
    ['--store redis://h --layers [{"encryption":{}}]', 'encryption takes no options here'],
    ['--store redis://h --beside levelup', "--beside: 'levelup' is unknown; known are keyv, unstorage"],
    ['--store redis://h --beside keyv', '@keyv/redis is not installed in'],
    ['--store mysql://h/d --beside keyv', 'bench overhead knows it over redis, postgres and mongodb stores'],
    [
      '--store cassandra://h/k --delay 2ms',
      'cassandra cannot have one: its driver connects to addresses that the servers tell, past a proxy.',
    ],
    ['--store redis://h --layers [json', '--layers is not JSON'],
  ])('%j', async (args, words) => {
    const { code, err } = await inProcess(['bench', 'overhead', ...typed(args)])
    expect([code, err]).toEqual([2, expect.stringContaining(words)])
  })
})
