import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { type Bytes, json, keyValue, newVersion } from '@unikv/core'
import { sync } from '@unikv/core/sync'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { lmdb } from '../src/index.ts'
import { bundle } from './proofs/bundle.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-lmdb-'))
})
afterAll(() => rm(folder, { recursive: true }))

const bytes = (text: string): Bytes => Buffer.from(text)

test('reads answer without a promise, and writes do if asked', async () => {
  const store = lmdb({ path: join(folder, 'sync'), sync: true })
  const kv = keyValue(store, [json()])
  const now = sync(kv)
  now.set('a', { n: 1 })
  expect(now.get('a')).toEqual({ n: 1 })
  expect(now.update('a', () => ({ n: 2 }))).toEqual({ n: 2 })
  expect(Array.from(now.keys())).toEqual(['a'])
  await kv.close()
  const promised = keyValue(lmdb({ path: join(folder, 'sync') }), [json()])
  expect(sync(promised).get('a')).toEqual({ n: 2 })
  expect(() => sync(promised).set('a', 1)).toThrow(/cannot do this synchronously/)
  await promised.close()
})

test('records survive closing, and datasets of one file do not see each other', async () => {
  const path = join(folder, 'two')
  await using a = keyValue(lmdb({ path, dataset: 'a' }), [json()])
  await using b = keyValue(lmdb({ path, dataset: 'b' }), [json()])
  await Promise.all([a.set('k', 'of a'), b.set('k', 'of b')])
  await a.close()
  await using again = keyValue(lmdb({ path, dataset: 'a' }), [json()])
  expect([await again.get('k'), await b.get('k')]).toEqual(['of a', 'of b'])
  expect(await again.clear({ all: true })).toBe(1)
  expect(await b.get('k')).toBe('of b')
})

test('keys that are no text are passed over, however many fill a page', async () => {
  const store = lmdb({ path: join(folder, 'foreign-keys') })
  await using kv = keyValue(store, [], { coalesce: false })
  const foreign = [
    [0x61, 0xff],
    [0x61, 0xff, 0x00],
    [0x61, 0xff, 0x61],
    [0x63, 0xff],
    [0xff, 0xfe],
    [0xff, 0xff],
  ]
  await kv.setMany(['a', 'b', 'c', 'd'].map((key) => [key, bytes('1')]))
  for (const key of foreign) await store.native.put(Buffer.from(key), Buffer.from('not ours'))
  for (const pageSize of [1, 2, 3, 4, 20]) {
    const listed: string[] = []
    for await (const key of kv.keys({ pageSize })) if (listed.push(key) > 4) break
    expect(listed).toEqual(['a', 'b', 'c', 'd'])
    expect(Array.from(sync(kv).keys({ lt: 'd', pageSize }))).toEqual(['a', 'b', 'c'])
  }
})

test('a write whose deadline has passed when it reaches the store changes nothing', async () => {
  const store = lmdb({ path: join(folder, 'late') })
  const set = (text: string, deadlineAt: number) =>
    store.write([{ type: 'set', key: 'k', value: bytes(text), version: newVersion() }], { deadlineAt })
  const inTime = set('in time', Number.POSITIVE_INFINITY)
  await expect(set('late', performance.now() - 1)).rejects.toMatchObject({ code: 'TIMEOUT' })
  await inTime
  expect(store.native.getBinary('k')?.toString()).toMatch(/in time$/)
  await store.close()
})

const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0
if (!canMount) console.log('SKIPPED: LMDB on a full disk (needs root on Linux, and unshare)')
test.runIf(canMount).each([false, true])(
  'LMDB never meets a full disk, which would damage its memory (sync: %s)',
  async (sync) => {
    const disk = await mkdtemp(join(folder, 'brim-'))
    // Each time in which LMDB meets it, it says so.
    const filler = await bundle(new URL('proofs/filler.ts', import.meta.url), folder)
    const run = `mount -t tmpfs -o size=2m tmpfs '${disk}' && exec '${process.execPath}' '${filler}' '${disk}/data' ${sync}`
    const { status, stdout, stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', run], {
      encoding: 'utf8',
    })
    expect({ status, stderr, ...(JSON.parse(stdout) as object) }).toEqual({
      status: 0,
      stderr: '',
      batches: 0,
      isRoomMade: true,
    })
  },
)

