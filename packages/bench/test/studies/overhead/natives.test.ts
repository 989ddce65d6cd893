import { randomUUID } from 'node:crypto'
import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Bytes, keyValue, type Store } from '@unikv/core'
import { prepareS3 } from '@unikv/s3'
import { open } from '@unikv/stores/lazy'
import type { ServerKind } from '@unikv/test-kit'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { afterAll, describe, expect, test } from 'vitest'
import { sending } from '../../../src/studies/overhead/native/aws.ts'
import { remembering } from '../../../src/studies/overhead/native/native-client.ts'
import { databaseOf, nativeOf, nativeStores } from '../../../src/studies/overhead/native/natives.ts'
import { finderOf } from '../../../src/studies/overhead/native/searching.ts'

const [first, second] = [Buffer.from('the first value'), Buffer.from('the second value')]

/** Whether an answer of a native client holds these bytes. */
function holds(answer: unknown, value: Buffer, depth = 6): boolean {
  if (answer instanceof Uint8Array) return value.equals(answer)
  const parts = depth > 0 && typeof answer === 'object' && answer !== null ? Object.values(answer) : []
  return parts.some((part) => holds(part, value, depth - 1))
}

/** Tells by the native connection whether there is a place of this name. */
type IsThere = (native: Native, name: string) => Promise<boolean>
type Native = any // oxlint-disable-line no-explicit-any -- each store has a client of its own

/** Each operation on a few records; in the end the place is gone. */
async function works(url: string, isThere: IsThere): Promise<void> {
  const store: Store<Bytes> = await open(url)
  const name = `unikv_native_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  try {
    await keyValue(store).get('opens it')
    const place = { name, database: databaseOf(url), callers: 4, flushed: true }
    const start = nativeOf(url) as NonNullable<ReturnType<typeof nativeOf>>
    const isListed = store.capabilities.scan !== false
    const native = await start(store.native, place)
    const client = isListed ? native : remembering(native)
    const keys = Array.from({ length: 20 }, (_, i) => `user${i}`)
    await Promise.all(keys.map((key) => client.insert(key, first)))
    expect(holds(await client.read('user7'), first)).toBe(true)
    await client.update('user7', second)
    expect(holds(await client.read('user7'), second)).toBe(true)
    expect(holds(await client.read('user8'), first)).toBe(true)
    await client.delete('user8')
    expect(holds(await client.read('user8').catch(() => undefined), first)).toBe(false)
    expect(await isThere(store.native, name)).toBe(true)
    // Another process than the one that wrote, if it can know what that wrote.
    const other = isListed ? await start(store.native, place) : client
    await other.remove()
    expect(await isThere(store.native, name)).toBe(false)
    await searches(url, store.native, name, isThere)
  } finally {
    await store.close()
  }
}

/** Where the server finds documents, the statement and unikv find the same, and leave nothing behind. */
async function searches(url: string, native: Native, name: string, isThere: IsThere): Promise<void> {
  const finder = finderOf(url)
  if (finder === undefined) return
  const tables = [`${name}_native`, `${name}_unikv`] as const
  const sides = [await finder.native(native, tables[0]), await finder.unikv(native, tables[1], url)]
  const documents = Array.from({ length: 40 }, (_, i) => [`user${i}`, { group: `group${i % 3}` }] as const)
  const keys = documents.filter(([, { group }]) => group === 'group1').map(([key]) => key)
  for (const [i, side] of sides.entries()) {
    for (const [key, document] of documents) await side.add(key, document)
    expect(await side.search('group1')).toEqual(keys.toSorted().slice(0, 10))
    expect(await isThere(native, tables[i] as string)).toBe(true)
    await side.remove()
    expect(await isThere(native, tables[i] as string)).toBe(false)
  }
}

const count = (rows: readonly unknown[]): boolean => rows.length > 0
const awsUrl = (scheme: string, place: string, server: string): string => {
  const { origin, username, password } = new URL(server)
  return `${scheme}://${username}:${password}@${place}?endpoint=${encodeURIComponent(origin)}`
}

