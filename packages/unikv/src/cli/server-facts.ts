/** Facts that a server reports about itself, by name. */
export type ServerFacts = Readonly<Record<string, string>>

/** The used part of native clients; each asks only for what its own store has. */
interface Native {
  call(...command: readonly string[]): Promise<unknown>
  sendCommand(command: readonly string[]): Promise<unknown>
  query(sql: string): Promise<unknown>
  execute(cql: string): Promise<{ readonly rows: readonly Row[] }>
  client(): Promise<{ db(name: string): { command(command: object): Promise<Row> } }>
  server(): Promise<{ info(): Promise<Row> }>
  prepare(sql: string): { get(): Row }
}

type Row = Readonly<Record<string, unknown>>

/** How a kind of store is asked for its version and for the settings on which the cost of a write depends. */
const askers: Readonly<Record<string, (native: Native) => Promise<ServerFacts>>> = {
  redis: redisFacts,
  mysql: async (native) => {
    const [rows] = (await native.query(
      'SELECT VERSION() AS version, @@innodb_flush_log_at_trx_commit AS innodb_flush_log_at_trx_commit, @@sync_binlog AS sync_binlog',
    )) as [Row[]]
    return factsOf(rows[0])
  },
  postgres: async (native) => {
    const names = ['server_version', 'fsync', 'synchronous_commit', 'full_page_writes']
    const columns = names.map((name) => `current_setting('${name}') AS ${name}`)
    const { rows } = (await native.query(`SELECT ${columns.join(', ')}`)) as { rows: Row[] }
    return factsOf(rows[0], { server_version: 'version' })
  },
  mongodb: async (native) => {
    const { version } = await (await native.client()).db('admin').command({ buildInfo: 1 })
    return factsOf({ version })
  },
  cassandra: async (native) => {
    const { rows } = await native.execute('SELECT release_version FROM system.local')
    return factsOf(rows[0], { release_version: 'version' })
  },
  couchdb: async (native) => {
    const { version } = await (await native.server()).info()
    return factsOf({ version })
  },
  sqlite: async (native) => {
    // The driver adds a field of its own to a row.
    const { version } = native.prepare('SELECT sqlite_version() AS version').get()
    return factsOf({ version })
  },
}

/**
 * Version and settings of the server behind a store, as far as the server and the user's permissions tell them.
 *
 * @param kind the scheme of its URL without variants
 */
export async function serverFacts(kind: string, native: unknown): Promise<ServerFacts> {
  return (await askers[kind]?.(native as Native)) ?? {}
}

async function redisFacts(native: Native): Promise<ServerFacts> {
  const ask = (...command: string[]): Promise<unknown> =>
    typeof native.call === 'function' ? native.call(...command) : native.sendCommand(command)
  const info = String(await ask('INFO', 'server'))
  // Valkey also tells the version of Redis that it is compatible with
  const version = (/^valkey_version:(\S+)/m.exec(info) ?? /^redis_version:(\S+)/m.exec(info))?.[1]
  const settings = await Promise.all(
    ['appendonly', 'appendfsync', 'maxmemory-policy'].map(async (name) => {
      // hosted servers do not allow CONFIG
      const found = await ask('CONFIG', 'GET', name).catch(() => undefined)
      return [name, Array.isArray(found) ? found[1] : (found as Row | undefined)?.[name]] as const
    }),
  )
  return factsOf({ version, ...Object.fromEntries(settings) })
}

function factsOf(row: Row | undefined, names: Readonly<Record<string, string>> = {}): ServerFacts {
  const known = Object.entries(row ?? {}).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(known.map(([name, value]) => [names[name] ?? name, String(value)]))
}
