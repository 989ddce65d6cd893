import type { CallOptions } from '@unikv/core'
import { StoreError } from '@unikv/core/adapter'
import { isError } from '@unikv/core/platform'
import { loadNodeRedis, openNodeRedis } from '../client/node-redis-client.ts'
import { inOtherWords } from '../client/node-redis-connection.ts'
import { loadDriver, openSingle, type RedisConnection } from '../client/redis-client.ts'
import { Dialer, hangUp, inTime } from '../client/redis-connection.ts'
import type { Target } from '../client/redis-url.ts'
import { translate } from '../errors.ts'

/** The keys of a message as the server has them, `null` for all of them, and anything that others publish there. */
export type Heard = (message: unknown) => void

/** Two connections: one that listens, and one for commands, which a connection that listens does not take. */
export interface TrackingLink {
  readonly commands: RedisConnection
  readonly listening: RedisConnection
  /** Listen to the messages of the server. */
  readonly subscribe: (heard: Heard) => Promise<unknown>
}

/** Place to open. */
export interface TrackingPlace {
  readonly target: Target
  readonly driver: 'ioredis' | 'node-redis'
  readonly connectTimeoutMs: number
  /** Prefix of every key. */
  readonly prefix: string
}

const channel = '__redis__:invalidate'

/** Make both connections; nothing is opened yet. They speak RESP2, as ioredis has no ear for the messages of RESP3. */
export async function makeLink({ driver, target, connectTimeoutMs }: TrackingPlace): Promise<TrackingLink> {
  if (driver === 'node-redis') {
    const module = await loadNodeRedis()
    const open = () => openNodeRedis(module, target, connectTimeoutMs, 2)
    const { native, connection: listening } = open()
    const subscribe = (heard: Heard) =>
      native.subscribe(channel, heard, true).catch((error: unknown) => {
        throw inOtherWords(error)
      })
    return { commands: open().connection, listening, subscribe }
  }
  const module = await loadDriver()
  const [commands, listening] = [0, 1].map(() => openSingle(module, target, connectTimeoutMs, 2)) as [Io, Io]
  // Their calls and their end report the errors.
  for (const client of [commands, listening]) client.on('error', () => {})
  const subscribe = (heard: Heard) => {
    listening.on('messageBuffer', (_channel, message) => heard(message))
    return listening.subscribe(channel)
  }
  return { commands, listening, subscribe }
}

type Io = ReturnType<typeof openSingle>

/**
 * Open both connections and have all changes of keys with this prefix told, from when it resolves.
 *
 * @throws {StoreError} `UNAVAILABLE`, `TIMEOUT`, `ABORTED`, `ACCESS_DENIED` or `UNSUPPORTED`
 */
export async function openLink(
  { commands, listening, subscribe }: TrackingLink,
  prefix: string,
  heard: Heard,
  call: CallOptions,
): Promise<void> {
  const dialer = new Dialer(true)
  await Promise.all([commands, listening].map((connection) => dialer.ready(connection, call)))
  const track = async () => {
    const id = await ownId(listening)
    // It redirects to itself: one connection cannot break in half.
    const tracking = ['tracking', 'on', 'redirect', `${id}`, 'bcast', 'prefix', prefix]
    await listening.callBuffer('client', tracking)
    await subscribe(heard)
  }
  await inTime(track().catch(refused), call)
}

/** Change a key and leave nothing of it; the server tells of it as of any other. */
export async function beat({ commands }: TrackingLink, key: string): Promise<void> {
  const pipeline = commands.pipeline()
  pipeline.callBuffer('multi', [])
  pipeline.callBuffer('set', [key, ''])
  pipeline.callBuffer('del', [key])
  pipeline.callBuffer('exec', [])
  const replies = (await pipeline.exec()) ?? []
  for (const [error] of replies) if (error !== null) refused(error)
}

/** Close both, and resolve when nothing of them is left. */
export async function closeLink({ commands, listening }: TrackingLink): Promise<void> {
  await Promise.all([hangUp(commands), hangUp(listening)])
}

/** Resolves when one of them has ended. */
export function linkEnd({ commands, listening }: TrackingLink): Promise<void> {
  return new Promise((resolve) => {
    for (const connection of [commands, listening]) connection.on('end', () => resolve())
  })
}

/** The number of a connection, as only HELLO tells together with what the server is. */
async function ownId(connection: RedisConnection): Promise<number> {
  const fields = ((await connection.callBuffer('hello', ['2'])) as unknown[]).map(String)
  const [id, mode] = ['id', 'mode'].map((name) => fields[fields.indexOf(name) + 1])
  if (mode !== 'standalone')
    throw new StoreError(
      'UNSUPPORTED',
      `Redis tracks the keys of a single server, and this one is in mode ${mode}. On a cluster use freshForMs or localTier: 'validated' of the cache instead.`,
    )
  return Number(id)
}

function refused(error: unknown): never {
  const translated = translate(error, false)
  const { code, cause } = translated
  if (translated === error || (code !== 'ACCESS_DENIED' && code !== 'UNSUPPORTED')) throw translated
  const reason = isError(cause) ? cause.message : code
  throw new StoreError(
    code,
    `Redis does not let this user track keys: ${reason}. Permit +client|tracking, +subscribe with the channel __redis__:invalidate, and +multi, +exec, +set, +del for the keys of the dataset, or pass redisTracking a url with another user, or use redisPubSub instead.`,
    { cause },
  )
}
