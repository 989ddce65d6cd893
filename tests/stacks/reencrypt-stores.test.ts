import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bytes, isEntry, json, keyValue, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { encryption, keyring, reencrypt } from '@unikv/encryption'
import { open } from '@unikv/stores'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ringOf } from '../processes/fixtures/rotation-process.ts'

const dataset = `reencrypt_${process.pid}`
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-reencrypt-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('a sweep', () => {
  test.each(['file:', 'lmdb:'])('seals again what %s holds, and keeps versions and expiries', (scheme) =>
    sweeps(`${scheme}${join(folder, scheme.slice(0, -1))}`),
  )
})

for (const kind of ['redis', 'mariadb', 'mongodb', 'postgres'] as const)
  describeWith(kind, (url) => {
    const separator = url.includes('?') ? '&' : '?'
    test(`a sweep seals again what ${kind} holds, and keeps versions and expiries`, () =>
      sweeps(`${url}${separator}dataset=${dataset}`))
  })

async function sweeps(url: string): Promise<void> {
  const store: Store<Bytes> = open(url)
  const keys = keyring(ringOf('k1', ['k1', 'k2']))
  const users = keyValue(store, [json(), encryption({ dataset: 'users', keys })])
  await users.setMany(Array.from({ length: 30 }, (_, i) => [`user ${i}`, { i }]))
  await users.set('expiring', 1, { ttlMs: 600_000 } as object)
  const before = await users.getEntry('expiring')
  keys.replace(ringOf('k2', ['k1', 'k2']))
  expect(await reencrypt(users)).toMatchObject({ scanned: 31, rewritten: 31, failed: 0, keys: { k1: 31 } })
  expect(await reencrypt(users)).toMatchObject({ rewritten: 0, skipped: 31, keys: { k2: 31 } })
  keys.destroy('k1')
  expect(await users.getEntry('expiring')).toEqual(before)
  expect(await users.get('user 29')).toEqual({ i: 29 })
  // The version is as it was for who holds it.
  await users.set('expiring', 2, { ifVersion: before?.version } as object)
  const [raw] = await store.read([{ key: 'expiring' }], callOptions())
  expect(isEntry(raw)).toBe(true)
  for await (const key of (users as unknown as { keys(): AsyncIterable<string> }).keys())
    await users.delete(key)
  await users.close()
}
