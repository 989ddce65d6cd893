import { type Bytes, isStoreError, newVersion, type Store } from '@unikv/core'
import { Client } from 'cassandra-driver'
import { afterAll } from 'vitest'
import { type CassandraOptions, cassandra, prepareCassandra } from '../src/index.ts'

export { codeOf, mutate } from '@unikv/test-kit'

/** A store of these tests. */
export type TestStore = Store<Bytes>

/** What tests on one server share: a client, a keyspace of their own, and tables that are emptied and used again. */
export interface CassandraBench {
  /** The client of cassandra-driver that stores of these tests are on, unless they open their own. */
  readonly client: Client
  readonly keyspace: string
  /** Options of a store with connections of its own in this keyspace. */
  readonly own: (options?: Partial<CassandraOptions>) => CassandraOptions
  /** A store over an empty table of this mode; `discard` empties it for the next. */
  readonly open: (conditions?: boolean) => Promise<TestStore>
  /** One more store over the same table. */
  readonly reopen: (store: object) => TestStore
  /** The table of a store, with its keyspace. */
  readonly tableOf: (store: object) => string
  readonly discard: (store: object) => Promise<void>
  /** CQL of one's own. */
  readonly cql: (query: string, params?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>
}

let names = 0

/** A name that no other test run has. */
export function freshName(): string {
  names += 1
  return `t${process.pid}_${Date.now().toString(36)}_${names}`
}

/** `url`: asked for once the tests run. The keyspace goes with them. */
export function cassandraBench(url: () => string, replication = 1): CassandraBench {
  const keyspace = freshName()
  const free = new Map<boolean, string[]>([
    [false, []],
    [true, []],
  ])
  const tables = new WeakMap<object, { readonly table: string; readonly conditions: boolean }>()
  const inUse = new Set<string>()
  const worn = new Map<string, number>()
  let connected: Client | undefined
  const client = (): Client => (connected ??= new Client(clientOptions(url())))
  const made = (table: string, conditions: boolean): TestStore => {
    const store: TestStore = cassandra({ client: client(), keyspace, table, conditions })
    tables.set(store, { table, conditions })
    return store
  }
  const known = (store: object) => {
    const found = tables.get(store)
    if (found === undefined) throw new Error('no store of these tests')
    return found
  }
  afterAll(async () => {
    if (connected === undefined) return
    await connected.execute(`DROP KEYSPACE IF EXISTS ${keyspace}`)
    await connected.shutdown()
  })
  return {
    get client() {
      return client()
    },
    keyspace,
    own: (options = {}) => ({ url: withKeyspace(url(), keyspace), replication, ...options }),
    async open(conditions = false) {
      let table = free.get(conditions)?.pop()
      if (table === undefined) {
        table = freshName()
        await prepareCassandra({ client: client(), keyspace, table, conditions, replication })
      }
      inUse.add(table)
      return made(table, conditions)
    },
    reopen(store) {
      const { table, conditions } = known(store)
      return made(table, conditions)
    },
    tableOf: (store) => `${keyspace}.${known(store).table}`,
    async discard(store) {
      const { table, conditions } = known(store)
      if (!inUse.delete(table)) return // it was opened twice
      const deleted = await emptied(made(table, conditions), client(), `${keyspace}.${table}`)
      const tombstones = (worn.get(table) ?? 0) + deleted
      worn.set(table, tombstones)
      if (tombstones < mostTombstones) free.get(conditions)?.push(table)
    },
    async cql(query, params = []) {
      const { rows } = await client().execute(query, [...params], { prepare: params.length > 0 })
      return rows ?? []
    },
  }
}

/** A listing walks over what was deleted: a table with more of it is left behind. */
const mostTombstones = 500

/**
 * Deletes as the store does, so that the next writes are later ones; what is hidden or foreign goes too. Resolves to
 * how much there was.
 */
async function emptied(store: TestStore, client: Client, table: string): Promise<number> {
  const { rows } = await client.execute(`SELECT k FROM ${table}`, [], { fetchSize: 5_000 })
  for (let start = 0; start < rows.length; start += 256) {
    const keys = rows.slice(start, start + 256).map((row) => String(row['k']))
    const deletions = keys.map((key) => ({ type: 'delete', key, version: newVersion() }) as const)
    const results = await store.write(deletions, { deadlineAt: performance.now() + 30_000 })
    for (const result of results) if (isStoreError(result)) throw result
  }
  await store.close()
  return rows.length
}

/** What `cassandra-driver` takes for the URL of a test server. */
function clientOptions(url: string): ConstructorParameters<typeof Client>[0] {
  const { host, searchParams } = new URL(url)
  const port = Number(host.split(':')[1])
  const localDataCenter = searchParams.get('datacenter') ?? 'datacenter1'
  // Tables are made and emptied while other tests keep the machine busy.
  const socketOptions = { readTimeout: 120_000 }
  return { contactPoints: [host], localDataCenter, protocolOptions: { port }, socketOptions }
}

/** The URL, with another keyspace. */
export function withKeyspace(url: string, keyspace: string): string {
  const changed = new URL(url)
  changed.pathname = `/${keyspace}`
  return String(changed)
}
