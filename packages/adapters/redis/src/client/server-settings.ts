import { isMap, isUint8Array } from 'node:util/types'
import { invalidConfig } from '@unikv/core/adapter'
import { isError } from '@unikv/core/platform'
import type { RedisDurability } from '../capabilities.ts'
import { translate } from '../errors.ts'
import type { RedisSettings } from '../options.ts'
import { addressText, callBuffer, type RedisConnection } from './redis-client.ts'

type Stated = Pick<RedisSettings, 'durability' | 'evicts'>

const levels: readonly RedisDurability[] = ['memory', 'buffered', 'flushed']

/**
 * Compares what the options state of a server with what it tells, once for each connection: a server may be replaced, or
 * configured anew. Where a user may not ask, the statement is taken on trust.
 */
export class ServerSettings {
  readonly #stated: Stated
  readonly #compared = new WeakSet<object>()
  readonly #underWay = new WeakMap<object, Promise<void>>()

  constructor(stated: Stated) {
    this.#stated = stated
  }

  /** Whether nothing is left to ask on this connection. */
  isCompared(connection: RedisConnection): boolean {
    const { evicts, durability } = this.#stated
    return (evicts && durability === 'memory') || this.#compared.has(streamOf(connection))
  }

  /** @throws {StoreError} `INVALID_CONFIG` if the server promises less; `UNAVAILABLE` if the connection broke */
  compare(connection: RedisConnection): Promise<void> {
    const stream = streamOf(connection)
    let comparing = this.#underWay.get(stream)
    if (comparing === undefined) {
      comparing = this.#compare(connection, stream).finally(() => this.#underWay.delete(stream))
      this.#underWay.set(stream, comparing)
    }
    return comparing
  }

  async #compare(connection: RedisConnection, stream: object): Promise<void> {
    const { evicts, durability } = this.#stated
    await Promise.all([
      evicts || checkEviction(connection),
      durability === 'memory' || checkDurability(connection, durability),
    ])
    this.#compared.add(stream)
  }
}

/** The whole of a cluster is asked once: its client sends the question to one of the masters. */
function streamOf(connection: RedisConnection): object {
  return connection.stream ?? connection
}

/** With a limit and another policy than `noeviction` the server makes room by itself; some take records with an expiry alone. */
async function checkEviction(connection: RedisConnection): Promise<void> {
  const memory = await told(connection, 'info', ['memory'])
  const policy = /^maxmemory_policy:([\w-]+)/m.exec(memory)?.[1]
  if (policy === undefined || policy === 'noeviction' || !/^maxmemory:[1-9]/m.test(memory)) return
  const which = policy.startsWith('volatile') ? 'records that have an expiry' : 'records'
  throw invalidConfig(
    `Redis at ${addressText(connection)} drops ${which} when it is full (maxmemory-policy ${policy}). Set maxmemory-policy noeviction, or declare evicts: true (in a URL ?evicts=true) if losing records does no harm.`,
  )
}

async function checkDurability(connection: RedisConnection, wanted: RedisDurability): Promise<void> {
  const [persistence, appendfsync] = await Promise.all([
    told(connection, 'info', ['persistence']),
    wanted === 'flushed' ? told(connection, 'config', ['get', 'appendfsync']) : '',
  ])
  const given = durabilityIn(persistence, appendfsync)
  if (levels.indexOf(given) >= levels.indexOf(wanted)) return
  throw invalidConfig(
    `Redis at ${addressText(connection)} cannot give durability '${wanted}', only '${given}'. See its settings appendonly and appendfsync.`,
  )
}

/** A durability that the server does not tell counts as given. */
function durabilityIn(persistence: string, appendfsync: string): RedisDurability {
  if (/^aof_enabled:0/m.test(persistence)) return 'memory'
  return /\b(everysec|no)$/.test(appendfsync) ? 'buffered' : 'flushed'
}

/** Answer of the server as text; empty if it rejects the question, as for a user without the right to ask. */
async function told(connection: RedisConnection, command: string, args: string[]): Promise<string> {
  try {
    return textIn(await callBuffer(connection, command, args))
  } catch (error) {
    if (isError(error) && error.name === 'ReplyError') return ''
    throw translate(error, false)
  }
}

function textIn(reply: unknown): string {
  if (Array.isArray(reply)) return reply.map(textIn).join('\n')
  if (isMap(reply))
    return Array.from(reply, ([name, value]) => `${textIn(name)}\n${textIn(value)}`).join('\n')
  if (isUint8Array(reply)) return Buffer.from(reply).toString('latin1')
  return typeof reply === 'string' ? reply : ''
}
