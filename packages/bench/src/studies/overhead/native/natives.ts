import { cassandra } from './cassandra.ts'
import { mongodb } from './mongodb.ts'
import { mysql } from './mysql.ts'
import type { Client, NativePlace } from './native-client.ts'
import { postgres } from './postgres.ts'
import { redis } from './redis.ts'

type Opener = (native: unknown, place: NativePlace) => Promise<Client>

const bySchemes: readonly (readonly [schemes: readonly string[], open: Opener])[] = [
  [['redis', 'rediss', 'valkey', 'redis+unix'], redis],
  [['postgres', 'postgresql'], postgres],
  [['mysql', 'mariadb'], mysql],
  [['mongodb', 'mongodb+srv'], mongodb],
  [['cassandra'], cassandra],
]

/** Stores for which there are statements of the native client, by the first scheme of their URLs. */
export const nativeStores: readonly string[] = bySchemes.map(([[scheme = '']]) => scheme)

/** The statements of the native client of a store, by its URL; `undefined`: there are none. */
export function nativeOf(url: string): Opener | undefined {
  const scheme = url.slice(0, url.indexOf(':'))
  return bySchemes.find(([schemes]) => schemes.includes(scheme))?.[1]
}

/** The database that a URL names. */
export function databaseOf(url: string): string | undefined {
  const [, path] = /^[^:]+:\/\/[^/?#]*\/([^?#]+)/.exec(url) ?? []
  return path
}
