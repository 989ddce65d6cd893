import { cassandra } from './cassandra.ts'
import { mongodb } from './mongodb.ts'
import { mysql } from './mysql.ts'
import type { Client, NativePlace } from './native-client.ts'
import { postgres } from './postgres.ts'

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

/** The methods of ioredis in use. */
interface Redis {
  set(key: string, value: Buffer): Promise<unknown>
  getBuffer(key: string): Promise<unknown>
  del(keys: string[]): Promise<unknown>
  scan(cursor: string, ...options: string[]): Promise<[string, string[]]>
}

/** Values under their keys: `SET`, `GET` and `DEL`. */
async function redis(native: unknown, { name }: NativePlace): Promise<Client> {
  const client = native as Redis
  const place = (key: string): string => `${name}:${key}`
  const set = (key: string, value: Uint8Array): Promise<unknown> => client.set(place(key), value as Buffer)
  return {
    insert: set,
    update: set,
    read: (key) => client.getBuffer(place(key)),
    delete: (key) => client.del([place(key)]),
    async remove() {
      let cursor = '0'
      do {
        const [next, keys] = await client.scan(cursor, 'MATCH', `${name}:*`, 'COUNT', '1000')
        if (keys.length > 0) await client.del(keys)
        cursor = next
      } while (cursor !== '0')
    },
  }
}
