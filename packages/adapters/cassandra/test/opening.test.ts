import { opening, plantedSecret as secret } from '@unikv/conformance'
import { isStoreError, keyValue, type StoreError } from '@unikv/core'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { type CassandraOptions, cassandra, prepareCassandra } from '../src/index.ts'
import { cassandraBench, codeOf, freshName, withKeyspace } from './cassandra-bench.ts'

const value = Buffer.from('value')

const good = `cassandra://app:${secret}@127.0.0.1/keyspace_1`
const from = { contactPoints: ['127.0.0.1'], keyspace: 'k' }
const refused: readonly (readonly [string, object])[] = [
  ['no address', { keyspace: 'k' }],
  ['two addresses', { url: good, contactPoints: ['127.0.0.1'] }],
  ['an address beside a client', { url: good, client: {} as never }],
  ['text that is not a URL', { url: `127.0.0.1/${secret}` }],
  ['another scheme', { url: `mysql://:${secret}@127.0.0.1/k` }],
  ['a port for each host', { url: `cassandra://app:${secret}@h1:9042,h2:9042/k` }],
  ['no host', { url: `cassandra:///${secret}` }],
  ['an empty host', { url: `cassandra://app:${secret}@h1,,h2/k` }],
  ['a path below the keyspace', { url: `${good}/table` }],
  ['an unknown parameter', { url: `${good}?retries=3` }],
  ['conditions that are neither on nor off', { url: `${good}?conditions=yes` }],
  ['a broken escape', { url: 'cassandra://app:%zz@127.0.0.1/k' }],
  ['no keyspace', { url: `cassandra://app:${secret}@127.0.0.1` }],
  ['a quoted keyspace', { ...from, keyspace: 'a"b' }],
  ['an upper-case keyspace', { ...from, keyspace: 'Shop' }],
  ['a qualified table', { ...from, table: 'other.table' }],
  ['a table of 49 characters', { ...from, table: 'a'.repeat(49) }],
  ['no contact points', { ...from, contactPoints: [] }],
  ['a contact point with user info', { ...from, contactPoints: [`app:${secret}@127.0.0.1`] }],
  ['values of another kind', { ...from, values: 'document' as never }],
  ['a level that is none', { ...from, consistency: 'most' as never }],
  ['a serial level without conditions', { ...from, consistency: 'serial' }],
  ['a plain level with conditions', { ...from, conditions: true, consistency: 'quorum' }],
  ['a level for writes alone', { url: `${good}?consistency=write:quorum` }],
  ['a level for something else', { url: `${good}?consistency=write:quorum,read:one,scan:one` }],
  ['two levels for reads', { url: `${good}?consistency=read:quorum,read:one` }],
  ['a level of reads that is none', { url: `${good}?consistency=write:quorum,read:most` }],
  ['levels apart with conditions', { url: `${good}?conditions=true&consistency=write:quorum,read:one` }],
  ['nodes that are none', { url: `${good}?nodes=some` }],
  ['nodes beside a client', { client: {} as never, keyspace: 'k', nodes: 'named' }],
  ['half a copy', { ...from, replication: 0.5 }],
  ['a data centre in quotes', { ...from, replication: { "dc'1": 3 } }],
  ['a durability that is none', { ...from, durability: 'flushed' as never }],
  ['no concurrency', { ...from, concurrency: 0 }],
  ['no room for values', { ...from, maxValueBytes: Number.NaN }],
  ['a password without a user', { ...from, password: secret }],
  ['a user beside a client', { client: {} as never, keyspace: 'k', username: 'app', password: secret }],
]

describe('options', () => {
  test('capabilities follow the options', () => {
    const plain = cassandra(from)
    const no: false = plain.capabilities.conditionalWrite
    expect([no, plain.capabilities.isolation, plain.capabilities.touch]).toEqual([false, 'eventual', false])
    expect(plain.capabilities.consistency).not.toContain('serial')
    const conditional = cassandra({ ...from, conditions: true, durability: 'replicated', maxValueBytes: 9 })
    const yes: true = conditional.capabilities.conditionalWrite
    const linearizable: 'linearizable' = conditional.capabilities.isolation
    expect([yes, linearizable, conditional.capabilities.touch]).toEqual([true, 'linearizable', true])
    expect(conditional.capabilities).toMatchObject({ durability: 'replicated', maxValueBytes: 9 })
    expect(conditional.capabilities.consistency).toContain('serial')
    expect(conditional.capabilities.consistency).not.toContain('local_serial')
    expect(cassandra({ url: `${good}?conditions=true` }).capabilities.conditionalWrite).toBe(true)
  })
})

