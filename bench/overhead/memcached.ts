import { createRequire } from 'node:module'
import { keyValue } from '@unikv/core'
import { memcached } from '@unikv/memcached'
import { type Client, type Entrants, ofKeyValue } from '../measure/entrants.ts'
import { liveIn, recordOf } from './records.ts'

interface NativeMemcached {
  set(key: string, value: Buffer, options: object): Promise<boolean>
  get(key: string): Promise<{ readonly value: Buffer | null }>
  delete(key: string): Promise<boolean>
  close(): void
}

/** By `require`, as memjs has no types. */
function openNative(url: string): NativeMemcached {
  const driver = createRequire(import.meta.url)('memjs') as {
    Client: { create(server: string): NativeMemcached }
  }
  return driver.Client.create(new URL(url).host)
}

/** memjs: of the clients on npm the one without a pool in between, on values with their versions. It has no command for many keys. */
export const overMemcached: Entrants = {
  server: 'memcached',
  unikv: async (url) => ofKeyValue(keyValue(memcached({ url }))),
  native: nativeMemcached,
}

async function nativeMemcached(url: string): Promise<Client> {
  const client = openNative(url)
  const insert = (key: string, value: Buffer) => client.set(key, recordOf(value), {})
  const read = async (key: string) => liveIn((await client.get(key)).value)
  return {
    insert,
    read,
    delete: (key: string) => client.delete(key),
    readMany: (keys: readonly string[]) => Promise.all(keys.map(read)),
    insertMany: (entries: readonly (readonly [string, Buffer])[]) =>
      Promise.all(entries.map(([key, value]) => insert(key, value))),
    close: async () => client.close(),
  }
}
