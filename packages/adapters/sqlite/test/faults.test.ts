import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { codeOf, newPath, opened, set, text, write } from './fresh.ts'

describe('a file', () => {
  test('that is read-only for SQLite is ACCESS_DENIED for writes, and read all the same', async () => {
    const store = opened({ path: await newPath(), threads: 0 })
    await set(store, 'a', '1')
    store.native.exec('PRAGMA query_only = ON')
    expect(await codeOf(() => set(store, 'a', '2'))).toBe('ACCESS_DENIED')
    expect(await text(store, 'a')).toBe('1')
  })

  test('that is full is STORE_FULL, which is the fault of one call alone, and keeps what it has', async () => {
    const path = await newPath()
    const store = opened({ path, maxBytes: 200_000 })
    await set(store, 'a', '1')
    const large = Buffer.alloc(300_000)
    const results = await Promise.all([
      codeOf(() => set(store, 'b', '2')),
      codeOf(() => write(store, [{ type: 'set', key: 'large', value: large }])),
      codeOf(() => set(store, 'c', '3')),
      codeOf(() =>
        write(store, [
          { type: 'set', key: 'd', value: Buffer.from('4') },
          { type: 'set', key: 'large', value: large },
        ]),
      ),
      codeOf(() => set(store, 'e', '5')),
    ])
    expect(results).toEqual([undefined, 'STORE_FULL', undefined, 'STORE_FULL', undefined])
    const found = await Promise.all(['a', 'b', 'c', 'd', 'e', 'large'].map((key) => text(store, key)))
    expect(found).toEqual(['1', '2', '3', undefined, '5', undefined])
    const here = opened({ path, threads: 0, maxBytes: 200_000 })
    expect(await codeOf(() => write(here, [{ type: 'set', key: 'large', value: large }]))).toBe('STORE_FULL')
    await write(here, [{ type: 'delete', key: 'a' }])
  })

  test('whose table was removed or replaced while it was open is told as that', async () => {
    const store = opened({ path: await newPath(), threads: 1 })
    await set(store, 'a', '1')
    const both = async () => [await codeOf(() => text(store, 'a')), await codeOf(() => set(store, 'a', '2'))]
    store.native.exec('DROP TABLE unikv')
    expect(await both()).toEqual(['NOT_PREPARED', 'NOT_PREPARED'])
    store.native.exec('CREATE TABLE unikv (k TEXT)')
    expect(await both()).toEqual(['INVALID_CONFIG', 'INVALID_CONFIG'])
  })

  test.each([0, 2])('that is full of what has expired takes new records (%s threads)', async (threads) => {
    let now = 1_000
    const store = opened({ path: await newPath(), threads, maxBytes: 200_000, clock: () => now })
    const value = Buffer.alloc(2_000)
    const codes: unknown[] = []
    for (let i = 0; codes.at(-1) === undefined; i++)
      codes.push(
        await codeOf(() => write(store, [{ type: 'set', key: `old-${i}`, value, expiresAt: now + 1_000 }])),
      )
    expect(codes.at(-1)).toBe('STORE_FULL')
    now += 1_000
    for (const expiresAt of [undefined, now + 1_000]) {
      const drafts = ['a', 'b'].map((key) => ({ type: 'set', key, value, expiresAt }) as const)
      expect(await codeOf(() => write(store, drafts.slice(1)))).toBeUndefined()
      expect(await codeOf(() => write(store, drafts))).toBeUndefined()
    }
  })

  test.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
    'on a disk that is full refuses, and goes on when there is room',
    async ({ skip }) => {
      const disk = await newPath()
      mkdirSync(disk)
      const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=600k', 'tmpfs', disk])
      skip(mounted.status !== 0, 'a small disk cannot be mounted here')
      const store = opened({ path: join(disk, 'x.db') })
      try {
        await set(store, 'a', '1')
        const large = () =>
          codeOf(() => write(store, [{ type: 'set', key: 'l', value: Buffer.alloc(700_000) }]))
        expect(await large()).toBe('STORE_FULL')
        expect(await text(store, 'a')).toBe('1')
        spawnSync('mount', ['-o', 'remount,size=16m', disk])
        expect(await large()).toBeUndefined()
      } finally {
        await store.close()
        spawnSync('umount', [disk])
      }
    },
  )

  test.each([0, 1, 2])(
    'that another process keeps locked is OVERLOADED for writes after busyTimeoutMs, and read meanwhile (threads: %i)',
    async (threads) => {
      const path = await newPath()
      const [locker, store, witness] = [
        opened({ path, threads: 0 }),
        opened({ path, threads, busyTimeoutMs: 100 }),
        opened({ path, threads: 0 }),
      ]
      await set(store, 'a', '1')
      locker.native.exec('BEGIN IMMEDIATE')
      expect(await codeOf(() => set(store, 'a', '2'))).toBe('OVERLOADED')
      expect(await codeOf(() => write(store, [{ type: 'increment', key: 'n', by: 1, initial: 0 }]))).toBe(
        'OVERLOADED',
      )
      expect(await text(store, 'a')).toBe('1')
      locker.native.exec('COMMIT')
      // What was refused is not done later, and what is acknowledged now is there for others.
      await set(store, 'a', '3')
      expect([await text(store, 'a'), await text(witness, 'a')]).toEqual(['3', '3'])
      expect(await text(witness, 'n')).toBeUndefined()
    },
  )

  test('that stays locked keeps no queue waiting for longer than busyTimeoutMs a message', async () => {
    const path = await newPath()
    const [locker, store] = [opened({ path, threads: 0 }), opened({ path, threads: 1, busyTimeoutMs: 3_000 })]
    await set(store, 'a', '1')
    locker.native.exec('BEGIN IMMEDIATE')
    const startedAt = performance.now()
    const codes = await Promise.all(
      Array.from({ length: 30 }, (_, i) => codeOf(() => set(store, `k${i}`, 'v'))),
    )
    expect(new Set(codes)).toEqual(new Set(['OVERLOADED']))
    expect(performance.now() - startedAt).toBeLessThan(60_000)
    locker.native.exec('COMMIT')
  })
})
