import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { type Bytes, keyValue, type Store } from '@unikv/core'
import { foreignToMongodb } from '@unikv/mongodb/url'
import { foreignToMysql } from '@unikv/mysql/url'
import { foreignToPostgres } from '@unikv/postgres/url'
import { foreignToRedis } from '@unikv/redis/url'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { maskUrl } from '../src/mask-url.ts'
import { open } from '../src/open.ts'

/** What hosting providers and other libraries hand out, with other names. */
const provided = [
  'mongodb+srv://app:pw@cluster0.abcde.mongodb.net/?retryWrites=true&w=majority&appName=Cluster0',
  'mongodb+srv://app:pw@db-1.mongo.ondigitalocean.com/admin?tls=true&authSource=admin&replicaSet=db-1',
  'mongodb://acc:pw%3D%3D@acc.mongo.cosmos.azure.com:10255/?ssl=true&replicaSet=globaldb&retrywrites=false&maxIdleTimeMS=120000&appName=@acc@',
  'mongodb://mongo:pw@monorail.proxy.rlwy.net:12345',
  'mongodb://h/d?readPreference=primaryPreferred',
  'mongodb://h/d?readPreference=primary&journal=true&connectTimeoutMS=1000',
  'postgresql://app:pw@ep-cool-1.eu-central-1.aws.neon.tech/neondb?sslmode=require&channel_binding=require',
  'postgres://postgres.abc:pw@aws-0-eu-central-1.pooler.supabase.com:6543/postgres?pgbouncer=true',
  'postgres://default:pw@ep-x.aws.neon.tech:5432/verceldb?sslmode=require&supa=base-pooler.x',
  'postgresql://app:pw@h:5432/d?schema=public&connection_limit=5&pool_timeout=2',
  'postgres://u:pw@ec2-1.compute-1.amazonaws.com:5432/d1?ssl=true',
  'postgres://app%40srv:pw@srv.postgres.database.azure.com:5432/d?sslmode=require&application_name=web&connect_timeout=10',
  'postgresql://postgres:pw@monorail.proxy.rlwy.net:5432/railway',
  'mysql://u:pscale_pw_x@aws.connect.psdb.cloud/d?sslaccept=strict',
  'mysql://u:pscale_pw_x@aws.connect.psdb.cloud/d?ssl={"rejectUnauthorized":true}',
  'mysql://doadmin:pw@db-1.db.ondigitalocean.com:25060/defaultdb?ssl-mode=REQUIRED',
  'mysql://u:pw@us-cdbr-east-01.cleardb.net/heroku_1?reconnect=true',
  'mysql://root:pw@monorail.proxy.rlwy.net:12345/railway?connection_limit=3',
  'rediss://default:pw@eu1-cat-1.upstash.io:6379',
  'redis://default:pw@redis.railway.internal:6379?family=0',
  'rediss://:pw@ec2-1.compute-1.amazonaws.com:12345',
  'rediss://:pw%3D@name.redis.cache.windows.net:6380/0',
  'rediss+cluster://app:pw@clustercfg.name.euw1.cache.amazonaws.com:6379',
  'redis://h?db=2',
  'valkey://default:pw@h:6379/1',
  'valkeys://default:pw@h:6379',
  'upstash://:token@eu1-cat-1.upstash.io',
  'upstash+http://:token@127.0.0.1:8079?dataset=app&evicts=true',
]

test.each(provided)('open takes %s', async (url) => {
  const store: Store<Bytes> = open(url)
  expect(store.capabilities.maxKeyBytes).toBeGreaterThan(0)
  await store.close()
})

