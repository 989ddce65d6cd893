import { inspect } from 'node:util'
import { runStudy } from '@unikv/bench'
import { openData, synthetic } from '@unikv/bench/engine'
import { closedLoop, openLoop, verdict } from '@unikv/bench/loop'
import { zipfAlias } from '@unikv/bench/statistics'
import { loadStudy } from '@unikv/bench/studies'
import { cache, createCache, loaded, notModified } from '@unikv/cache'
import { cassandra } from '@unikv/cassandra'
import { compress, compression, decompress, trainDictionary } from '@unikv/compression'
import { inherit, unfold } from '@unikv/config'
import { compose, keyValue } from '@unikv/core'
import { Histogram } from '@unikv/core/histogram'
import { memory } from '@unikv/core/memory'
import { couchdb } from '@unikv/couchdb'
import { delta, diff, patch, sweepDeltas } from '@unikv/delta'
import { dynamodb } from '@unikv/dynamodb'
import {
  awsKms,
  encryption,
  keyring,
  kmsKeys,
  localKms,
  openStream,
  passphraseKey,
  reencrypt,
  rekey,
  seal,
  sealStream,
  open as unseal,
} from '@unikv/encryption'
import { sessionStore } from '@unikv/express-session/fastify'
import { file } from '@unikv/file'
import { hbase } from '@unikv/hbase'
import { keyvStore } from '@unikv/keyv'
import { lmdb } from '@unikv/lmdb'
import { memcached } from '@unikv/memcached'
import { fallback, mirror } from '@unikv/mirror'
import { mongodb } from '@unikv/mongodb'
import { monitor } from '@unikv/monitor'
import { mysql } from '@unikv/mysql'
import { nextCacheHandler, nextUseCacheHandler } from '@unikv/next'
import { parts } from '@unikv/parts'
import { postgres } from '@unikv/postgres'
import { rateLimitStore } from '@unikv/rate-limit'
import { RateLimiterKeyValue } from '@unikv/rate-limit/flexible'
import { redis, redisPubSub, redisTracking } from '@unikv/redis'
import { resilience } from '@unikv/resilience'
import { s3 } from '@unikv/s3'
import { sqlite } from '@unikv/sqlite'
import { swift } from '@unikv/swift'
import { syncFrom, threads } from '@unikv/sync'
import { unikvDriver } from '@unikv/unstorage'
import { writeBehind } from '@unikv/write-behind'
import { open } from 'unikv'
import { expect, test } from 'vitest'

// Every factory as plain JavaScript calls it. Nothing is opened: options are checked first.

type Factory = (options: unknown) => unknown
const plain = (factory: (options: never) => unknown): Factory => factory as Factory

const bytes = new Uint8Array([1])
const keys = keyring({ primary: 'a', keys: { a: Uint8Array.from({ length: 32 }, (_, i) => i) } })

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
  ['parts', plain(parts), { maxValueByte: 5 }, 'maxValueBytes'],
  ['encryption', plain(encryption), { dataSet: 'a' }, 'dataset'],
  ['keyring', plain(keyring), { primry: 'a' }, 'primary'],
  ['kmsKeys', plain(kmsKeys), { provider: 'a' }, 'providers'],
  ['localKms', plain(localKms), { keyring: 'a' }, 'keys'],
  ['monitor', plain(monitor), { clok: Date.now }, 'clock'],
  ['mirror', (options) => mirror(memory(), memory(), options as never), { jurnal: memory() }, 'journal'],
  ['fallback', (options) => fallback(memory(), memory(), options as never), { scan: 'fallback' }, 'scans'],
  ['keyValue', (options) => keyValue(memory(), [], options as never), { timeout: 5 }, 'timeoutMs'],
  ['compose', (options) => compose(memory(), [], options as never), { coalese: false }, 'coalesce'],
  ['resilience', plain(resilience), { retries: 5 }, 'retry'],
  ['resilience.retry', (retry) => resilience({ retry } as never), { atempts: 5 }, 'attempts'],
  ['resilience.breaker', (breaker) => resilience({ breaker } as never), { opnMs: 5 }, 'openMs'],
  ['resilience.hedge', (hedge) => resilience({ hedge } as never), { after: 5 }, 'afterMs'],
  ['redis.replicas', (replicas) => redis({ replicas } as never), { waits: 1 }, 'wait'],
  [
    'redisTracking',
    (options) => redisTracking(memory(), options as never),
    { conectTimeoutMs: 5 },
    'connectTimeoutMs',
  ],
  ['warm of cache', (warm) => cache({ warm } as never), { stor: memory() }, 'store'],
  ['compress', (options) => compress(bytes, options as never), { algoritm: 'gzip' }, 'algorithm'],
  ['decompress', (options) => decompress(bytes, options as never), { maxOutput: 5 }, 'maxOutputBytes'],
  ['diff', (options) => diff(bytes, bytes, options as never), { windowsize: 5 }, 'windowSize'],
  ['patch', (options) => patch(bytes, bytes, options as never), { maxOutput: 5 }, 'maxOutputBytes'],
  ['sweepDeltas', (options) => sweepDeltas(memory(), options as never), { grace: 5 }, 'graceMs'],
  ['seal', (options) => seal(bytes, options as never), { keys, dataSet: 'a' }, 'dataset'],
  ['open', (options) => unseal(bytes, options as never), { keys, dataSet: 'a' }, 'dataset'],
  ['sealStream', (options) => sealStream([], options as never).next(), { kys: 5 }, 'keys'],
  ['openStream', (options) => openStream([], options as never).next(), { kys: 5 }, 'keys'],
  ['passphraseKey', (options) => passphraseKey('words', options as never), { sal: 5 }, 'salt'],
  ['awsKms', (options) => awsKms(options as never), { clint: 5 }, 'client'],
  ['reencrypt', (options) => reencrypt({} as never, options as never), { dryrun: true }, 'dryRun'],
  ['rekey', (options) => rekey(memory(), options as never), { form: 5 }, 'from'],
  ['syncFrom', (options) => syncFrom('file:///none.mjs', options as never), { block: 5 }, 'blockMs'],
  ['threads', (options) => threads('file:///none.mjs', options as never), { thread: 5 }, 'threads'],
  ['inherit', (options) => inherit('none.xml', options as never), { librarys: {} }, 'libraries'],
  ['unfold', (options) => unfold('none.xml', options as never), { document: [0] }, 'documents'],
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
      message: expect.stringMatching(
        /^The options of [\w. ]+\(\) must be an object.*, got |^keys must be the result of |must not be null/,
      ),
    })
    expect((told as Error).message).not.toContain('secret')
  }
})

