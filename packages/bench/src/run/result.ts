import { z } from 'zod'
import type { PlainShape } from '../options/option.ts'
import { listed } from '../report/words.ts'
import { targetName } from './target.ts'

const count = z.int().min(0)
const names = z.record(z.string(), z.string())

const environment = z.strictObject({
  node: z.string(),
  v8: z.string(),
  platform: z.string(),
  release: z.string(),
  architecture: z.string(),
  cpu: z.string(),
  cores: count,
  memoryBytes: count,
})

/** The fields of a result that every study has; strict, so that a reader notices a format that it does not know. */
export const runResultShape = {
  /**
   * `interrupted`, `failed` and `invalid` runs hold what was finished until then. `invalid`: a store did not return what
   * was written, or the generator could not keep up, so the figures say nothing about the store. `crossed`: complete,
   * and a threshold was crossed.
   */
  status: z.enum(['complete', 'crossed', 'interrupted', 'failed', 'invalid']),
  /** Why a run failed or is invalid, what threshold it crossed, and which stores still hold what it wrote. `null` if there is nothing to tell. */
  error: z.string().nullable(),
  runId: z.string(),
  /** ISO 8601. */
  startedAt: z.iso.datetime(),
  elapsedMs: z.number().min(0),
  environment,
  /** The command that repeats the run, without secrets; `null` if a program started it. */
  command: z.string().nullable(),
  /** Versions of packages and drivers by name. */
  versions: names,
  data: z.strictObject({
    kind: z.enum(['synthetic', 'files', 'module']),
    description: z.string(),
  }),
  stores: z.array(
    z.strictObject({
      name: z.string().regex(targetName),
      /** Without user info. */
      url: z.string(),
      /** Name of its adapter. */
      adapter: z.string(),
      durability: z.string(),
      /** Facts that its server reports: its version, and settings that matter. Empty if there are none. */
      server: names,
    }),
  ),
}

/** The description of a run in the result of every bench. Times are in milliseconds. */
export type RunResult = PlainShape<typeof runResultShape>

/** The machine and the runtime. */
export type Environment = RunResult['environment']

/** A store that was measured. */
export type StoreInfo = RunResult['stores'][number]

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
