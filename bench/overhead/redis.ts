import { keyValue } from '@unikv/core'
import { redis } from '@unikv/redis'
import { startServer } from '@unikv/test-kit'
import { Redis } from 'ioredis'
import { createClient, RESP_TYPES } from 'redis'
import { type Entrants, ofKeyValue } from '../measure/overhead.ts'
import { liveIn, recordOf } from './records.ts'

/** ioredis, with its own commands for many keys, on values with their versions. */
export async function overRedis(): Promise<Entrants> {
  const server = await startServer('redis')
  const client = new Redis(server.url)
  const kv = keyValue(redis({ url: server.url }))
  const native = {
    insert: (key: string, value: Buffer) => client.set(key, recordOf(value)),
    read: async (key: string) => liveIn(await client.getBuffer(key)),
    delete: (key: string) => client.unlink(key),
    readMany: async (keys: readonly string[]) => (await client.mgetBuffer([...keys])).map(liveIn),
    insertMany: (entries: readonly (readonly [string, Buffer])[]) =>
      client.mset(entries.flatMap(([key, value]) => [key, recordOf(value)])),
  }
  const close = async (): Promise<void> => {
    client.disconnect()
    await kv.close()
    await server.stop()
  }
  return { native, unikv: ofKeyValue(kv), close }
}

/** node-redis, likewise. */
export async function overNodeRedis(): Promise<Entrants> {
  const server = await startServer('redis')
  const opened = await createClient({ url: server.url, commandOptions: { timeout: 0 } }).connect()
  const client = opened.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer })
  const kv = keyValue(redis({ url: server.url, driver: 'node-redis' }))
  const native = {
    insert: (key: string, value: Buffer) => client.set(key, recordOf(value)),
    read: async (key: string) => liveIn(await client.get(key)),
    delete: (key: string) => client.unlink(key),
    readMany: async (keys: readonly string[]) => (await client.mGet([...keys])).map(liveIn),
    insertMany: (entries: readonly (readonly [string, Buffer])[]) =>
      client.mSet(entries.map(([key, value]): [string, Buffer] => [key, recordOf(value)])),
  }
  const close = async (): Promise<void> => {
    opened.destroy()
    await kv.close()
    await server.stop()
  }
  return { native, unikv: ofKeyValue(kv), close }
}
