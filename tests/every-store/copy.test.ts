import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyStore, type Bytes, isEntry, json, type KeyValue, keyValue, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { delta } from '@unikv/delta'
import { encryption, keyring, nameKey } from '@unikv/encryption'
import { lmdb } from '@unikv/lmdb'
import { prepareS3 } from '@unikv/s3'
import { copy, restore, snapshot } from '@unikv/snapshot'
import { open } from '@unikv/stores'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, describe, expect, test } from 'vitest'
import { ringOf } from '../processes/fixtures/rotation-process.ts'

// A copy is as good as its target: sealed values, expiries, keys of all kinds, there and back, and by a file.

const folder = mkdtempSync(join(tmpdir(), 'unikv-copies-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const dataset = `copies${process.pid}`
const count = 12

const keys = keyring(ringOf('k1', ['k1']))
const sealed = (store: AnyStore): KeyValue<string, unknown> =>
  keyValue(store as MemoryStore, [json(), encryption({ dataset: 'users', keys })]) as never

async function source(): Promise<MemoryStore> {
  const store = memory()
  const users = sealed(store)
  await users.setMany(Array.from({ length: count }, (_, i) => [`user ${i} ä/%\u0000`, { i }]))
  await users.set('soon', 1, { ttlMs: 3_600_000 } as object)
  await users.namespace('a').set('b', 2)
  return store
}

/** Keys and values. */
async function contents(store: AnyStore): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>()
  for await (const { entries } of store.scan({ prefix: '', pageSize: 100, values: true }, callOptions()))
    for (const { key, entry } of entries)
      if (isEntry(entry)) found.set(key, Buffer.from(entry.value).toString('hex'))
  return found
}

async function thereAndBack(url: string, name: string | undefined): Promise<void> {
  const from = await source()
  const store: Store<Bytes> = open(url, name === undefined ? {} : { dataset: name })
  const equal = { compared: count + 2, missing: 0, different: 0, extra: 0 }
  expect((await copy(from, store)).verification).toMatchObject(equal)
  expect(await sealed(store).get('user 7 ä/%\u0000')).toEqual({ i: 7 })
  const back = memory()
  expect((await copy(store, back)).verification).toMatchObject(equal)
  expect(await contents(back)).toEqual(await contents(from))
  const file = join(folder, 'all.snapshot')
  await snapshot(store, file, { keys, overwrite: true })
  const again = await restore(file, store, { keys, overwrite: true })
  expect(again.verification).toMatchObject({ compared: count + 2, missing: 0, different: 0 })
  await keyValue(store as unknown as MemoryStore).clear({ all: true })
  expect((await contents(store)).size).toBe(0)
  await store.close()
}

describe('in this machine', () => {
  test.each(['file', 'lmdb', 'sqlite'])('%s', (scheme) =>
    thereAndBack(`${scheme}:${join(folder, scheme)}`, dataset),
  )
})

test('stacks of layers open the copies of their records, and go on with them', async () => {
  const stackOf = (store: Store<Bytes>): KeyValue<string, unknown> => {
    const names = nameKey(ringOf('k1', ['k1']).keys['k1'] as never)
    const layers = [
      json(),
      delta({ minBytes: 0, maxDeltas: 8, inlineBytes: 0 }),
      encryption({ dataset: 'users', keys, names }),
    ]
    return keyValue(store as MemoryStore, layers as never) as never
  }
  const [from, to] = [memory(), lmdb({ path: join(folder, 'layers') })]
  const [users, copied] = [stackOf(from), stackOf(to)]
  const long = (i: number): object => ({ i, text: 'text that stays as it is '.repeat(100) })
  for (let i = 0; i < 5; i++) for (const name of ['ada', 'bob']) await users.set(name, long(i))
  const { records, verification } = await copy(users, copied)
  expect(records).toBeGreaterThan(2)
  expect(verification).toMatchObject({ missing: 0, different: 0, extra: 0 })
  expect(await copied.get('ada')).toEqual(long(4))
  const found = await copied.getEntry('bob')
  expect(found?.version).toBe((await users.getEntry('bob'))?.version)
  await copied.set('bob', long(5), { ifVersion: found?.version } as object)
  expect(await copied.getMany(['ada', 'bob', 'eve'])).toEqual([long(4), long(5), undefined])
  await expect(copy(users.namespace('a'), memory())).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  await copied.close()
})

for (const kind of ['redis', 'mariadb', 'postgres', 'mongodb'] as const)
  describeWith(kind, (url) => {
    test(`copies there and back: ${kind}`, () => thereAndBack(url, dataset))
  })

describeWith('cassandra', (url) => {
  test('copies there and back: cassandra', async () => {
    const keyspace = new URL(url)
    keyspace.pathname = '/unikv_copies'
    await thereAndBack(keyspace.href, dataset)
  })
})

describeWith('couchdb', (url) => {
  test('copies there and back: couchdb', () => thereAndBack(url.replace('http:', 'couchdb:'), dataset))
})

describeWith('hbase', (url) => {
  test('copies there and back: hbase', () => thereAndBack(url.replace('http:', 'hbase:'), dataset))
})

describeWith('swift', (url) => {
  test('copies there and back: swift', () => {
    const { username, password, host } = new URL(url)
    return thereAndBack(`swift://${username}:${password}@${host}/copies`, dataset)
  })
})

describeWith('s3', (url) => {
  test('copies there and back: s3', async () => {
    const { origin, username, password } = new URL(url)
    const credentials = { accessKeyId: username, secretAccessKey: password }
    await prepareS3({ bucket: 'unikv-copies', endpoint: origin, credentials })
    const place = `unikv-copies/${dataset}?endpoint=${encodeURIComponent(origin)}`
    await thereAndBack(`s3://${username}:${password}@${place}`, undefined)
  })
})

describeWith('dynamodb', (url) => {
  test('copies there and back: dynamodb', async () => {
    const { origin, username, password } = new URL(url)
    const endpoint = encodeURIComponent(origin)
    await thereAndBack(`dynamodb://${username}:${password}@${dataset}?endpoint=${endpoint}`, undefined)
  })
})

describeWith('memcached', (url) => {
  test('memcached is a target that cannot be listed', async () => {
    const store: Store<Bytes> = open(url, { dataset })
    await expect(copy(await source(), store)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    const { verification } = await copy(await source(), store, { overwrite: true })
    expect(verification).toMatchObject({ compared: count + 2, missing: 0, different: 0, extra: undefined })
    expect(await sealed(store).get('soon')).toBe(1)
    await store.close()
  })
})
