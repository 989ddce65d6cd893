import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseResult } from '@unikv/bench/report'
import { loadStudy, type ResultOf } from '@unikv/bench/studies'
import { type Bytes, keyValue, type Store, supports } from '@unikv/core'
import { open } from '@unikv/stores'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { run } from '../src/cli/program.ts'

const sizes = await loadStudy('sizes')

const dataset = `bench_${process.pid}`

/** Run `unikv bench sizes` in this process and read its result. */
async function benched(
  ...args: readonly string[]
): Promise<{ code: number; errors: string; result: ResultOf<'sizes'> }> {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-servers-'))
  const quick = [
    '--sizes',
    '20K',
    '--runs',
    '1',
    '--operations',
    '8',
    ...(args.includes('--cache') ? ['--measure-hit-rates'] : []),
    '--out',
    join(folder, 'r'),
  ]
  let errors = ''
  const code = await run({
    arguments: ['bench', 'sizes', ...args, ...quick, '--progress', 'json'],
    out: () => {},
    error: (text) => {
      if (!text.startsWith('{')) errors += text
    },
    columns: undefined,
    onInterrupt: () => {},
  })
  const result = parseResult(sizes, await readFile(join(folder, 'r', 'result.json'), 'utf8'))
  await rm(folder, { recursive: true })
  return { code, errors, result }
}

async function countOf(url: string): Promise<number> {
  const store: Store<Bytes> = open(url)
  await using kv = keyValue(store)
  const bench = kv.namespace('unikv.bench')
  if (!supports(kv, 'scan') || !supports(bench, 'scan')) throw new Error('cannot scan')
  return (await kv.count()) + (await bench.count())
}

describeWith('redis', (url) => {
  const [store, cache] = [`${url}?dataset=${dataset}`, `${url}?dataset=${dataset}_cache`]

  test('bench sizes measures Redis, and Redis as the remote cache of a store', async () => {
    const { code, errors, result } = await benched(
      '--store',
      store,
      '--store',
      'memory:',
      '--cache',
      `near=${cache}`,
      '--cache',
      'memory',
    )
    expect([code, errors]).toEqual([0, ''])
    expect(result.stores.map(({ name }) => name)).toEqual(['redis', 'memory'])
    const shares = result.rows.filter(({ measure }) => measure === 'hits')
    expect(shares).toHaveLength(6 * 5)
    for (const { dimensions, value } of shares) expect(value).toBe(dimensions['hitRate'])
    expect([await countOf(store), await countOf(cache)]).toEqual([0, 0])
  })
})

describeWith('redis', (url) => {
  test('bench sizes draws figures of a paper over one server, far and near, which is the remote cache, too', async () => {
    const far = ['--store', `far=${url}?dataset=${dataset}_far`, '--delay', 'far=3ms']
    const { code, errors, result } = await benched(
      '--preset',
      'iyengar',
      ...far,
      '--store',
      `${url}?dataset=${dataset}`,
    )
    expect([code, result.stores.map(({ name }) => name)]).toEqual([0, ['far', 'redis']])
    expect(result.caches).toMatchObject([{ share: 'reference' }, { name: 'remote', kind: 'remote' }])
    expect(errors.match(/Fig\. [\d, and]+ of/g)).toEqual([
      'Fig. 13 and 14 of',
      'Fig. 15 and 16 of',
      'Fig. 17 and 18 of',
    ])
    expect(await countOf(`${url}?dataset=${dataset}_far_cache`)).toBe(0)
  })
})

if (isWhole) {
  describeWith('redis-cluster', (_url, urls) => {
    test('bench sizes measures a Redis Cluster', async () => {
      const hosts = urls.map((node) => node.replace('redis://', '')).join(',')
      const { code, errors, result } = await benched('--store', `redis+cluster://${hosts}?dataset=${dataset}`)
      expect([code, errors, result.stores[0]?.name]).toEqual([0, '', 'redis-cluster'])
    })
  })

  describeWith('mariadb', (url) => {
    test('bench sizes measures MariaDB', async () => {
      const store = `${url}?dataset=${dataset}`
      const { code, errors, result } = await benched('--store', `maria=${store}`, '--cache', 'memory')
      expect([code, errors]).toEqual([0, ''])
      expect(new Set(result.rows.map(({ dimensions }) => dimensions['size'])).size).toBe(1)
      expect(result.stores[0]).toMatchObject({ name: 'maria', adapter: 'mysql' })
      expect(result.stores[0]!.url).not.toContain('@')
      expect(await countOf(store)).toBe(0)
    })
  })
}
