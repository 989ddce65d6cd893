import { listed } from '../report/words/listed.ts'
import type { RunResult, StoreInfo } from './result.ts'

/** The guarantee for an acknowledged write, by its level. */
const durabilityWords: Readonly<Record<string, string>> = {
  memory: 'in memory, lost when the server ends',
  buffered: 'buffered, survives a crash of the process but not of the machine',
  flushed: 'flushed to disk',
  replicated: 'on several machines',
}

/** The level that a server's own settings give, by the name of the adapter; `undefined`: they do not tell. */
const levelsBySettings: Readonly<Record<string, (settings: StoreInfo['server']) => string | undefined>> = {
  // https://www.postgresql.org/docs/current/wal-async-commit.html
  postgres: ({ fsync, synchronous_commit: commit }) => {
    if (commit === undefined || fsync === undefined) return undefined
    if (commit === 'off') return 'memory'
    return fsync === 'on' ? 'flushed' : 'buffered'
  },
  // https://mariadb.com/docs/server/server-usage/storage-engines/innodb/innodb-system-variables
  mysql: ({ innodb_flush_log_at_trx_commit: flush = '' }) =>
    ({ '0': 'memory', '1': 'flushed', '2': 'buffered' })[flush],
  // https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/
  redis: ({ appendonly, appendfsync }) => {
    if (appendonly === 'no') return 'memory'
    if (appendonly !== 'yes') return undefined
    return appendfsync === 'always' ? 'flushed' : 'buffered'
  },
}

/** The guarantee of a store for a write that it acknowledged. */
export interface WritePromise {
  /** A level of durability, from `memory` to `replicated`. */
  readonly level: string
  /** In words, which say so if it is only declared. */
  readonly words: string
}

/** The promise of a store: by the settings of its server where they are known, or else as it is declared. */
export function promiseOf({
  adapter,
  url,
  durability,
  server,
}: Pick<StoreInfo, 'adapter' | 'url' | 'durability' | 'server'>): WritePromise {
  const known = durability === 'replicated' ? undefined : levelsBySettings[adapter]?.(server)
  const level = known ?? durability
  const words = durabilityWords[level] ?? level
  // A store in this process does itself what it declares.
  const isDeclared = level === durability && known !== level && url.includes('//')
  return { level, words: isDeclared ? `at least ${words}, as declared` : words }
}

/** The promise of each store for an acknowledged write, if the promises differ; otherwise nothing. */
export function durabilitiesOf({ stores }: Pick<RunResult, 'stores'>): string | undefined {
  const promises = stores.map((store) => ({ name: store.name, ...promiseOf(store) }))
  if (new Set(promises.map(({ level }) => level)).size < 2) return undefined
  const parts = [...new Set(promises.map(({ words }) => words))].map((words) => {
    const names = promises.filter((one) => one.words === words).map(({ name }) => name)
    return `${listed(names)}: ${words}`
  })
  return `The stores promise different things of a write that they acknowledged. ${parts.join('; ')}.`
}