test('docs/reference/urls.md names every parameter of other clients', async () => {
  const page = await readFile(new URL('../../../docs/reference/urls.md', import.meta.url), 'utf8')
  const named = new Set(page.toLowerCase().match(/(?<=`)[a-z][\w-]*/g))
  const all = [foreignToMongodb, foreignToMysql, foreignToPostgres, foreignToRedis].flatMap(Object.keys)
  expect(all.filter((name) => !named.has(name))).toEqual([])
})

describe('a password that is not percent-encoded', () => {
  const places = [
    'redis://app:PASSWORD@127.0.0.1:1',
    'rediss://:PASSWORD@127.0.0.1:1/2?driver=node-redis',
    'redis+cluster://app:PASSWORD@127.0.0.1:1,127.0.0.1:2',
    'upstash://app:PASSWORD@127.0.0.1:1',
    'postgres://app:PASSWORD@127.0.0.1:1/shop?sslmode=disable',
    'mysql://app:PASSWORD@127.0.0.1:1/shop?driver=mariadb',
    'mongodb://app:PASSWORD@127.0.0.1:1/shop?directConnection=true',
    'memcached://app:PASSWORD@127.0.0.1:1',
    'cassandra://app:PASSWORD@127.0.0.1:1/shop',
    'couchdb://app:PASSWORD@127.0.0.1:1/shop',
    'hbase://app:PASSWORD@127.0.0.1:1/shop',
    'swift://app:PASSWORD@127.0.0.1:1/shop',
    's3://app:PASSWORD@bucket?endpoint=http://127.0.0.1:1&region=eu-west-1',
    'dynamodb://app:PASSWORD@table?endpoint=http://127.0.0.1:1&region=eu-west-1',
    'nosuch://app:PASSWORD@127.0.0.1:1',
    'app:PASSWORD@127.0.0.1:1',
  ]
  const parts = ['xs3cr', 'yt4pv', 'wz5qk']
  const marks = ['?', '#', '/', '@', ':', '&', '=', '%', ' ', '[', '\\', '+', ',']
  const passwords = marks.flatMap((one) =>
    marks.map((other) => parts.join('|').replace('|', one).replace('|', other)),
  )

  test.each(places)('is shown by no message for %s', async (place) => {
    let refused = 0
    for (const password of passwords) {
      const url = place.replace('PASSWORD', password)
      const errors: unknown[] = []
      try {
        const store: Store<Bytes> = open(url)
        // What could be understood may be asked: the address is told, and nothing of the password.
        if (place.startsWith('redis:') || place.startsWith('postgres:'))
          await keyValue(store)
            .get('key')
            .catch((error: unknown) => errors.push(error))
        await store.close()
      } catch (error) {
        refused++
        errors.push(error)
      }
      const told = inspect([...errors, maskUrl(url)], { depth: 9, showHidden: true }).toLowerCase()
      for (const part of parts) expect(told, `told of ${url}`).not.toContain(part)
    }
    expect(refused).toBeGreaterThan(0)
  })
})

test('paths are percent-decoded on all schemes that are paths', async () => {
  const root = await mkdtemp(join(tmpdir(), 'unikv urls %'))
  const encoded = root.split('/').map(encodeURIComponent).join('/')
  for (const url of [
    `file:${encoded}/a%20file`,
    `lmdb:${encoded}/an%20lmdb`,
    `sqlite:${encoded}/an%20sqlite%3F.db`,
  ]) {
    await using kv = keyValue(open(url))
    await kv.set('key', Buffer.from('1'))
  }
  expect(await readdir(root)).toEqual(expect.arrayContaining(['a file', 'an lmdb', 'an sqlite?.db']))
  await rm(root, { recursive: true })
})

describeWithOwn('redis', () => {
  test.each(['ioredis', 'node-redis'])(
    'open speaks to Redis by its Unix socket, and to a database of it: %s',
    async (driver) => {
      const folder = await mkdtemp(join(tmpdir(), 'unikv-socket-'))
      await using server = await ownServer('redis', { args: ['--unixsocket', `${folder}/redis.sock`] })
      await using kv = keyValue(
        open(`redis+unix://${folder}/redis.sock?db=2&driver=${driver}` as `redis+unix:${string}`),
      )
      await kv.set('key', Buffer.from('1'))
      await using second = keyValue(open(`${server.url}/2` as `redis:${string}`))
      expect(Buffer.from((await second.get('key')) ?? []).toString()).toBe('1')
      await rm(folder, { recursive: true })
    },
  )
})
