import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { groupNetwork, groupTransactions, type OpenedGroupStore } from '@unikv/conformance'
import { type KeyValue, keyValue, type Store } from '@unikv/core'
import { file } from '@unikv/file'
import { postgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { faultProxy } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import pg from 'pg'
import { afterAll, describe, test } from 'vitest'
import { RecordGroups } from '../src/groups/record-groups.ts'

/** Groups of records, and how the same dataset is opened once more, perhaps at another address. */
interface Opened extends OpenedGroupStore {
  readonly again: (url?: string) => Opened
}

type BytesStore = Store<Uint8Array>

function over(open: (url?: string) => BytesStore, url?: string): Opened {
  const kv = keyValue(open(url)) as unknown as KeyValue<string, Uint8Array>
  return { groups: new RecordGroups(kv), close: () => kv.close(), again: (other) => over(open, other) }
}

const again = (opened: OpenedGroupStore): Opened => (opened as Opened).again()

describe('groups of records in files', () => {
  const folders: string[] = []
  afterAll(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true })
  })
  groupTransactions({
    test,
    describe,
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

describeWith('redis', (url) => {
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
  groupTransactions({ test, describe, open, reopen: again })
})
