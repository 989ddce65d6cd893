import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Bytes, Store } from '@unikv/core'
import { callOptions, isUserKey } from '@unikv/core/adapter'
import {
  type Keyring,
  type KmsKeys,
  keyring,
  kmsKeys,
  localKms,
  type NameKey,
  nameKey,
  rekey,
} from '@unikv/encryption'
import { open } from '@unikv/stores'
import { Random } from '@unikv/test-kit/schedules'
import { describeWith, someOf } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ringOf } from '../processes/fixtures/rotation-process.ts'
import { RekeyWriter, type Stacks, usersOf } from './fixtures/rekey-writer.ts'

/** With it stacks live on, and are waited for as the README says. Without it the calls under way are waited for. */
const settleMs = Number(process.env['UNIKV_SETTLE_MS'] ?? 0)
const seed = Number(process.env['UNIKV_SEED'] ?? 1)
const timeoutMs = 300_000
const dataset = `rekey_${process.pid}`
const keys = keyring(ringOf('k1', ['k1']))
const [former, next] = [1, 2].map((n) => nameKey(Uint8Array.from({ length: 32 }, (_, i) => i * 11 + n))) as [
  NameKey,
  NameKey,
]

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-rekey-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('a rekey', () => {
  test('with writers loses nothing on file', () => rekeys(`file:${join(folder, 'file')}`, keys), timeoutMs)

  test(
    'with writers loses nothing on lmdb, with the keys of a service',
    () => {
      const service = kmsKeys({ providers: localKms({ keys }) })
      return rekeys(`lmdb:${join(folder, 'lmdb')}`, service)
    },
    timeoutMs,
  )
})

for (const kind of someOf(2, ['redis', 'postgres', 'mariadb', 'mongodb'] as const))
  describeWith(kind, (url) => {
    const separator = url.includes('?') ? '&' : '?'
    test(
      `a rekey with writers loses nothing on ${kind}`,
      () => rekeys(`${url}${separator}dataset=${dataset}`, keys),
      timeoutMs,
    )
  })

const still = Array.from({ length: 12 }, (_, i) => [`still ${i}`, `${i}`] as const)

async function rekeys(url: string, ring: Keyring | KmsKeys): Promise<void> {
  const store: Store<Bytes> = open(url)
  const before = usersOf(store, ring, former)
  await before.setMany(still)
  await before.namespace('team').setMany(still)
  await before.set('expiring', 'x', { ttlMs: 3_600_000 })
  const untouched = (users: typeof before) =>
    Promise.all([users.getEntry('expiring'), users.namespace('team').getEntry('still 3')])
  const entries = await untouched(before)

  const writers = writersOn(store, ring)
  await rekeyed(store, ring, writers)

  const after = usersOf(store, ring, next)
  expect(await untouched(after)).toEqual(entries)
  const wanted = new Map<string, string>([...still, ['expiring', 'x']])
  for (const { model } of writers) for (const [key, value] of model) wanted.set(key, value)
  const found = new Map<string, string>()
  for await (const [key, { value }] of after.entries()) found.set(key, value)
  expect(found).toEqual(wanted)
  expect(await after.namespace('team').count()).toBe(still.length)
  await expect(usersOf(store, ring, former).get('still 1')).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  expect(await stored(store), 'no old name is left').toBe(wanted.size + still.length)
  await after.clear({ all: true })
  await after.close()
}

/** Three, each with stacks that live as long as it does, or with new ones for each call. */
function writersOn(store: Store<Bytes>, ring: Keyring | KmsKeys): readonly RekeyWriter[] {
  return [1, 2, 3].map((n) => {
    const made = (): Stacks => ({ former: usersOf(store, ring, former), next: usersOf(store, ring, next) })
    const same = made()
    return new RekeyWriter(`writer ${n}`, settleMs > 0 ? () => same : made, new Random(seed * 10 + n))
  })
}

/** Changes the name key while they write, until each has written under the new one. */
async function rekeyed(
  store: Store<Bytes>,
  ring: Keyring | KmsKeys,
  writers: readonly RekeyWriter[],
): Promise<void> {
  const work = writers.map((writer) => writer.work())
  const place = settleMs > 0 ? store : settling(store, writers)
  const settings = { dataset: 'users', keys: ring, from: former, to: next, settleMs, pageSize: 10 }
  try {
    expect(await rekey(place, settings)).toMatchObject({ finished: false, unreadable: 0 })
    const report = await rekey(place, { ...settings, finish: true })
    expect(report).toMatchObject({ finished: true, unreadable: 0, stragglers: 0 })
    for (const writer of writers) while (writer.handedOver < 3 && writer.failure === undefined) await turn()
  } finally {
    for (const writer of writers) writer.isOver = true
    await Promise.all(work)
  }
  for (const writer of writers) expect(writer.failure, writer.name).toBeUndefined()
}

/** The store as the rekey sees it: after each change of the marker the calls that are under way end first. */
function settling(store: Store<Bytes>, writers: readonly RekeyWriter[]): Store<Bytes> {
  return {
    name: store.name,
    native: store.native,
    capabilities: store.capabilities,
    read: (reads, call) => store.read(reads, call),
    write: async (mutations, call) => {
      const results = await store.write(mutations, call)
      if (mutations.some(({ key }) => !isUserKey(key)))
        await Promise.all(writers.map((writer) => writer.settled()))
      return results
    },
    scan: (range, call) => store.scan(range, call),
    close: () => store.close(),
  }
}

/** How many records of users the store has. */
async function stored(store: Store<Bytes>): Promise<number> {
  let count = 0
  for await (const { entries } of store.scan({ prefix: '', pageSize: 100, values: false }, callOptions()))
    count += entries.filter(({ key }) => isUserKey(key)).length
  return count
}
