import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { groupTransactions, type OpenedGroupStore } from '@unikv/conformance'
import type { GroupCall, Groups } from '@unikv/core'
import { type SqliteOptions, sqlite } from '@unikv/sqlite'
import { someOf } from '@unikv/test-kit/vitest'
import { afterAll, describe, expect, test } from 'vitest'

const folders: string[] = []
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

interface Opened extends OpenedGroupStore {
  readonly options: SqliteOptions
}

function over(options: SqliteOptions): Opened {
  const store = sqlite(options)
  return { groups: store.groups as Groups, close: () => store.close(), options }
}

async function freshPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-sqlite-groups-'))
  folders.push(folder)
  return join(folder, 'file')
}

const call = (): GroupCall => ({ deadlineAt: Number.POSITIVE_INFINITY })
const forms: readonly (readonly [string, Omit<SqliteOptions, 'path'>])[] = [
  ['in the caller’s thread, documents', { durability: 'buffered', threads: 0, values: 'document' }],
  ['two threads', { durability: 'buffered' }],
]

describe.each(someOf(1, forms))('%s', (_title, options) => {
  groupTransactions({
    test,
    describe,
    open: async () => over({ ...options, path: await freshPath() }),
    reopen: (opened) => over((opened as Opened).options),
  })

  test('groups that were never made are refused where nothing may be made', async () => {
    const path = await freshPath()
    const made = sqlite({ ...options, path })
    await made.read([{ key: 'k' }], call())
    const other = over({ ...options, path, prepare: false })
    await expect(other.groups.read([{ group: 'g', key: 'k' }], call())).rejects.toMatchObject({
      code: 'NOT_PREPARED',
    })
    const tx = await other.groups.begin('g', call())
    const commit = async () => tx.commit([{ key: 'k', value: Buffer.from('v') }])
    await expect(commit()).rejects.toMatchObject({ code: 'NOT_PREPARED' })
    await Promise.all([other.close(), made.close()])
  })

  test('a read of groups that is refused fails no read beside it', async () => {
    const path = await freshPath()
    const made = sqlite({ ...options, path })
    await made.read([{ key: 'k' }], call())
    await made.close()
    const other = sqlite({ ...options, path, prepare: false })
    const groups = other.groups as Groups
    // The first one keeps the thread busy, so that the others come to it together.
    const [, refused, read, both] = await Promise.allSettled(
      [
        async () => other.read([{ key: 'k' }], call()),
        async () => groups.read([{ group: 'g', key: 'k' }], call()),
        async () => other.read([{ key: 'k' }], call()),
        async () => other.read([{ key: 'k' }, { key: 'l' }], call()),
      ].map((ask) => ask()),
    )
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'NOT_PREPARED' } })
    expect(read).toEqual({ status: 'fulfilled', value: [undefined] })
    expect(both).toEqual({ status: 'fulfilled', value: [undefined, undefined] })
    await other.close()
  })

  test('forgetting a group that never was makes no tables', async () => {
    const store = sqlite({ ...options, path: await freshPath() })
    expect(await (store.groups as Groups).forget('g', Date.now(), call())).toBe(false)
    const select = store.native.prepare("SELECT count(*) FROM sqlite_master WHERE name LIKE '%group%'").raw()
    expect(select.get([])).toEqual([0])
    await store.close()
  })

  test('large values come whole, each alone and several at a time', async () => {
    const store = over({ ...options, path: await freshPath() })
    const large = ['k', 'l'].map((key, i) => ({ key, value: Buffer.alloc(100_000, i + 1) }))
    const tx = await store.groups.begin('g', call())
    await tx.commit(large)
    const read = store.groups.read(
      large.map(({ key }) => ({ group: 'g', key })),
      call(),
    )
    expect(await read).toEqual(large.map(({ value }) => value))
    expect(await store.groups.list('g', { prefix: '', limit: 10 }, call())).toEqual(large)
    const after = await store.groups.begin('g', call())
    expect(await after.get(['k'])).toEqual([large[0]?.value])
    await store.close()
  })

  test('a table of somebody else is left alone', async () => {
    const path = await freshPath()
    const store = sqlite({ ...options, path })
    store.native.exec('CREATE TABLE "unikv.group_records" (x)')
    await expect((store.groups as Groups).read([{ group: 'g', key: 'k' }], call())).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('unikv.group_records was not created by unikv'),
    })
    await store.close()
  })

  test('readOnly refuses changes', async () => {
    const path = await freshPath()
    const writer = over({ ...options, path })
    const tx = await writer.groups.begin('g', call())
    await tx.commit([{ key: 'k', value: Buffer.from('v') }])
    const reader = over({ ...options, path, readOnly: true })
    expect(await reader.groups.read([{ group: 'g', key: 'k' }], call())).toEqual([Buffer.from('v')])
    const other = await reader.groups.begin('g', call())
    const commit = async () => other.commit([{ key: 'k', value: undefined }])
    await expect(commit()).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
    await Promise.all([writer.close(), reader.close()])
  })
})