/** Stores on servers: where they are, and whether a place is there. The first ones run always. */
const onServers: readonly (readonly [ServerKind, (url: string) => string | Promise<string>, IsThere])[] = [
  ['redis', (url) => url, async (redis, name) => count(await redis.keys(`${name}:*`))],
  [
    'postgres',
    (url) => url,
    async (pool, name) => count((await pool.query(`SELECT FROM pg_tables WHERE tablename = '${name}'`)).rows),
  ],
  ['mariadb', (url) => url, async (pool, name) => count((await pool.query(`SHOW TABLES LIKE '${name}'`))[0])],
  [
    'couchdb',
    (url) => url.replace('http:', 'couchdb:'),
    async (couch, name) => (await (await couch.server()).db.list()).includes(name),
  ],
  [
    's3',
    async (url) => {
      const { origin, username, password } = new URL(url)
      const credentials = { accessKeyId: username, secretAccessKey: password }
      await prepareS3({ bucket: 'unikv-natives', endpoint: origin, credentials })
      return awsUrl('s3', 'unikv-natives', url)
    },
    async (s3, name) => {
      const send = sending(s3, '@unikv/s3', '@aws-sdk/client-s3')
      const listing = { Bucket: 'unikv-natives', Prefix: `${name}/` }
      const found = await send<{ Contents?: readonly unknown[] }>('ListObjectsV2', listing)
      return count(found.Contents ?? [])
    },
  ],
  [
    'dynamodb',
    (url) => awsUrl('dynamodb', 'unikv_natives', url),
    async (dynamodb, name) => {
      const send = sending(dynamodb, '@unikv/dynamodb', '@aws-sdk/client-dynamodb')
      const { TableNames } = await send<{ TableNames: readonly string[] }>('ListTables', {})
      return TableNames.includes(name)
    },
  ],
  [
    'swift',
    (url) => {
      const { host, username, password } = new URL(url)
      return `swift://${username}:${password}@${host}/unikv_natives`
    },
    async (swift, name) => (await swift.fetch(`/${name}`)).ok,
  ],
  [
    'hbase',
    (url) => `${url.replace('http:', 'hbase:')}/unikv_natives`,
    async (hbase, name) => (await hbase.request('GET', `/${name}/schema`)).status === 200,
  ],
  [
    'memcached',
    (url) => url,
    // It lists nothing: one record stands for all.
    async (memcached, name) => (await memcached.command(`mg ${name}:user7`)).status === 'HD',
  ],
  [
    'mongodb',
    (url) => url,
    async (mongodb, name) =>
      count(await (await mongodb.client()).db('unikv').listCollections({ name }).toArray()),
  ],
  [
    'cassandra',
    (url) => url,
    async (cassandra, name) => {
      const query = 'SELECT * FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?'
      return count((await cassandra.execute(query, ['unikv', name])).rows)
    },
  ],
]

const title = 'the native client has all operations, and leaves nothing behind'
for (const [kind, urlOf, isThere] of isWhole ? onServers : onServers.slice(0, 9))
  describeWith(kind, (url) => test(title, async () => works(await urlOf(url), isThere)))

describe('in a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-natives-'))
  afterAll(() => rm(folder, { recursive: true }))

  test.each<readonly [string, IsThere]>([
    [
      'sqlite',
      async (database, name) =>
        count(database.prepare(`SELECT 1 FROM sqlite_master WHERE name = ?`).all([name])),
    ],
    ['lmdb', async (lmdb, name) => lmdb.openDB(name, { create: false }) !== undefined],
    [
      'file',
      async (native, name) =>
        access(join(dirname(native.folder), name)).then(
          () => true,
          () => false,
        ),
    ],
  ])(`%s: ${title}`, (scheme, isThere) => works(`${scheme}:${join(folder, scheme)}`, isThere))
})

test('every store but memory has a native client', () => {
  const servers = onServers.map(([kind]) => kind.replace('mariadb', 'mysql'))
  expect([...nativeStores].sort()).toEqual([...servers, 'sqlite', 'lmdb', 'file'].sort())
})
