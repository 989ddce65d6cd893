import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { groupTransactions, type OpenedGroupStore } from '@unikv/conformance'
import { afterAll, describe, expect, test } from 'vitest'
import { type LmdbOptions, lmdb } from '../src/index.ts'

const folders: string[] = []
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

interface Opened extends OpenedGroupStore {
  readonly options: LmdbOptions
}

function over(options: LmdbOptions): Opened {
  const store = lmdb(options)
  if (store.groups === undefined) throw new Error('The store has no groups.')
  return { groups: store.groups, close: () => store.close(), options }
}

const forms: readonly { title: string; options: Omit<LmdbOptions, 'path'>; topics?: RegExp }[] = [
  { title: 'buffered', options: { durability: 'buffered' } },
  {
    title: 'at once, bounded',
    options: { durability: 'buffered', sync: true, maxBytes: 100_000_000 },
    topics: /^(reads|commits|conflicts|ends)/,
  },
]

describe.each(forms)('$title', ({ options, topics }) => {
  groupTransactions({
    test,
    describe,
    topics,
    open: async () => {
      const path = await mkdtemp(join(tmpdir(), 'unikv-lmdb-groups-'))
      folders.push(path)
      return over({ ...options, path })
    },
    reopen: (opened) => over((opened as Opened).options),
  })

  test('forgetting a group that never was makes nothing', async () => {
    const path = await mkdtemp(join(tmpdir(), 'unikv-lmdb-groups-'))
    folders.push(path)
    const opened = over({ ...options, path })
    expect(await opened.groups.forget('g', Date.now(), { deadlineAt: Number.POSITIVE_INFINITY })).toBe(false)
    expect(await readdir(path)).toEqual([])
    await opened.close()
  })
})
