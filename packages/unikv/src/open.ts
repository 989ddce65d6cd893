import { type Bytes, type Store, StoreError } from '@unikv/core'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { type FileStore, file } from '@unikv/file'
import { type LmdbStore, lmdb } from '@unikv/lmdb'
import { mysql } from '@unikv/mysql'
import { redis } from '@unikv/redis'
import type { MysqlUrlCapabilities, RedisUrlCapabilities } from './server-capabilities.ts'
import { type StoreUrl, splitUrl } from './store-url.ts'

/** How to open a store by URL. */
export interface OpenOptions {
  /** Which records of the store are ours: a key prefix, folder or table. Wins over `?dataset=`. @default 'unikv' */
  readonly dataset?: string | undefined
  /** For errors and reports. @default the name of the adapter */
  readonly name?: string | undefined
}

/**
 * The store that a URL opens, as far as its text tells. The native client of a server is of unknown type here, as
 * its driver is optional: for its type use `@unikv/redis` or `@unikv/mysql`.
 */
export type OpenedStore<U extends string> = U extends 'memory:' | `memory:?${string}`
  ? MemoryStore
  : U extends `file:${string}`
    ? FileStore
    : U extends `lmdb:${string}`
      ? LmdbStore
      : U extends `redis${string}://${string}`
        ? Store<Bytes, RedisUrlCapabilities>
        : U extends `mysql://${string}` | `mariadb://${string}`
          ? Store<Bytes, MysqlUrlCapabilities>
          : Store<Bytes>

/**
 * A store by its URL. Nothing is connected, and no driver loaded, before the first call.
 *
 * | URL | store |
 * |---|---|
 * | `memory:` | this process |
 * | `file:./directory` | a file for each record |
 * | `lmdb:./path` | LMDB, embedded |
 * | `redis://[user:password@]host[:port][/db]` | Redis or Valkey; `rediss://` by TLS |
 * | `redis+cluster://host:port,host:port` | Redis Cluster |
 * | `mysql://user:password@host[:port]/database` | MySQL; `mariadb://` is the same |
 *
 * Every URL takes `?dataset=name`. `?durability=` chooses (`file:`) or states (servers) what an
 * acknowledged write survives: `flushed`, `buffered`, and for servers `memory`.
 *
 * @throws {StoreError} `INVALID_CONFIG` for an unknown scheme or a wrong URL; the message never holds user info
 */
export function open<const U extends string>(url: U, options: OpenOptions = {}): OpenedStore<U> {
  const parts = splitUrl(url)
  const opener = openers[parts.scheme]
  if (opener === undefined) throw unknownScheme(parts.scheme)
  const dataset = options.dataset ?? parts.parameters.get('dataset') ?? undefined
  return opener({ ...parts, dataset, name: options.name }) as unknown as OpenedStore<U>
}

interface Opening extends StoreUrl {
  readonly dataset: string | undefined
  readonly name: string | undefined
}

type Opener = (opening: Opening) => Store<Bytes>

const openers: Readonly<Record<string, Opener>> = {
  memory: ({ parameters, path, name }) => {
    refuseOthers('memory', parameters, ['dataset'])
    if (path !== '') throw new StoreError('INVALID_CONFIG', 'memory: takes no path: it is this process.')
    return memory({ name })
  },
  file: ({ parameters, path, dataset, name }) => {
    refuseOthers('file', parameters, ['dataset', 'durability'])
    return file({
      directory: pathOf('file', path),
      dataset,
      durability: durabilityOf(parameters, embedded),
      name,
    })
  },
  lmdb: ({ parameters, path, dataset, name }) => {
    refuseOthers('lmdb', parameters, ['dataset'])
    return lmdb({ path: pathOf('lmdb', path), dataset, name })
  },
  redis: openRedis,
  rediss: openRedis,
  'redis+cluster': openRedis,
  'rediss+cluster': openRedis,
  mysql: openMysql,
  mariadb: openMysql,
}

function openRedis({ rest, parameters, dataset, name }: Opening): Store<Bytes> {
  refuseOthers('redis', parameters, ['dataset', 'durability'])
  return redis({ url: rest, dataset, durability: durabilityOf(parameters, served), name })
}

function openMysql({ rest, parameters, dataset, name }: Opening): Store<Bytes> {
  refuseOthers('mysql', parameters, ['dataset', 'durability', 'tls', 'socket'])
  const others = [...parameters].filter(([parameter]) => parameter === 'tls' || parameter === 'socket')
  const query = new URLSearchParams(others).toString()
  return mysql({
    url: query === '' ? rest : `${rest}?${query}`,
    table: dataset,
    prepare: true,
    durability: durabilityOf(parameters, served),
    name,
  })
}

/** `./d`, `/d` and `//host-less/absolute` as `file:///d` has it. */
function pathOf(scheme: string, path: string): string {
  const directory = path.startsWith('///') ? path.slice(2) : path
  if (directory === '' || directory.startsWith('//')) {
    throw new StoreError(
      'INVALID_CONFIG',
      `${scheme}: takes a path, such as ${scheme}:./data or ${scheme}:///var/data.`,
    )
  }
  return directory
}

const embedded = ['flushed', 'buffered'] as const
const served = ['flushed', 'buffered', 'memory'] as const

function durabilityOf<T extends string>(parameters: URLSearchParams, known: readonly T[]): T | undefined {
  const asked = parameters.get('durability')
  if (asked === null) return undefined
  const found = known.find((one) => one === asked)
  if (found !== undefined) return found
  throw new StoreError('INVALID_CONFIG', `durability in a store URL must be one of: ${known.join(', ')}.`)
}

/** Nothing is accepted and ignored. */
function refuseOthers(scheme: string, parameters: URLSearchParams, known: readonly string[]): void {
  const unknown = [...parameters.keys()].find((parameter) => !known.includes(parameter))
  if (unknown === undefined) return
  throw new StoreError(
    'INVALID_CONFIG',
    `A ${scheme} URL takes no parameter '${unknown}'; it takes: ${known.join(', ')}.`,
  )
}

function unknownScheme(scheme: string): StoreError {
  const known = Object.keys(openers).map((name) => `${name}:`)
  const what = scheme === '' ? 'A store URL begins with a scheme' : `There is no store for '${scheme}:'`
  return new StoreError('INVALID_CONFIG', `${what}; known are ${known.join(', ')}.`)
}