test.each(factories)('%s without options works or says what it needs', async (_, make) => {
  try {
    const made: unknown = await make(undefined)
    await (made as { close?(): unknown } | undefined)?.close?.()
  } catch (error) {
    expect(error).toMatchObject({ name: 'StoreError' })
  }
})

test.each(factories)('%s refuses null for an option', async (_, make, _wrong, meant) => {
  let told: unknown
  try {
    await make({ [meant]: null })
  } catch (error) {
    told = error
  }
  const message = expect.stringMatching(new RegExp(`${meant}|^keys must be`))
  expect(told).toMatchObject({ code: 'INVALID_CONFIG', message })
})

const doors: readonly (readonly [name: string, make: (kv: never, options?: never) => unknown])[] = [
  ['keyvStore', keyvStore],
  ['unikvDriver', unikvDriver],
  ['sessionStore', sessionStore],
  ['rateLimitStore', rateLimitStore],
  ['RateLimiterKeyValue', (storeClient) => new RateLimiterKeyValue({ storeClient, points: 1, duration: 1 })],
  ['nextCacheHandler', nextCacheHandler],
  ['nextUseCacheHandler', nextUseCacheHandler],
]

test.each(doors)('%s tells what it takes', (name, make) => {
  for (const given of [undefined, null, {}, memory(), 'redis://host'])
    expect(() => make(given as never), inspect(given)).toThrow(
      expect.objectContaining({
        code: 'INVALID_CONFIG',
        message: expect.stringMatching(new RegExp(`^${name}\\(\\) takes a .*KeyValue, got `)),
      }),
    )
})

test.each(doors.filter(([name]) => name !== 'RateLimiterKeyValue'))(
  '%s refuses options that it does not know',
  (name, make) => {
    const given = name.startsWith('next') ? () => {} : keyValue(memory())
    expect(() => make(given as never, { bas: 'a' } as never)).toThrow(`of ${name}()`)
  },
)

test('loops and benches refuse options that they do not know', async () => {
  const sizes = await loadStudy('sizes')
  const cases: readonly (readonly [Promise<unknown> | (() => unknown), string])[] = [
    [closedLoop({} as never, { opertions: 5 } as never), 'closedLoop'],
    [openLoop({} as never, { arrivls: 5 } as never), 'openLoop'],
    [runStudy(sizes, { stors: [] } as never), 'runStudy'],
    [openData({ data: [], sed: 5 } as never), 'openData'],
    [() => new Histogram({ digits: 3 } as never), 'Histogram'],
    [() => verdict({} as never, { lag: 5 } as never), 'verdict'],
    [() => synthetic({ sed: 5 } as never), 'synthetic'],
    [() => zipfAlias({ item: 5 } as never, {} as never), 'zipfAlias'],
  ]
  for (const [done, name] of cases) {
    const told = typeof done === 'function' ? (async () => done())() : done
    await expect(told).rejects.toThrow(` of ${name}()`)
  }
})

test('facts of loaded and put values are known ones', async () => {
  const store = createCache()
  const told = [
    () => loaded(1, { ttl: 5 } as never),
    () => notModified({ version: 'a' } as never),
    () => store.put('a', 1, { ttl: 5 } as never),
    () => store.cached('a', () => loaded(1, { tag: ['a'] } as never)),
  ]
  for (const [i, call] of told.entries())
    await expect((async () => call())()).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(
        [/of loaded\(\)/, /of notModified\(\)/, /of put\(\)/, /of loaded\(\)/][i]!,
      ),
    })
  await store.close()
})