describeWith('cassandra', (url) => {
  const bench = cassandraBench(() => url)
  const kept = (options: CassandraOptions) => keyValue(cassandra(options))

  const at = (address: string, password?: string): CassandraOptions => ({
    contactPoints: [address],
    keyspace: bench.keyspace,
    table: shared,
    prepare: true,
    replication: 1,
    ...(password === undefined ? {} : { username: 'app', password }),
  })
  const shared = freshName()

  opening<CassandraOptions>({
    test,
    describe,
    make: (options) => cassandra(options),
    refused,
    fresh: () => ({ ...at(new URL(url).host), table: shared }),
    server: {
      address: new URL(url).host,
      at,
      withTls: (address) => ({ ...at(address), tls: {} }),
    },
    preparing: {
      prepare: prepareCassandra,
      missing: () => ({ ...at(new URL(url).host), table: freshName(), prepare: false }),
      onCall: (options) => ({ ...options, prepare: true }),
    },
    foreign: [
      [
        'a table of others',
        async () => {
          const options = { ...at(new URL(url).host), table: freshName(), prepare: false }
          const name = `${bench.keyspace}.${options.table}`
          await bench.open()
          await bench.cql(`CREATE TABLE ${name} (k blob PRIMARY KEY, record blob)`)
          await bench.cql(`INSERT INTO ${name} (k, record) VALUES (0x01, 0x02)`)
          return {
            options,
            intact: async () => expect(await bench.cql(`SELECT k FROM ${name}`)).toHaveLength(1),
          }
        },
      ],
    ],
    module: {
      url: new URL('../dist/index.js', import.meta.url),
      make: 'cassandra',
      prepare: 'prepareCassandra',
      drivers: ['cassandra-driver'],
    },
    client: async () => {
      const table = bench.tableOf(await bench.open()).replace(/.*\./, '')
      return {
        client: bench.client,
        options: { client: bench.client, keyspace: bench.keyspace, table },
        works: () => bench.cql('SELECT key FROM system.local'),
        close: () => {},
      }
    },
  })

  test('a missing keyspace or table is NOT_PREPARED and named, and made only on request', async () => {
    const keyspace = freshName()
    const options = { client: bench.client, keyspace, table: 'mine', replication: 1 }
    const kv = kept(options)
    const error = await kv.get('key').catch((thrown: unknown) => thrown as StoreError)
    expect(error).toMatchObject({ code: 'NOT_PREPARED' })
    expect((error as StoreError).message).toContain(`${keyspace}.mine`)
    await Promise.all([1, 2].map(() => prepareCassandra(options)))
    await kv.set('key', value)
    expect(await kv.get('key')).toEqual(value)
    await bench.cql(`DROP TABLE ${keyspace}.mine`)
    expect([await codeOf(kv.get('key')), await codeOf(kv.set('key', value))]).toEqual([
      'NOT_PREPARED',
      'NOT_PREPARED',
    ])
    await bench.cql(`DROP KEYSPACE ${keyspace}`)
    expect(await codeOf(kept(options).get('key'))).toBe('NOT_PREPARED')
  })

  test('a keyspace that prepare makes keeps no more copies than there are nodes', async () => {
    const keyspace = freshName()
    await prepareCassandra({ client: bench.client, keyspace })
    const cql = 'SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?'
    expect(await bench.cql(cql, [keyspace])).toMatchObject([{ replication: { datacenter1: '1' } }])
    const strict = kept({ client: bench.client, keyspace, durability: 'replicated' })
    expect(await codeOf(strict.get('key'))).toBe('INVALID_CONFIG')
    await bench.cql(`DROP KEYSPACE ${keyspace}`)
  })

  test('a table of the other mode is refused, prepare or not', async () => {
    const tables = [await bench.open(false), await bench.open(true)].map((store) => bench.tableOf(store))
    for (const [i, name] of tables.entries()) {
      const table = name.replace(/.*\./, '')
      const base = { client: bench.client, keyspace: bench.keyspace, table }
      for (const prepare of [false, true]) {
        const other = kept({ ...base, prepare, conditions: i === 0 })
        expect(await codeOf(other.set('key', value))).toBe('INVALID_CONFIG')
        expect(await codeOf(other.clear({ all: true }))).toBe('INVALID_CONFIG')
      }
    }
    const table = tables[1]?.replace(/.*\./, '')
    const local = { client: bench.client, keyspace: bench.keyspace, table, conditions: true }
    expect(await codeOf(kept({ ...local, consistency: 'local_serial' }).get('key'))).toBe('INVALID_CONFIG')
  })

  test('a type whose fields have another order is refused', async () => {
    const keyspace = freshName()
    const replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}"
    await bench.cql(`CREATE KEYSPACE ${keyspace} WITH replication = ${replication}`)
    await bench.cql(`CREATE TYPE ${keyspace}.unikv_record (value blob, expires_at timestamp, version blob)`)
    const kv = kept({ client: bench.client, keyspace, prepare: true })
    expect(await codeOf(kv.set('key', value))).toBe('INVALID_CONFIG')
    await bench.cql(`DROP KEYSPACE ${keyspace}`)
  })

  test('foreign rows are CORRUPT when read, and not listed where their key is no text', async () => {
    const store = await bench.open()
    const name = bench.tableOf(store)
    await bench.cql(`INSERT INTO ${name} (k) VALUES (?)`, [Buffer.from('\u0001bare')])
    await bench.cql(`INSERT INTO ${name} (k, record) VALUES (0xff, {version: 0x00})`)
    const kv = keyValue(store)
    await kv.set('key', value)
    const [found] = await store.read([{ key: '\u0001bare' }], { deadlineAt: performance.now() + 5_000 })
    expect(isStoreError(found) && found.code).toBe('CORRUPT')
    const keys: string[] = []
    for await (const page of store.scan(
      { prefix: '', pageSize: 10, values: false },
      { deadlineAt: performance.now() + 5_000 },
    ))
      keys.push(...page.entries.map(({ key }) => key))
    expect(keys).not.toContain('\ufffd')
    await bench.discard(store)
  })

  test('a wrong data centre is INVALID_CONFIG', async () => {
    const wrong = new URL(withKeyspace(url, bench.keyspace))
    wrong.searchParams.set('datacenter', 'nowhere')
    expect(await codeOf(kept({ url: wrong }).get('key'))).toBe('INVALID_CONFIG')
    wrong.searchParams.delete('datacenter')
    await using anywhere = kept({ url: wrong, prepare: true, replication: 1, table: freshName() })
    expect(await anywhere.get('key')).toBeUndefined()
  })
})
