import { createHash } from 'node:crypto'
import { StoreError } from '@unikv/core/adapter'
import { isCluster, type RedisClusterConnection, type RedisConnection } from './client/redis-client.ts'
import { textOf } from './client/replies.ts'
import { translate } from './errors.ts'

/** A server that holds a part of the keys. */
export interface Shard {
  readonly id: string
  readonly connection: RedisConnection
}

/** Where all keys are. */
export interface Layout {
  readonly shards: readonly Shard[]
  /** Changes when keys may have moved from one shard to another. */
  readonly fingerprint: string
  /** Keys are on the move right now. */
  readonly moving: boolean
}

/**
 * Where all keys are now.
 *
 * @throws {StoreError} `UNAVAILABLE` if a master that holds slots cannot be asked
 */
export function layoutOf(connection: RedisConnection): Layout | Promise<Layout> {
  return isCluster(connection) ? clusterLayout(connection) : singleLayout(connection)
}

/** All keys are on one server. */
function singleLayout(connection: RedisConnection): Layout {
  return { shards: [{ id: '', connection }], fingerprint: '', moving: false }
}

/** The masters of a cluster with their slots, as each says of itself. */
async function clusterLayout(cluster: RedisClusterConnection): Promise<Layout> {
  const views = await Promise.all(cluster.nodes('master').map(viewOf))
  const own = views.flatMap(({ connection, lines }) =>
    lines.filter(({ myself, slots }) => myself && slots !== '').map((line) => ({ ...line, connection })),
  )
  const holders = new Set(
    views.flatMap(({ lines }) => lines.filter(({ slots }) => slots !== '').map(({ id }) => id)),
  )
  for (const { id } of own) holders.delete(id)
  if (own.length === 0 || holders.size > 0)
    throw new StoreError(
      'UNAVAILABLE',
      'Not every master of the cluster can be reached, so its keys cannot be listed.',
    )
  const sorted = own.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return {
    shards: sorted.map(({ id, connection }): Shard => ({ id, connection })),
    fingerprint: createHash('sha1')
      .update(sorted.map(({ id, slots }) => `${id} ${slots}`).join('\n'))
      .digest('base64url'),
    moving: sorted.some(({ slots }) => slots.includes('[')),
  }
}

interface NodeLine {
  readonly id: string
  readonly myself: boolean
  /** Ranges, and what is on the move in brackets. */
  readonly slots: string
}

async function viewOf(
  connection: RedisConnection,
): Promise<{ readonly connection: RedisConnection; readonly lines: readonly NodeLine[] }> {
  try {
    const reply = textOf(await connection.callBuffer('cluster', ['nodes']))
    return { connection, lines: reply.split('\n').filter(Boolean).map(parseLine) }
  } catch (error) {
    throw translate(error, false)
  }
}

/** `id address flags master ping pong epoch link slot slot …` */
function parseLine(line: string): NodeLine {
  const [id = '', , flags = '', , , , , , ...slots] = line.split(' ')
  return { id, myself: flags.split(',').includes('myself'), slots: slots.join(' ') }
}
