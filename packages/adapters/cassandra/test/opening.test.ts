import { inspect } from 'node:util'
import { isStoreError, keyValue, type StoreError } from '@unikv/core'
import { handles } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { type CassandraOptions, cassandra, prepareCassandra } from '../src/index.ts'
import { cassandraBench, codeOf, freshName, withKeyspace } from './cassandra-bench.ts'

const value = Buffer.from('value')
const secret = 'hunter2-s3cret'

describe('options', () => {
  const url = `cassandra://app:${secret}@127.0.0.1/keyspace_1`
  const from = { contactPoints: ['127.0.0.1'], keyspace: 'k' }
  test.each<[string, CassandraOptions]>([
    ['no address', { keyspace: 'k' }],
    ['two addresses', { url, contactPoints: ['127.0.0.1'] }],
    ['an address beside a client', { url, client: {} as never }],
    ['what is no URL', { url: `127.0.0.1/${secret}` }],
    ['another scheme', { url: `mysql://:${secret}@127.0.0.1/k` }],
    ['a port for each host', { url: `cassandra://app:${secret}@h1:9042,h2:9042/k` }],
    ['no host', { url: `cassandra:///${secret}` }],
    ['an empty host', { url: `cassandra://app:${secret}@h1,,h2/k` }],
    ['a path below the keyspace', { url: `${url}/table` }],
    ['an unknown parameter', { url: `${url}?retries=3` }],
    ['conditions that are neither on nor off', { url: `${url}?conditions=yes` }],
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
    ['half a copy', { ...from, replication: 0.5 }],
    ['a data centre in quotes', { ...from, replication: { "dc'1": 3 } }],
    ['a durability that is none', { ...from, durability: 'flushed' as never }],
    ['no concurrency', { ...from, concurrency: 0 }],
    ['no room for values', { ...from, maxValueBytes: Number.NaN }],
    ['a password without a user', { ...from, password: secret }],
    ['a user beside a client', { client: {} as never, keyspace: 'k', username: 'app', password: secret }],
  ])('%s is INVALID_CONFIG, and the message tells nothing of the URL', (_, options) => {
    let thrown: unknown
    try {
      cassandra(options)
    } catch (error) {
      thrown = error
    }
    expect(isStoreError(thrown) && thrown.code).toBe('INVALID_CONFIG')
    expect(inspect(thrown, { showHidden: true, depth: 9 })).not.toContain(secret)
  })

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
    expect(cassandra({ url: `${url}?conditions=true` }).capabilities.conditionalWrite).toBe(true)
  })
})

describeWith('cassandra', (url) => {
  const bench = cassandraBench(() => url)
  const kept = (options: CassandraOptions) => keyValue(cassandra(options))

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

  test('a table that is not ours is refused and left alone', async () => {
    await bench.open()
    const table = freshName()
    const name = `${bench.keyspace}.${table}`
    await bench.cql(`CREATE TABLE ${name} (k blob PRIMARY KEY, record blob)`)
    await bench.cql(`INSERT INTO ${name} (k, record) VALUES (0x01, 0x02)`)
    for (const prepare of [false, true]) {
      const kv = kept({ client: bench.client, keyspace: bench.keyspace, table, prepare })
      expect(await codeOf(kv.set('key', value))).toBe('INVALID_CONFIG')
    }
    expect(await bench.cql(`SELECT k FROM ${name}`)).toHaveLength(1)
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

  test('a closed port is UNAVAILABLE with the address, a wrong data centre INVALID_CONFIG', async () => {
    const nowhere = kept({ contactPoints: ['127.0.0.1:1'], keyspace: 'k', username: 'app', password: secret })
    for (const work of [() => nowhere.get('key'), () => nowhere.set('key', value)]) {
      const error = await work().catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining('127.0.0.1:1 ') as string,
      })
      expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(secret)
    }
    await nowhere.close()
    const wrong = new URL(withKeyspace(url, bench.keyspace))
    wrong.searchParams.set('datacenter', 'nowhere')
    expect(await codeOf(kept({ url: wrong }).get('key'))).toBe('INVALID_CONFIG')
    wrong.searchParams.delete('datacenter')
    await using anywhere = kept({ url: wrong, prepare: true, replication: 1, table: freshName() })
    expect(await anywhere.get('key')).toBeUndefined()
  })

  test('a server without TLS is refused where TLS is asked for', async () => {
    const kv = kept({ ...bench.own(), tls: {} })
    expect(await codeOf(kv.get('key', { timeoutMs: 8_000 }))).toBe('UNAVAILABLE')
    await kv.close()
  })

  test('a client that was handed in is native and stays open; one of its own leaves nothing', async () => {
    const given = await bench.open()
    expect(given.native).toBe(bench.client)
    await given.close()
    expect(await bench.cql('SELECT key FROM system.local')).toHaveLength(1)
    const before = handles()
    const table = bench.tableOf(given).replace(/.*\./, '')
    const store = cassandra({ ...bench.own(), table })
    expect(added(before)).toEqual([])
    const kv = keyValue(store)
    await Promise.all(Array.from({ length: 20 }, (_, i) => kv.set(`key ${i}`, value)))
    const { rows = [] } = await kv.native.execute('SELECT key FROM system.local')
    expect(rows).toHaveLength(1)
    expect(added(before)).not.toEqual([])
    await kv.close()
    await store.close()
    expect(added(before)).toEqual([])
    expect(
      await codeOf(Promise.resolve(store.read([{ key: 'a' }], { deadlineAt: Number.POSITIVE_INFINITY }))),
    ).toBe('CLOSED')
    expect(await codeOf(store.native.execute('SELECT key FROM system.local'))).toBe('CLOSED')
    await bench.discard(given)
  })
})

/** Those that were not there before. */
function added(before: readonly string[]): readonly string[] {
  const known = [...before]
  return handles().filter((name) => {
    const at = known.indexOf(name)
    if (at !== -1) known.splice(at, 1)
    return at === -1
  })
}
