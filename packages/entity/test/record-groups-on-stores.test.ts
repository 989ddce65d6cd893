import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { groupNetwork, groupTransactions, type OpenedGroupStore } from '@unikv/conformance'
import {
  type GroupCall,
  type GroupChange,
  type Groups,
  type GroupTransaction,
  type KeyValue,
  keyValue,
  type Store,
} from '@unikv/core'
import { file } from '@unikv/file'
import { postgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { faultProxy } from '@unikv/test-kit'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { RecordGroups } from '../src/groups/record-groups.ts'
import { entities, entity, type GroupKeyValue, plain } from '../src/index.ts'

/** Groups of records, and how the same dataset is opened once more, perhaps at another address. */
interface Opened extends OpenedGroupStore {
  readonly again: (url?: string) => Opened
}

type BytesStore = Store<Uint8Array>

function over(open: (url?: string) => BytesStore, url?: string): Opened {
  const kv = keyValue(open(url)) as unknown as KeyValue<string, Uint8Array>
  return { groups: new RecordGroups(kv), close: () => kv.close(), again: (other) => over(open, other) }
}

/** On Redis, whose requests are fast, all topics run; these are about what stores do differently. */
const topicsOfStores = /^(hostile|commits|conflicts|many)/

const again = (opened: OpenedGroupStore): Opened => (opened as Opened).again()

describe('groups of records in files', () => {
  const folders: string[] = []
  afterAll(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true })
  })
  groupTransactions({
    test,
    describe,
    topics: isWhole ? undefined : topicsOfStores,
    open: async () => {
      const directory = await mkdtemp(join(tmpdir(), 'unikv-groups-'))
      folders.push(directory)
      return over(() => file({ directory }) as BytesStore)
    },
    reopen: again,
    // A group is a key of the store.
    maxKeyBytes: 170,
  })
})

const Note = entity('Note', { schema: plain<{ no: number; tag: string }>(), id: ['no'], indexes: ['tag'] })

/** A store whose first native commit of an entity waits for this, as that of a stopped process. */
function stopping<S extends BytesStore>(store: S, stopped: () => Promise<unknown>): S {
  const groups = store.groups as Groups
  let isFirst = true
  const begin = async (group: string, call: GroupCall): Promise<GroupTransaction> => {
    const tx = await groups.begin(group, call)
    const commit = async (changes: readonly GroupChange[]): Promise<boolean> => {
      const isStopped = isFirst && changes.some(({ key }) => key.startsWith('e'))
      if (isStopped) isFirst = false
      if (isStopped) await stopped()
      return tx.commit(changes)
    }
    return Object.create(tx, {
      commit: { value: commit },
      get: { value: tx.get.bind(tx) },
      list: { value: tx.list.bind(tx) },
      rollback: { value: tx.rollback.bind(tx) },
    }) as GroupTransaction
  }
  const own = {
    control: groups.control,
    maxGroupBytes: groups.maxGroupBytes,
    holds: groups.holds,
    begin,
    read: groups.read.bind(groups),
    list: groups.list.bind(groups),
    names: groups.names.bind(groups),
    forget: groups.forget.bind(groups),
  } satisfies Groups
  return Object.create(store, { groups: { value: own } }) as S
}

/** A process is stopped before the commit of a creation, and a sweep of another one takes its entry for dangling. */
async function sweptBeforeCommit(open: () => BytesStore): Promise<void> {
  const [mine, others] = [open(), open()]
  const native = { transactions: 'native' } as const
  const other = entities(keyValue(others) as unknown as GroupKeyValue, [Note], native)
  const stopped = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(await other.sweep({ olderThanMs: 0 })).toMatchObject({ dangling: 1 })
  }
  const kv = keyValue(stopping(mine, stopped)) as unknown as GroupKeyValue
  const db = entities(kv, [Note], native)
  const note = await db.create(Note, { no: 1, tag: 'a' })
  expect(db.statistics()).toMatchObject({ conflicts: 1 })
  expect(await other.byIndex(Note, 'tag', 'a')).toEqual([note])
  // In a group with a mark, creations are as before.
  expect(await other.delete(Note, note)).toBe(true)
  expect(await other.byIndex(Note, 'tag', 'a')).toEqual([])
  await other.create(Note, note)
  expect(await other.byIndex(Note, 'tag', 'a')).toEqual([note])
  expect(await other.sweep({ olderThanMs: 0 })).toMatchObject({ dangling: 0 })
  await Promise.all([mine.close(), others.close()])
}

describeWith('redis', (url) => {
  test('no sweep makes an entity of native transactions that its index cannot find', () => {
    const dataset = `t${randomBytes(6).toString('hex')}`
    return sweptBeforeCommit(() => redis({ url, dataset }) as BytesStore)
  })

  const open = (address: string = url): Opened => {
    const dataset = `t${randomBytes(6).toString('hex')}`
    return over((other = address) => redis({ url: other, dataset }) as BytesStore, address)
  }
  groupTransactions({ test, describe, open: () => open(), reopen: again })
  const direct = (opened: OpenedGroupStore): Opened => (opened as Opened).again(url)
  groupNetwork({ test, describe, proxy: () => faultProxy(url), open, direct })
})

describeWith('postgres', (url) => {
  const sql = new pg.Pool({ connectionString: url, max: 1 })
  const tables: string[] = []
  afterAll(async () => {
    for (const table of tables) await sql.query(`DROP TABLE IF EXISTS ${table}`)
    await sql.end()
  })
  const open = (): Opened => {
    const table = `t${randomBytes(6).toString('hex')}`
    tables.push(table)
    return over(() => postgres({ url, table, prepare: true }) as BytesStore)
  }
  groupTransactions({ test, describe, topics: isWhole ? undefined : topicsOfStores, open, reopen: again })

  test('no sweep makes an entity of native transactions that its index cannot find', () => {
    const table = `t${randomBytes(6).toString('hex')}`
    tables.push(table, `${table}_groups`)
    return sweptBeforeCommit(() => postgres({ url, table, prepare: true }) as BytesStore)
  })
})
