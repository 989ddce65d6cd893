import {
  type Bytes,
  type Capabilities,
  type Feature,
  type Store,
  StoreError,
  type Supporting,
  supports,
} from '@unikv/core'
import { checkFactoryOptions, type OptionNames } from '@unikv/core/adapter'
import { openers } from './openers/openers.ts'
import { splitUrl } from './store-url.ts'
import type { StoresByScheme } from './stores-by-scheme.ts'

/** How to open a store by URL. */
export interface OpenOptions<F extends Feature = Feature> {
  /**
   * Features that the program needs, for a URL that is known at run time only: a store without them is an error, and
   * the type has them. @default none
   */
  readonly needs?: readonly F[] | undefined
  /** Which records of the store are ours: a key prefix, folder or table. Wins over `?dataset=`. @default 'unikv' */
  readonly dataset?: string | undefined
  /** For errors and reports. @default the name of the adapter */
  readonly name?: string | undefined
}

/**
 * The store that a URL opens, as far as its text tells. The native client of a server is of unknown type here, as
 * its driver is optional: for its type use the package of the adapter.
 */
export type OpenedStore<U extends string> = U extends `${infer S extends keyof StoresByScheme}:${string}`
  ? StoresByScheme[S]
  : Store<Bytes>

/** The same store with these features in its type. */
export type OpenedWith<S, F extends Feature> = [F] extends [never]
  ? S
  : S extends Store<infer V, infer C, infer N>
    ? Store<V, Capabilities extends C ? Supporting<F> : With<C, Supporting<F>>, N>
    : never

/** For a URL whose scheme is known: only what its type leaves open changes. */
type With<C extends Capabilities, Needed> = {
  readonly [K in keyof Capabilities]: K extends keyof Needed ? C[K] & Needed[K] : C[K]
}

const optionNames: OptionNames<OpenOptions> = { needs: true, dataset: true, name: true }

/**
 * A store by its URL. Nothing is connected, and no driver loaded, before the first call.
 *
 * | URL | store |
 * |---|---|
 * | `memory:` | this process |
 * | `file:./directory` | a file for each record |
 * | `lmdb:./path` | LMDB, embedded |
 * | `sqlite:./path.db` | SQLite, on worker threads; `?threads=` |
 * | `redis://[user:password@]host[:port][/db]` | Redis or Valkey; `valkey://` is the same; `rediss://` by TLS; `?driver=node-redis` by that client |
 * | `redis+unix:///path/of/socket` | Redis by its Unix socket; `?db=2` |
 * | `redis+cluster://host:port,host:port` | Redis Cluster |
 * | `mysql://user:password@host[:port]/database` | MySQL; `mariadb://` is the same; `?driver=mariadb` by that client |
 * | `postgres://user:password@host[:port]/database` | PostgreSQL; `postgresql://` is the same; `?sslmode=verify-full` by TLS |
 * | `cassandra://user:password@host,host[:port]/keyspace` | Apache Cassandra; `?conditions=true`, `&datacenter=`, `&consistency=`, `&tls=true` |
 * | `mongodb://user:password@host[:port],host[:port]/database` | MongoDB; `mongodb+srv://` by DNS; `?replicaSet=`, `&authSource=`, `&tls=true` |
 * | `memcached://[user:password@]host[:port],host[:port]` | memcached, one server or several |
 * | `hbase://[user:password@]host[:port][/table]` | HBase by its REST gateway; `hbases://` by TLS |
 * | `couchdb://user:password@host[:port]/database` | CouchDB and Cloudant; `couchdbs://` or `?tls=true` by TLS |
 * | `swift://user:key@host[:port]/container` | OpenStack Swift; `?tls=true` by TLS; without host by `OS_*` or `ST_*` |
 * | `s3://[key:secret@]bucket[/prefix]?region=…&endpoint=…` | Amazon S3 and its like; the bucket must be there |
 * | `dynamodb://[key:secret@]table?region=…&endpoint=…` | Amazon DynamoDB |
 *
 * Every URL takes `?dataset=name`. `?durability=` chooses (`file:`) or states (servers) what an
 * acknowledged write survives: `flushed`, `buffered`, and for servers `memory`.
 *
 * A program that gets its URL at run time names what it needs: `open(url, { needs: ['ttl', 'scan'] })`.
 *
 * @throws {StoreError} `INVALID_CONFIG` for an unknown scheme or a wrong URL; the message never holds user info.
 * `UNSUPPORTED` for a store that lacks what `needs` names
 */
export function open<const U extends string, const F extends Feature = never>(
  url: U,
  options: OpenOptions<F> = {},
): OpenedWith<OpenedStore<U>, F> {
  checkFactoryOptions('open', options, optionNames)
  const parts = splitUrl(url)
  const opener = Object.hasOwn(openers, parts.scheme) ? openers[parts.scheme] : undefined
  if (opener === undefined) throw unknownScheme(url, parts.scheme)
  const dataset = options.dataset ?? parts.parameters.get('dataset') ?? undefined
  const store = opener({ ...parts, dataset, name: options.name, environment: process.env })
  refuseLack(store, options.needs ?? [])
  return store as unknown as OpenedWith<OpenedStore<U>, F>
}

/** Every store declares what it can do before it connects. */
function refuseLack(store: Store<Bytes>, needs: readonly Feature[]): void {
  if (!Array.isArray(needs))
    throw new StoreError('INVALID_CONFIG', "needs must be a list of features, such as ['ttl', 'scan'].")
  const lacking = needs.filter((need) => !supports(store, need))
  if (lacking.length === 0) return
  void store.close().catch(() => {})
  const message = `${store.name} does not declare ${lacking.join(', ')}, which \`needs\` asks for. Choose another store.`
  throw new StoreError('UNSUPPORTED', message, { operation: 'open', store: store.name })
}

/** What stands before the colon is repeated only where it must be a scheme: it may be a user. */
function unknownScheme(url: string, scheme: string): StoreError {
  const known = Object.keys(openers).map((name) => `${name}:`)
  const isScheme = url.slice(scheme.length).startsWith('://') && scheme.length <= 20
  const what = isScheme ? `There is no store for '${scheme}:'` : 'A store URL begins with a scheme'
  return new StoreError('INVALID_CONFIG', `${what}; known are ${known.join(', ')}.`)
}
