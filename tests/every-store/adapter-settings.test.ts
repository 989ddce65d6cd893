import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cassandra } from '@unikv/cassandra'
import { type AnyStore, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { couchdb } from '@unikv/couchdb'
import { dynamodb } from '@unikv/dynamodb'
import { file } from '@unikv/file'
import { hbase } from '@unikv/hbase'
import { lmdb } from '@unikv/lmdb'
import { memcached } from '@unikv/memcached'
import { mysql } from '@unikv/mysql'
import { postgres } from '@unikv/postgres'
import { s3 } from '@unikv/s3'
import { sqlite } from '@unikv/sqlite'
import { swift } from '@unikv/swift'
import { afterAll, expect, test } from 'vitest'

// Settings that have settings inside, and clocks: one rule for all adapters.

/** Options as plain JavaScript gives them. */
// oxlint-disable-next-line no-explicit-any -- what the types forbid is tried
type Given = any

const v1 = { url: 'http://127.0.0.1:1', user: 'u', key: 'planted-secret' }
const v3 = { url: 'http://127.0.0.1:1' }
const key = { accessKeyId: 'a', secretAccessKey: 'planted-secret' }
const openers: Readonly<Record<string, (given: Given) => AnyStore>> = {
  postgres: (given) => postgres({ url: 'postgres://u@db/x', ...given }),
  mysql: (given) => mysql({ url: 'mysql://u@db/x', ...given }),
  cassandra: (given) => cassandra({ url: 'cassandra://db/x', ...given }),
  s3: (given) => s3({ bucket: 'unikv', ...given }),
  dynamodb: (given) => dynamodb(given),
  swift: (given) => swift({ auth: { v1 }, ...given }),
  couchdb: (given) => couchdb({ url: 'http://db', ...given }),
  hbase: (given) => hbase({ url: 'http://db', ...given }),
  memcached: (given) => memcached(given),
}

const opened: { close?(): unknown }[] = []
afterAll(() => Promise.all(opened.map((store) => store.close?.())))

function open(name: string, given: Given): AnyStore {
  const store = openers[name]?.(given) as AnyStore
  opened.push(store)
  return store
}

function refusal(run: () => unknown): Given {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

const ofTls = ['postgres', 'mysql', 'cassandra', 's3', 'dynamodb', 'swift', 'couchdb', 'hbase']

test.each(ofTls)('%s looks into tls', (name) => {
  for (const [tls, message] of [
    [{ rejectUnauthorised: false }, /`rejectUnauthorized`/],
    [{ CA: 'x' }, /`ca`/],
    [{ rejectUnauthorized: 'false' }, /tls\.rejectUnauthorized must be true or false/],
    [{ ca: 7 }, /tls\.ca must be PEM/],
    [true, /must be an object/],
  ] as const) {
    const error = refusal(() => open(name, { tls }))
    expect(error).toMatchObject({ code: 'INVALID_CONFIG', message: expect.stringMatching(message) })
  }
  const fine = { ca: ['x'], cert: Buffer.from('x'), key: undefined, rejectUnauthorized: false }
  expect(refusal(() => open(name, { tls: fine }))).toBeUndefined()
})

test.each<[string, Given, RegExp]>([
  ['s3', { credentials: { ...key, secretAcessKey: 'planted-secret' } }, /`secretAccessKey`/],
  ['s3', { credentials: { accessKeyId: 'a' } }, /secretAccessKey/],
  ['s3', { credentials: { ...key, sessionToken: 7 } }, /sessionToken/],
  ['dynamodb', { credentials: { ...key, token: 'planted-secret' } }, /credentials/],
  ['dynamodb', { credentials: 'planted-secret' }, /must be an object/],
  ['memcached', { auth: { username: 'u', pasword: 'planted-secret' } }, /`password`/],
  ['memcached', { auth: { username: 'u', password: 'p', user: 'u' } }, /`username`|memcached\.auth/],
  [
    'swift',
    { auth: { v3: { ...v3, applicationCredential: { id: 'i', secrets: 'planted-secret' } } } },
    /`secret`/,
  ],
])('%s looks into credentials %#', (name, given, message) => {
  const error = refusal(() => open(name, given))
  expect(error).toMatchObject({ code: 'INVALID_CONFIG', message: expect.stringMatching(message) })
  expect(String(error)).not.toContain('planted')
})

/** Options that are texts, or lists of them, and what plain JavaScript may give for them. */
const texts: readonly (readonly [name: string, option: string, values: readonly Given[]])[] = [
  ['cassandra', 'localDataCenter', [5, '', {}]],
  ['cassandra', 'username', [5, {}, ['u']]],
  ['cassandra', 'contactPoints', ['host', [5]]],
  ['cassandra', 'replication', [{}, [], new Map([['dc1', 1]])]],
  ['couchdb', 'database', [['unikv'], Symbol('unikv')]],
  ['dynamodb', 'region', [5, {}, '']],
  ['dynamodb', 'endpoint', [Symbol('e')]],
  ['memcached', 'servers', ['host', 5, [5]]],
  ['memcached', 'url', [Symbol('u'), 5]],
  ['s3', 'region', [5, {}, '']],
  ['swift', 'auth.v3.region', [5]],
  ['swift', 'auth.v3.interface', ['everywhere']],
]

test.each(texts)('%s refuses %s that is not a text', (name, option, values) => {
  const inside = option.split('.').at(-1) as string
  for (const value of values) {
    const given = option.startsWith('auth')
      ? { auth: { v3: { ...v3, [inside]: value } } }
      : { [option]: value }
    const message = expect.stringContaining(inside) as string
    expect(refusal(() => open(name, given))).toMatchObject({ code: 'INVALID_CONFIG', message })
  }
})

const folder = join(tmpdir(), `unikv-clocks-${process.pid}`)
const withClock: Readonly<Record<string, (clock: Given) => AnyStore>> = {
  memory: (clock) => memory({ clock }),
  file: (clock) => file({ directory: join(folder, 'file'), clock }),
  lmdb: (clock) => lmdb({ path: join(folder, 'lmdb'), clock }),
  sqlite: (clock) => sqlite({ path: join(folder, 'sqlite.db'), clock }),
  memcached: (clock) => memcached({ clock }),
  dynamodb: (clock) => dynamodb({ clock }),
  hbase: (clock) => hbase({ url: 'http://127.0.0.1:1', clock }),
}

test.each(Object.entries(withClock))('%s refuses a clock that is not a function', (_, make) => {
  expect(refusal(() => make(5))).toMatchObject({
    code: 'INVALID_CONFIG',
    message: expect.stringContaining('`clock`'),
  })
})

test.each(['memory', 'file', 'lmdb', 'sqlite'])('the error of a clock of %s stays its own', async (name) => {
  const broken = new Error('no time')
  let isBroken = false
  const clock = (): number => {
    if (isBroken) throw broken
    return 1_000
  }
  const store = withClock[name]?.(clock) as AnyStore
  await using kv = keyValue(store as ReturnType<typeof memory>)
  await kv.set('k', Buffer.from('v'), { ttlMs: 60_000 })
  isBroken = true
  const calls = [
    () => kv.get('k'),
    () => kv.getMany(['k', 'l']),
    () => kv.count(),
    () => kv.set('k', Buffer.from('w'), { ifVersion: null }),
  ]
  for (const call of calls) {
    const error = (await call().catch((thrown: unknown) => thrown)) as Given
    const told = error?.code === 'PARTIAL' ? error.results[0] : error
    expect(told).toMatchObject({ code: 'INVALID_ARGUMENT', retryable: false, cause: broken })
  }
})

test('a clock that throws ends what waits for a thread of sqlite, and what was refused is not done later', async () => {
  let fails = false
  const clock = (): number => {
    if (fails) throw new Error('no time')
    return 1_000
  }
  await using kv = keyValue(sqlite({ path: join(folder, 'waits.db'), threads: 1, clock }))
  await kv.set('k', Buffer.from('first'))
  const underWay = kv.get('k')
  fails = true
  const refused = kv.set('k', Buffer.from('refused')).catch((thrown: unknown) => thrown)
  expect(await underWay).toEqual(Buffer.from('first'))
  expect(await refused).toMatchObject({ code: 'INVALID_ARGUMENT' })
  expect(await kv.set('k', Buffer.from('refused')).catch((thrown: unknown) => thrown)).toBeInstanceOf(Error)
  fails = false
  expect(await kv.get('k')).toEqual(Buffer.from('first'))
})
