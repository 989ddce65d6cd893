import { keyValue } from '@unikv/core'
import { redis } from '@unikv/redis'
import { Redis } from 'ioredis'
import { createClient, RESP_TYPES } from 'redis'
import { type Client, type Entrants, ofKeyValue } from '../measure/entrants.ts'
import { liveIn, recordOf } from './records.ts'

/** ioredis, with its own commands for many keys, on values with their versions. */
export const overRedis: Entrants = {
  server: 'redis',
  unikv: async (url) => ofKeyValue(keyValue(redis({ url }))),
  native: async (url) => nativeRedis(new Redis(url)),
}

function nativeRedis(client: Redis): Client {
  return {
    insert: (key: string, value: Buffer) => client.set(key, recordOf(value)),
    read: async (key: string) => liveIn(await client.getBuffer(key)),
    delete: (key: string) => client.unlink(key),
    readMany: async (keys: readonly string[]) => (await client.mgetBuffer([...keys])).map(liveIn),
    insertMany: (entries: readonly (readonly [string, Buffer])[]) =>
      client.mset(entries.flatMap(([key, value]) => [key, recordOf(value)])),
    close: async () => client.disconnect(),
  }
}

/** node-redis, likewise. */
export const overNodeRedis: Entrants = {
  server: 'redis',
  unikv: async (url) => ofKeyValue(keyValue(redis({ url, driver: 'node-redis' }))),
  native: nativeNodeRedis,
}

async function nativeNodeRedis(url: string): Promise<Client> {
  const opened = await createClient({ url, commandOptions: { timeout: 0 } }).connect()
  const client = opened.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer })
  return {
    insert: (key: string, value: Buffer) => client.set(key, recordOf(value)),
    read: async (key: string) => liveIn(await client.get(key)),
    delete: (key: string) => client.unlink(key),
    readMany: async (keys: readonly string[]) => (await client.mGet([...keys])).map(liveIn),
    insertMany: (entries: readonly (readonly [string, Buffer])[]) =>
      client.mSet(entries.map(([key, value]): [string, Buffer] => [key, recordOf(value)])),
    close: async () => opened.destroy(),
  }
}
