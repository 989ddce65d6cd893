import { inspect } from 'node:util'
import { cache, createCache, writeBehind } from '@unikv/cache'
import { cassandra } from '@unikv/cassandra'
import { compression, trainDictionary } from '@unikv/compression'
import { compose, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { couchdb } from '@unikv/couchdb'
import { delta } from '@unikv/delta'
import { dynamodb } from '@unikv/dynamodb'
import { encryption, keyring, kmsKeys, localKms } from '@unikv/encryption'
import { file } from '@unikv/file'
import { hbase } from '@unikv/hbase'
import { lmdb } from '@unikv/lmdb'
import { memcached } from '@unikv/memcached'
import { fallback, mirror } from '@unikv/mirror'
import { mongodb } from '@unikv/mongodb'
import { monitor } from '@unikv/monitor'
import { mysql } from '@unikv/mysql'
import { postgres } from '@unikv/postgres'
import { redis, redisPubSub } from '@unikv/redis'
import { s3 } from '@unikv/s3'
import { sqlite } from '@unikv/sqlite'
import { swift } from '@unikv/swift'
import { closedLoop, openLoop } from '@unikv/workload'
import { expect, test } from 'vitest'
import { open } from '../src/index.ts'

// Every factory as plain JavaScript calls it. Nothing is opened: options are checked first.

type Factory = (options: unknown) => unknown
const plain = (factory: (options: never) => unknown): Factory => factory as Factory

/** With an option that is right, the one that is misspelled, and what was meant. */
const factories: readonly (readonly [name: string, make: Factory, wrong: object, meant: string])[] = [
  ['memory', plain(memory), { maxEntires: 5 }, 'maxEntries'],
  ['redis', plain(redis), { uri: 'redis://host' }, 'url'],
  ['redis', plain(redis), { prefix: 'app' }, 'dataset'],
  ['redis', plain(redis), { host: 'host', port: 6379 }, 'url'],
  ['redisPubSub', plain(redisPubSub), { chanel: 'a' }, 'channel'],
  ['memcached', plain(memcached), { hosts: ['host'] }, 'url'],
  ['cassandra', plain(cassandra), { keySpace: 'a' }, 'keyspace'],
  ['couchdb', plain(couchdb), { uri: 'http://host' }, 'url'],
  ['dynamodb', plain(dynamodb), { tableName: 'a' }, 'table'],
  ['file', plain(file), { dir: './data' }, 'directory'],
  ['hbase', plain(hbase), { tabel: 'a' }, 'table'],
  ['lmdb', plain(lmdb), { directory: './data' }, 'path'],
  ['mongodb', plain(mongodb), { colection: 'a' }, 'collection'],
  ['mysql', plain(mysql), { connectionString: 'mysql://host' }, 'url'],
  ['postgres', plain(postgres), { connectionString: 'postgres://host' }, 'url'],
  ['s3', plain(s3), { accessKeyId: 'a' }, 'credentials'],
  ['sqlite', plain(sqlite), { filename: './data.db' }, 'path'],
  ['swift', plain(swift), { contaner: 'a' }, 'container'],
  ['cache', plain(cache), { maxEntires: 5 }, 'maxEntries'],
  ['cache', plain(cache), { ttl: 5 }, 'freshForMs'],
  ['cache', plain(cache), { store: memory(), freshFor: 5 }, 'freshForMs'],
  ['createCache', plain(createCache), { max: 5 }, 'maxEntries'],
  ['below of createCache', plain(createCache), { below: { store: memory(), ttl: 5 } }, 'freshForMs'],
  ['writeBehind', plain(writeBehind), { jornal: memory() }, 'journal'],
  ['compression', plain(compression), { algoritm: 'gzip' }, 'algorithm'],
  ['trainDictionary', (options) => trainDictionary([], options as never), { maxByte: 5 }, 'maxBytes'],
  ['delta', plain(delta), { maxDelta: 5 }, 'maxDeltas'],
  ['encryption', plain(encryption), { dataSet: 'a' }, 'dataset'],
  ['keyring', plain(keyring), { primry: 'a' }, 'primary'],
  ['kmsKeys', plain(kmsKeys), { provider: 'a' }, 'providers'],
  ['localKms', plain(localKms), { keyring: 'a' }, 'keys'],
  ['monitor', plain(monitor), { clok: Date.now }, 'clock'],
  ['mirror', (options) => mirror(memory(), memory(), options as never), { jurnal: memory() }, 'journal'],
  ['fallback', (options) => fallback(memory(), memory(), options as never), { scan: 'fallback' }, 'scans'],
  ['keyValue', (options) => keyValue(memory(), [], options as never), { timeout: 5 }, 'timeoutMs'],
  ['compose', (options) => compose(memory(), [], options as never), { coalese: false }, 'coalesce'],
  ['open', (options) => open('memory:', options as never), { datset: 'a' }, 'dataset'],
]

test.each(factories)('%s tells what was meant: %j', async (name, make, wrong, meant) => {
  let told: unknown
  try {
    await make(wrong)
  } catch (error) {
    told = error
  }
  expect(told).toMatchObject({
    code: 'INVALID_CONFIG',
    retryable: false,
    message: expect.stringMatching(new RegExp(` of ${name}\\(\\)\\. Did you mean \`${meant}\`\\?$`)),
  })
})

test.each(factories)('%s refuses what is not an object', async (_, make) => {
  for (const given of [
    'redis://user:secret@host',
    5,
    null,
    true,
    [],
    () => 1,
    new Date(),
    Promise.resolve({}),
  ]) {
    let told: unknown
    try {
      await make(given)
    } catch (error) {
      told = error
    }
    expect(told, inspect(given)).toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringMatching(/^The options of \w+\(\) must be an object.*, got /),
    })
    expect((told as Error).message).not.toContain('secret')
  }
})

test('loops and benches refuse options that they do not know', async () => {
  await expect(closedLoop({} as never, { opertions: 5 } as never)).rejects.toThrow('of closedLoop()')
  await expect(openLoop({} as never, { arrivls: 5 } as never)).rejects.toThrow('of openLoop()')
})
