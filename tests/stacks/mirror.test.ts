import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cache } from '@unikv/cache'
import { cassandra } from '@unikv/cassandra'
import { conformance } from '@unikv/conformance'
import {
  type Bytes,
  type Capabilities,
  json,
  keyValue,
  type Store,
  StoreError,
  type TtlCapability,
} from '@unikv/core'
import { file } from '@unikv/file'
import { lmdb } from '@unikv/lmdb'
import { fallback, mirror } from '@unikv/mirror'
import { redis } from '@unikv/redis'
import { prepareS3, s3 } from '@unikv/s3'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const name = `mirror_${process.pid}_${Date.now().toString(36)}`
let root = ''
let folders = 0
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'unikv-mirror-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

const fresh = (): string => join(root, String(folders++))

// A crash is not what is tested here.
const records = () => lmdb({ path: fresh(), durability: 'buffered' })
const files = () => file({ directory: fresh(), durability: 'buffered' })

/** The whole suite runs over memory; here with stores that take their time. */
const wholeTopics = /read and write|batch|condition|race|scan|expiry|lifecycle/
const topics = isWhole ? wholeTopics : /^(read and write|write, and|conditions|races)/
/** It writes as its primary does. */
const topicsOfFallback = isWhole ? wholeTopics : /^(read and write|scan)/

describe('a mirror of LMDB and files, with a journal in LMDB', async () => {
  await conformance({
    test,
    describe,
    topics,
    open: () => mirror(records(), files(), { journal: records() }),
  })
})

if (isWhole)
  describe('a mirror of files and LMDB', async () => {
    await conformance({
      test,
      describe,
      topics,
      open: () => mirror(files(), records()),
    })
  })

describe('a fallback from files to LMDB', async () => {
  await conformance({
    test,
    describe,
    topics: topicsOfFallback,
    open: () => fallback(files(), records(), { scans: 'fallback' }),
  })
})

/** A store that can be cut off. */
interface Severable extends Expiring {
  isDown: boolean
}

function severable(store: Expiring): Severable {
  const reached = (): Store<Bytes> => {
    if (cut.isDown) throw new StoreError('UNAVAILABLE', 'The test has cut it off.')
    return store
  }
  const cut: Severable = {
    isDown: false,
    name: store.name,
    capabilities: store.capabilities,
    get native() {
      return store.native
    },
    read: (reads, call) => reached().read(reads, call),
    write: (mutations, call) => reached().write(mutations, call),
    scan: (range, call) => reached().scan(range, call),
    close: () => store.close(),
  }
  return cut
}

/** What these tests need of a store. */
type Expiring = Store<Bytes, Capabilities & { readonly ttl: TtlCapability }>

/** One store as the cache of another: reads come from it, writes go past it, and it never decides. */
async function cachesBefore(near: Expiring, far: Expiring): Promise<void> {
  const cut = severable(near)
  const before = cache({ store: cut, namespace: name, timeoutMs: 20_000 })
  await using users = keyValue(far, [json(), before], { timeoutMs: 30_000 })
  await users.set('ada', { name: 'Ada' })
  expect((await users.getEntry('ada'))?.meta).toBeUndefined()
  expect(await users.getEntry('ada')).toMatchObject({ value: { name: 'Ada' }, meta: { tier: near.name } })
  await users.set('ada', { name: 'Ada Lovelace' })
  expect(await users.get('ada')).toEqual({ name: 'Ada Lovelace' })
  expect(before.stats()).toMatchObject({ hits: 1, loads: 2, storeErrors: 0 })
  cut.isDown = true
  expect(await users.get('ada')).toEqual({ name: 'Ada Lovelace' })
  await users.delete('ada')
  cut.isDown = false
  expect(await users.get('ada')).toBeUndefined()
}

/** One store as the secondary of another: equal after an outage, and the answer while the primary is down. */
async function mirrors(primary: Expiring, secondary: Expiring): Promise<void> {
  const [first, second] = [severable(primary), severable(secondary)]
  const both = mirror(first, second, { timeoutMs: 10_000, baseMs: 5, capMs: 20, doubtMs: 100 })
  await using users = keyValue(fallback(both, second), [json()], { timeoutMs: 30_000 })
  await users.set('ada', { name: 'Ada' }, { ttlMs: 3_600_000 })
  await users.set('bob', { name: 'Bob' })
  second.isDown = true
  await users.set('eve', { name: 'Eve' })
  await users.delete('bob')
  expect(both.stats().dirty).toBe(2)
  second.isDown = false
  while (both.stats().dirty > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(await both.verify({ bytes: true })).toMatchObject({ keys: 2, same: 2, extra: 0, examples: [] })
  first.isDown = true
  const found = await users.getEntry('ada')
  expect(found).toMatchObject({ value: { name: 'Ada' }, meta: { stale: true, tier: secondary.name } })
  expect(found?.expiresAt).toBeGreaterThan(Date.now())
  await expect(users.set('ada', { name: 'X' })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  first.isDown = false
  await users.deleteMany(['ada', 'eve'])
  expect(await both.verify()).toMatchObject({ keys: 0, extra: 0 })
}

describeWith('s3', (url) => {
  const { origin, username, password } = new URL(url)
  const place = {
    bucket: 'unikv-mirror',
    endpoint: origin,
    credentials: { accessKeyId: username, secretAccessKey: password },
  }
  const objects = (prefix: string) => s3({ ...place, prefix: `${name}_${prefix}` })
  beforeAll(() => prepareS3(place))

  test('LMDB caches what S3 holds', () => cachesBefore(lmdb({ path: fresh() }), objects('cached')))
  test('LMDB is the secondary of S3', () => mirrors(objects('primary'), lmdb({ path: fresh() })))
  test('S3 is the secondary of LMDB', () => mirrors(lmdb({ path: fresh() }), objects('secondary')))
})

describeWith('redis', (redisUrl) => {
  const near = () => redis({ url: redisUrl, dataset: `${name}_${folders++}` })

  describeWith('cassandra', (url) => {
    const keyspace = new URL(url)
    keyspace.pathname = '/unikv_mirror'
    const far = (conditions: boolean) =>
      cassandra({ url: keyspace, table: `${name}_${folders++}`, conditions, prepare: true })

    test('Redis caches what Cassandra holds', () => cachesBefore(near(), far(false)))
    test('Redis is the secondary of Cassandra', () => mirrors(far(true), near()))
    test('Cassandra is the secondary of Redis', () => mirrors(near(), far(false)))
  })
})