test('a full disk refuses, and the store keeps what it has and goes on', async ({ skip }) => {
  const disk = await mkdtemp(join(folder, 'disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk])
  skip(mounted.status !== 0, 'a small disk cannot be mounted here')
  const kv = keyValue(lmdb({ path: join(disk, 'full') }))
  const said = vi.spyOn(console, 'error')
  try {
    let written = 0
    const fill = async (): Promise<void> => {
      for (; written < 1000; written++) await kv.set(`k${written}`, Buffer.alloc(10_000, 'x'))
    }
    await expect(fill()).rejects.toMatchObject({ code: 'STORE_FULL', operation: 'set', store: 'lmdb' })
    expect(written).toBeGreaterThan(50)
    expect(await kv.count()).toBe(written)
    const batch = Array.from({ length: 5 }, (_, i) => [`batch${i}`, Buffer.alloc(300_000)] as const)
    await expect(kv.setMany(batch)).rejects.toMatchObject({ code: 'STORE_FULL' })
    expect(await kv.count()).toBe(written)
    spawnSync('mount', ['-o', 'remount,size=8m', disk])
    await kv.set('room', bytes('again'))
    expect(await kv.count()).toBe(written + 1)
    expect(said).not.toHaveBeenCalled()
  } finally {
    said.mockRestore()
    await kv.close()
    spawnSync('umount', [disk])
  }
})

test('a file where the folder should be says what to do', async () => {
  const path = join(folder, 'a-file')
  await writeFile(path, 'text')
  await expect(keyValue(lmdb({ path })).get('a')).rejects.toMatchObject({
    name: 'StoreError',
    operation: 'get',
  })
})

test('an expired record is removed when it is met, a fresh one in its place is not', async () => {
  let now = 1_000
  const clock = (): number => now
  const store = lmdb({ path: join(folder, 'expiry'), clock, durability: 'buffered' })
  await using kv = keyValue(store, [], { clock })
  await kv.setMany(
    [
      ['a', bytes('1')],
      ['b', bytes('1')],
    ],
    { ttlMs: 10 },
  )
  now = 2_000
  expect(await kv.get('a')).toBeUndefined()
  void kv.get('b')
  await kv.set('b', bytes('2'))
  await store.native.transaction(() => undefined)
  expect(store.native.getBinary(Buffer.from('a'))).toBeUndefined()
  expect(await kv.get('b')).toEqual(bytes('2'))
})

test('foreign bytes in the place of an expired record are no fault of other writes', async () => {
  let now = 1_000
  const clock = (): number => now
  const store = lmdb({ path: join(folder, 'foreign'), clock, durability: 'buffered' })
  await using kv = keyValue(store, [], { clock })
  await kv.set('a', bytes('1'), { ttlMs: 10 })
  now = 2_000
  expect(await kv.get('a')).toBeUndefined()
  await store.native.put(Buffer.from('a'), Buffer.from('foreign'))
  await kv.setMany([
    ['b', bytes('1')],
    ['c', bytes('1')],
  ])
  expect(await kv.get('c')).toEqual(bytes('1'))
})

test('expired records do not fill a store, though nobody reads them', async () => {
  let now = 1_000
  const clock = (): number => now
  const store = lmdb({ path: join(folder, 'sweep'), durability: 'buffered', clock })
  await using kv = keyValue(store, [], { clock, coalesce: false })
  let most = 0
  for (let round = 0; round < 40; round++) {
    await kv.setMany(
      Array.from({ length: 100 }, (_, i) => [`${i}-${round}`, bytes('1')] as const),
      { ttlMs: 10 },
    )
    now += 10
    most = Math.max(most, Array.from(store.native.getRange({})).length)
  }
  // Of 4,000 records 100 live at a time.
  expect(most).toBeLessThan(500)
})

test('what has expired makes room in a dataset of maxBytes', async () => {
  for (const sync of [true, false]) {
    let now = 1_000
    const clock = (): number => now
    const store = lmdb({ path: join(folder, `room-${sync}`), maxBytes: 65_536, sync, clock })
    await using kv = keyValue(store, [], { clock })
    const fill = async (ttlMs: number | undefined): Promise<void> => {
      for (let i = 0; i < 1_000; i++) await kv.set(`k${now}-${i}`, new Uint8Array(1_000), { ttlMs })
    }
    await expect(fill(5)).rejects.toMatchObject({ code: 'STORE_FULL' })
    now += 20
    await expect(fill(undefined)).rejects.toMatchObject({ code: 'STORE_FULL' })
    expect(await kv.count()).toBeGreaterThan(5)
  }
})

test('every write works where there is another Uint8Array, as in a simulated browser', async () => {
  const own = globalThis.Uint8Array
  for (const sync of [true, false]) {
    await using kv = keyValue(lmdb({ path: join(folder, `browser-${sync}`), sync }))
    globalThis.Uint8Array = runInNewContext('Uint8Array') as typeof own
    try {
      await kv.set('a', Buffer.from('1'), { ttlMs: 100_000 })
      await kv.set('a', Buffer.from('2'), { ttlMs: 'keep' })
      await kv.setMany([['b', Buffer.from('3')]])
      await kv.touch('a', { ttlMs: 200_000 })
      expect(await kv.increment('c')).toBe(1)
    } finally {
      globalThis.Uint8Array = own
    }
    expect(Buffer.from((await kv.get('a')) as Uint8Array).toString()).toBe('2')
  }
})

test('readOnly reads where nothing can be written, makes nothing, and refuses writes', async ({ skip }) => {
  const disk = await mkdtemp(join(folder, 'read-only-'))
  const denied = { code: 'ACCESS_DENIED', operation: 'set' }
  const path = join(disk, 'data')
  const writer = keyValue(lmdb({ path }), [json()])
  await writer.set('a', 1)
  await writer.close()
  await rm(join(path, 'lock.mdb'))
  await using beside = keyValue(lmdb({ path, readOnly: true, sync: true }), [json()])
  expect(await beside.get('a')).toBe(1)
  await expect(beside.set('a', 2)).rejects.toMatchObject(denied)
  await expect(keyValue(lmdb({ path }), [json()]).get('a')).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  await beside.close()
  await rm(join(path, 'lock.mdb'))
  const absent = { path: join(disk, 'absent'), readOnly: true }
  await expect(keyValue(lmdb(absent)).get('a')).rejects.toMatchObject({ code: 'NOT_PREPARED' })
  await expect(keyValue(lmdb({ path, dataset: 'other', readOnly: true })).get('a')).rejects.toMatchObject({
    code: 'NOT_PREPARED',
  })
  await rm(join(path, 'lock.mdb'), { force: true })
  spawnSync('mount', ['--bind', disk, disk])
  const mounted = spawnSync('mount', ['-o', 'remount,bind,ro', disk])
  skip(mounted.status !== 0, 'nothing can be mounted here')
  const kv = keyValue(lmdb({ path, readOnly: true }), [json()])
  try {
    expect(await kv.get('a')).toBe(1)
    expect(await kv.count()).toBe(1)
    await expect(kv.set('a', 2)).rejects.toMatchObject(denied)
  } finally {
    await kv.close()
    spawnSync('umount', ['-l', disk])
  }
})
