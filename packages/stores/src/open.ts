import type { Feature } from '@unikv/core'
import type { Opener } from '@unikv/core/url'
import * as openers from './openers.ts'
import { asked, type OpenedStore, type OpenedWith, type OpenOptions, opened } from './opening.ts'
import type { Kind } from './table.ts'

const byKind: Readonly<Record<Kind, Opener>> = { ...openers }

/**
 * A store by its URL. Nothing is connected, and no driver loaded, before the first call.
 *
 * | URL | store |
 * |---|---|
 * | `memory:` | this process |
 * | `file:./directory` | a file for each record |
 * | `lmdb:./path` | LMDB, embedded |
 * | `sqlite:./path.db` | SQLite, on worker threads; `?threads=` |
 * | `redis://[user:password@]host[:port][/db]` | Redis or Valkey; `valkey://` is the same; `rediss://` by TLS; `?driver=node-redis` by that client; `?replicas=N` offers writes that N replicas have; `?evicts=true` takes a server that drops records |
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
 * | `s3://[key:secret@]bucket[/prefix]?region=…&endpoint=…` | Amazon S3 and compatible services; the bucket must be there |
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
  const request = asked(url, options)
  return opened(byKind[request.kind], request)
}
