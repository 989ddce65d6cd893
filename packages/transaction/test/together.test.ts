import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cache } from '@unikv/cache'
import { type AnyStore, json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { encryption, keyring } from '@unikv/encryption'
import { lmdb } from '@unikv/lmdb'
import { mysql } from '@unikv/mysql'
import { postgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { sqlite } from '@unikv/sqlite'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, describe, expect, it } from 'vitest'
import { transactional, transactions } from '../src/index.ts'
import { type Fault, Process } from './world.ts'

const root = randomBytes(32)
const name = `t${Math.random().toString(36).slice(2)}`

/** One store with a cache and encryption above it, as a process has it. */
function oneOf(store: AnyStore, process: Process = new Process()) {
  const log = keyValue(memory(), [json()])
  const keys = keyring({ primary: 'k', keys: { k: root } })
  const kv = keyValue(process.through(store as ReturnType<typeof memory>), [
    cache(),
    json<number>(),
    encryption({ dataset: 'accounts', keys }),
    transactional({ log, leaseMs: 50 }),
  ])
  return { kv, log, db: transactions({ kv, log }) }
}

/** Several records of one store change in one step of it, without a log. */
function changesInOneStep(open: () => AnyStore): void {
  const store = open()
  afterAll(() => store.close())

  it('several records change in one step, without a log', async () => {
    const process = new Process()
    const { kv, log, db } = oneOf(store, process)
    await Promise.all([kv.set('a', 100), kv.set('b', 0), kv.set('old', 1), kv.set('read', 1)])
    const before = process.steps
    await db.run(async (tx) => {
      const [a = 0, b = 0] = await tx.kv.getMany(['a', 'b', 'read', 'old'])
      await tx.kv.set('a', a - 10)
      await tx.kv.set('b', b + 10)
      await tx.kv.set('new', 5)
      await tx.kv.delete('old')
    })
    // One that is new was looked at.
    expect(process.steps - before).toBe(3)
    expect(await kv.getMany(['a', 'b', 'new', 'old'])).toEqual([90, 10, 5, undefined])
    for await (const id of log.keys()) expect.unreachable(id)
  })

  it('transfers beside each other lose nothing, through a cache, and beside readers', async () => {
    const all = [oneOf(store), oneOf(store)] as const
    const keys = ['x', 'y', 'z']
    for (const key of keys) await all[0].kv.set(key, 100)
    await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const { db } = all[n % 2] as (typeof all)[0]
        for (let i = 0; i < 5; i++)
          await db.run(async (tx) => {
            const [from, to] = [keys[(n + i) % 3] as string, keys[(n + i + 1) % 3] as string]
            await tx.kv.update(from, (value = 0) => value - 1)
            await tx.kv.update(to, (value = 0) => value + 1)
          })
      }),
    )
    for (const { db } of all) {
      const sum = await db.run(async (tx) => {
        const found = await tx.kv.getMany(keys)
        return found.reduce<number>((all, value = 0) => all + value, 0)
      })
      expect(sum).toBe(300)
    }
  })

  it('an answer that was lost is looked up', async () => {
    for (const fault of ['lost reply', 'lost request'] satisfies Fault[]) {
      let at = Number.POSITIVE_INFINITY
      const process = new Process((step) => (step === at ? fault : undefined))
      const { kv, db } = oneOf(store, process)
      await Promise.all([kv.set('l', 1), kv.set('m', 1)])
      await db.run(async (tx) => {
        const [l = 0, m = 0] = await tx.kv.getMany(['l', 'm'])
        await tx.kv.set('l', l + 1)
        await tx.kv.set('m', m + 1)
        at = process.steps + 1
      })
      expect(await oneOf(store).kv.getMany(['l', 'm'])).toEqual([2, 2])
    }
  })
}

describe('memory', () => changesInOneStep(memory))

describe('files of this machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'unikv-together-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  describe('lmdb', () => changesInOneStep(() => lmdb({ path: join(folder, 'l') })))
  describe('sqlite', () => changesInOneStep(() => sqlite({ path: join(folder, 's.db'), threads: 0 })))
})

describeWith('mariadb', (url) => changesInOneStep(() => mysql({ url, table: name, prepare: true })))

describeWith('redis', (url) => changesInOneStep(() => redis({ url, dataset: name })))

describeWith('postgres', (url) => changesInOneStep(() => postgres({ url, table: name, prepare: true })))
