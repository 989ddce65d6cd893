import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stores } from '@unikv/stores'
import { describe, expect, test } from 'vitest'
import { run } from '../src/cli/program.ts'
import { root } from './command-line.ts'

async function unikv(...args: readonly string[]): Promise<{ code: number; out: string; errors: string }> {
  let out = ''
  let errors = ''
  const code = await run({
    arguments: args,
    out: (text) => void (out += text),
    error: (text) => void (errors += text),
    columns: undefined,
    onInterrupt: () => {},
  })
  return { code, out, errors }
}

describe('unikv stores', () => {
  test('lists every store', async () => {
    const { code, out } = await unikv('stores')
    expect(code).toBe(0)
    for (const { name } of stores) expect(out).toMatch(new RegExp(`^${name} `, 'm'))
    expect(out).toContain('Riak')
    expect(out).toContain('Elasticsearch')
  })

  test('advises on a load: the tactics by product, what would help, and the assumptions', async () => {
    expect((await unikv('stores', 'advise')).out).toMatch(/secondary index .*add-index/)
    const told = await unikv('stores', 'advise', 'memory:', '--query', 'ip=20')
    const out = told.out.replaceAll(/\s+/g, ' ')
    expect(out).toMatch(/memory has no secondary indexes that/)
    expect(out).toMatch(/an index on ip of store/)
    expect(out).toContain('100,000 records, as store does not tell how many it has')
    const place = `sqlite:${join(root, 'advised')}`
    await unikv('set', place, 'ada', '1')
    const { records, weighed } = JSON.parse(
      (await unikv('stores', 'advise', place, '--query', 'ip=20', '--below', '0.001ms', '--json')).out,
    )
    expect(records).toBe(1)
    expect(weighed[0]).toMatchObject({ tactic: 'add-index', against: 'unikv has no column ip.' })
  })

  test('filters, as text and as data', async () => {
    const need = ['stores', '--with', 'conditionalWrite,ttl', '--min-value', '20M']
    const text = await unikv(...need)
    expect(text.out).toMatch(/^redis /m)
    expect(text.out).not.toMatch(/^mysql /m)
    const data = JSON.parse((await unikv(...need, '--json')).out) as { name: string; fits: object }[]
    expect(data.map(({ name }) => name)).toContain('redis')
    expect(data.map(({ name }) => name)).not.toContain('mysql')
    expect(data[0]?.fits).toHaveProperty('capabilities.conditionalWrite', true)
  })

  test('says which need no store meets', async () => {
    const { code, out } = await unikv('stores', '--with', 'sync,nativeTtl')
    expect([code, out]).toEqual([0, expect.stringMatching(/^No store fits[^]*nativeTtl: .*redis/)])
  })

  test('shows one', async () => {
    const { out } = await unikv('stores', 'show', 'LMDB')
    expect(out).toContain('1,978')
    const [data] = JSON.parse((await unikv('stores', 'show', 'lmdb', '--json')).out) as { name: string }[]
    expect(data?.name).toBe('lmdb')
  })

  test('compares', async () => {
    const { out } = await unikv('stores', 'compare', 'redis', 'mysql')
    expect(out).toMatch(/^maxValueBytes +536,870,892 +16,769,024$/m)
    expect(out).toMatch(/The same in all: .*conditionalWrite: yes/)
    const data = JSON.parse((await unikv('stores', 'compare', 'redis', 'mysql', '--json')).out) as object[]
    expect(data).toHaveLength(2)
  })

  test.each([
    ['stores'],
    ['stores', '--with', 'sync'],
    ['stores', '--require', 'transactions=any,pointInTimeRecovery=included,queries=filter+join'],
    ['stores', 'show', 'cassandra'],
    ['stores', 'show', 'neo4j'],
    ['stores', 'scenarios'],
    ['stores', 'scenarios', 'many-clients'],
    ['stores', 'compare', 'redis', 'postgres', 'mongodb', 'cassandra', 's3', 'lmdb'],
  ])('fits a terminal of 80 columns, and is Markdown as well: %j', async (...args) => {
    const { out } = await unikv(...args)
    const isLong = (line: string): boolean => line.length > 80 && !/^ *https:/.test(line)
    expect(out.split('\n').filter(isLong)).toEqual([])
    const markdown = (await unikv(...args, '--markdown')).out
    expect(markdown).toMatch(/^\| --- \|( --- \|| --: \|)+$/m)
    expect((await unikv(...args, '--json', '--markdown')).code).toBe(2)
  })

  test('tells facts with their source and day, and which are not known', async () => {
    const { out } = await unikv('stores', 'show', 'redis')
    expect(out).toMatch(/^transactions +partition +MULTI/m)
    expect(out).toContain('Not known: pointInTimeRecovery.')
    expect(out).toMatch(
      /^Sources of these facts \(Redis Open Source 8, checked 2026-11-27\):[^]*· transactions:\n {2}https:\/\/redis/m,
    )
    const compared = await unikv('stores', 'compare', 'redis', 'postgres')
    expect(compared.out).toMatch(/^pointInTimeRecovery +not known +included$/m)
  })

  test('screens stores by facts, and says why one is out', async () => {
    const { out } = await unikv('stores', '--require', 'transactions=any,pointInTimeRecovery=included')
    expect(out).toMatch(/^postgres /m)
    expect(out).toMatch(/^redis +transactions +at least any +partition$/m)
    expect(out).toMatch(/^lmdb +pointInTimeRecovery +at least included +not known$/m)
    const json = (await unikv('stores', '--require', 'license=Apache-2.0+PostgreSQL', '--json')).out
    const names = (JSON.parse(json) as { name: string }[]).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['postgres', 'cassandra']))
    expect(names).not.toContain('mysql')
  })

  test('tells why a store is not opened, and the scenarios that it falls out of', async () => {
    const { out } = await unikv('stores', 'show', 'riak')
    expect(out).toContain('unikv has no adapter for Riak KV: no client for Node.js is maintained.')
    expect(out).toMatch(
      /^fresh-read +consistency +at least strong|^fresh-read +consistency +strong +eventual$/m,
    )
    expect(out).toMatch(/^all-or-nothing +transactions +at least any +none$/m)
    expect(out).toContain('Not known whether it falls out of: long-keeping (onlineBackup).')
    expect((await unikv('stores', 'show', 'postgres')).out).toMatch(
      /^growth +sharding +at least automatic +manual$/m,
    )
    const [titan] = JSON.parse((await unikv('stores', 'show', 'titan', '--json')).out)
    expect(titan).toMatchObject({ name: 'janusgraph', unopened: expect.stringContaining('graph store') })
    const growth = (await unikv('stores', 'scenarios', 'growth')).out
    expect(growth).toMatch(/^neo4j +sharding +at least automatic +manual$/m)
    expect(growth).toMatch(/^Not out: .*cassandra/m)
    const all = JSON.parse((await unikv('stores', 'scenarios', '--json')).out)
    expect(all).toHaveProperty('growth.requires.sharding', 'automatic')
    const data = JSON.parse((await unikv('stores', '--with', 'scan', '--json')).out) as { name: string }[]
    expect(data.map(({ name }) => name)).not.toContain('riak')
  })

  test('takes facts and stores of a file', async () => {
    const file = join(root, 'facts.yaml')
    await writeFile(
      file,
      `stores:
  redis:
    version: ours
    checked: 2026-11-01
    facts:
      encryptionAtRest: { value: included, says: Our disks are encrypted., source: wiki/disks }
  tidb:
    title: TiDB
    version: '8.5'
    checked: 2026-11-01
    facts:
      transactions: { value: any, says: Over any rows., source: 'https://docs.pingcap.com' }
`,
    )
    const { out } = await unikv('stores', 'show', 'redis', '--facts', file)
    expect(out).toMatch(/^encryptionAtRest +included +Our disks/m)
    expect(out).toContain(
      'Sources of these facts (ours, checked 2026-11-01):\n· encryptionAtRest:\n  wiki/disks',
    )
    expect((await unikv('stores', 'show', 'tidb', '--facts', file)).out).toContain(
      'unikv has no adapter for TiDB.',
    )
    const compared = await unikv('stores', 'compare', 'tidb', 'redis', '--facts', file)
    expect(compared.out).toMatch(/^transactions +any +partition$/m)
    const listed = await unikv('stores', '--facts', file, '--require', 'transactions=any')
    expect(listed.out).toMatch(/Without an adapter in unikv: neo4j \(Neo4j\), .*tidb\s\(TiDB\)\./s)
    await writeFile(file, 'stores: { redis: { facts: { tls: { value: maybe } } } }')
    expect(await unikv('stores', '--facts', file)).toMatchObject({
      code: 2,
      errors: expect.stringContaining("stores.redis.facts.tls.value: it must be true or false, got 'maybe'."),
    })
  })

  test('tells what each option changes, and no limit larger than it is', async () => {
    expect((await unikv('stores', 'show', 'lmdb')).out).toMatch(/^sync: true +sync: all$/m)
    expect((await unikv('stores')).out).toMatch(/^memcached .* 0\.99$/m)
  })

  test.each([
    [
      ['stores', '--with', 'magic'],
      /'magic' is not a feature of stores; the features are .*conditionalWrite/,
    ],
    [['stores', '--durability', 'eternal'], /Allowed choices are memory, buffered, flushed, replicated/],
    [['stores', '--min-value', 'much'], /'much' is not a size/],
    [['stores', '--with', ''], /A name in the list is empty/],
    [['stores', '--with', 'ttl', '--without', 'ttl'], /'ttl' is both required and excluded/],
    [
      ['stores', '--consistency', 'typo'],
      /no store has the consistency level 'typo'; the levels are .*quorum/,
    ],
    [['stores', '--consistency='], /no store has the consistency level ''/],
    [['stores', '--min-value', '2G'], /the size 2G is outside 1 byte to 1Gi/],
    [['stores', '--min-key', '1G'], /no store allows keys of 1000000000 bytes/],
    [['stores', '--durability', 'memory', '--durability=flushed'], /was given twice, but takes one value/],
    [['stores', 'show', 'redis', '--with', 'ttl'], /'--with <features>' is for unikv stores, not for .*show/],
    [['stores', '--min-value', '1K', 'show', 'redis'], /'--min-value <size>' is for unikv stores/],
    [['stores', 'compare', 'redis', 'mysql', '--isolation', 'eventual'], /not for unikv stores compare/],
    [
      ['stores', '--require', 'transaction=any'],
      /--require: there is no 'transaction' here. Did you mean 'transactions'\?/,
    ],
    [
      ['stores', '--require', 'tls,tls=no'],
      /--require names tls twice\. Join words like queries=filter\+join\./,
    ],
    [['stores', '--require', 'tls=maybe'], /--require, tls: it must be true or false, got 'maybe'/],
    [['stores', 'show', 'redis', '--facts', 'nowhere.yaml'], /nowhere.yaml: there is no such file/],
    [['stores', 'show', 'redis', '--require', 'tls'], /'--require <facts>' is for unikv stores, not for/],
    [['stores', 'show', 'oracle'], /unknown store 'oracle'; the stores are memory, file/],
    [['stores', 'scenarios', 'growht'], /no general scenario 'growht'\. Did you mean 'growth'\?/],
    [['stores', 'scenarios', '--require', 'tls'], /'--require <facts>' is for unikv stores, not for/],
    [['stores', 'compare', 'redis'], /two different stores/],
    [['stores', 'advise', 'memory:'], /Say what the load is/],
    [['stores', 'advise', 'memory:', '--query', 'ip=-3'], /attributes and a rate, such as ip=20/],
    [['stores', 'advise', 'memory:', '--reads', '5', '--below', '0'], /--below must be more than 0/],
  ])('refuses %j', async (args, message) => {
    const { code, errors } = await unikv(...args)
    expect(code).toBe(2)
    expect(errors).toMatch(message)
  })
})
