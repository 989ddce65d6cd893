import { dynamodb, s3 } from './aws.ts'
import { couchdb, mongodb } from './documents.ts'
import { hbase, swift } from './gateways.ts'
import { file, lmdb, memcached, redis, sqlite } from './key-value.ts'
import type { Client, NativePlace } from './native-client.ts'
import { cassandra, mysql, postgres } from './sql.ts'

type Opener = (native: unknown, place: NativePlace) => Promise<Client>

const bySchemes: readonly (readonly [schemes: readonly string[], open: Opener])[] = [
  [['redis', 'rediss', 'valkey', 'redis+unix'], redis],
  [['postgres', 'postgresql'], postgres],
  [['mysql', 'mariadb'], mysql],
  [['mongodb', 'mongodb+srv'], mongodb],
  [['cassandra'], cassandra],
  [['memcached'], memcached],
  [['couchdb', 'couchdbs'], couchdb],
  [['hbase', 'hbases'], hbase],
  [['dynamodb'], dynamodb],
  [['s3'], s3],
  [['swift'], swift],
  [['sqlite'], sqlite],
  [['lmdb'], lmdb],
  [['file'], file],
]

/** Stores for which there are statements of the native client, by the first scheme of their URLs. */
export const nativeStores: readonly string[] = bySchemes.map(([[scheme = '']]) => scheme)

/** The statements of the native client of a store, by its URL; `undefined`: there are none. */
export function nativeOf(url: string): Opener | undefined {
  const scheme = url.slice(0, url.indexOf(':'))
  return bySchemes.find(([schemes]) => schemes.includes(scheme))?.[1]
}

/** The database, keyspace or bucket that a URL names. */
export function databaseOf(url: string): string | undefined {
  const place = url.startsWith('s3:') ? /^s3:\/\/(?:[^@/]*@)?([^/?]+)/ : /^[^:]+:\/\/[^/?#]*\/([^?#]+)/
  return place.exec(url)?.[1]
}
