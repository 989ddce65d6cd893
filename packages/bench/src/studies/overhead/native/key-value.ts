import { type Client, longestMs, type NativePlace } from './native-client.ts'

/** The methods of ioredis in use. */
interface Redis {
  set(key: string, value: Buffer): Promise<unknown>
  getBuffer(key: string): Promise<unknown>
  del(keys: string[]): Promise<unknown>
  scan(cursor: string, ...options: string[]): Promise<[string, string[]]>
}

/** Values under their keys: `SET`, `GET` and `DEL`. */
export async function redis(native: unknown, { name }: NativePlace): Promise<Client> {
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

/** The method of the client of unikv in use: it depends on no other one. */
interface Memcached {
  command(
    command: string,
    options?: object,
  ): Promise<{ readonly status: string; readonly value: Uint8Array | undefined }>
}

/** Values under their keys: `ms`, `mg` and `md`. */
export async function memcached(native: unknown, { name }: NativePlace): Promise<Client> {
  const client = native as Memcached
  const place = (key: string): string => `${name}:${encodeURIComponent(key)}`
  const set = (key: string, data: Uint8Array): Promise<unknown> =>
    client.command(`ms ${place(key)} T${longestMs / 1_000}`, { data })
  return {
    insert: set,
    update: set,
    read: async (key) => (await client.command(`mg ${place(key)} v`)).value,
    delete: (key) => client.command(`md ${place(key)}`),
    // It cannot list its keys: `remembering` removes them.
    remove: async () => {},
  }
}
