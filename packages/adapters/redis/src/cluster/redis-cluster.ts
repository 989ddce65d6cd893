import type { Bytes, CallOptions, Mutation, Read, ReadResult, WriteResult } from '@unikv/core'
import { endOf, isStoreError, StoreError } from '@unikv/core/adapter'
import {
  addressOf,
  callBuffer,
  type RedisClusterConnection,
  type RedisConnection,
} from '../client/redis-client.ts'
import { type Dialer, inTime, isReady } from '../client/redis-connection.ts'
import type { Dataset } from '../dataset.ts'
import { isRedirect, translate } from '../errors.ts'
import { readFrom } from '../server/read.ts'
import { unreplicated, writeReplicated } from '../server/replicas.ts'
import { writeTo } from '../server/write.ts'
import { hashSlot } from './hash-slot.ts'

type ClusterRead = ReadResult<Bytes>

/** Read keys of a cluster: one round trip a node, all nodes at the same time. Keys that have moved are read again. Never rejects. */
export async function readCluster(
  cluster: RedisClusterConnection,
  reads: readonly Read[],
  dataset: Dataset,
): Promise<readonly ClusterRead[]> {
  if (reads.length === 1) return readFrom(cluster, reads, dataset)
  const alone = async (read: Read) => (await readFrom(cluster, [read], dataset))[0]
  return byNode(cluster, reads, dataset, async (node, group) => {
    if (node === undefined) return Promise.all(group.map(alone))
    return follow(await readFrom(node, group, dataset), group, alone)
  })
}

/**
 * Write to a cluster: one round trip a node, all nodes at the same time. Nothing is sent over a connection that
 * is not ready, so that a write is known to be sent or not. A write to a slot that has moved had no effect and is sent again, singly,
 * by ioredis, which follows redirections. Never rejects.
 */
export function writeCluster(
  cluster: RedisClusterConnection,
  mutations: readonly Mutation<Bytes>[],
  dataset: Dataset,
  dialer: Dialer,
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  call.sent = false
  const { replicas } = dataset
  const run = async (
    node: RedisConnection | undefined,
    group: readonly Mutation<Bytes>[],
  ): Promise<readonly WriteResult[]> => {
    const isNow = node !== undefined && isReady(node)
    try {
      const found =
        node ?? (await inTime(findNode(cluster, dataset.prefix + (group[0] as Mutation<Bytes>).key), call))
      if (!isNow) await dialer.ready(found, call)
      const refusal = isNow ? undefined : endOf(call, true)
      if (refusal !== undefined) return group.map(() => refusal)
      call.sent = true
      const results =
        replicas === undefined
          ? await writeTo(found, group, dataset)
          : await writeReplicated(found, group, { ...dataset, replicas }, call)
      return await follow(results, group, again)
    } catch (error) {
      const failure = isStoreError(error) ? error : translate(error, false)
      return group.map(() => failure)
    }
  }
  const again = async (mutation: Mutation<Bytes>) => {
    const [result] = (await writeTo(cluster, [mutation], dataset)) as [WriteResult]
    // Which node did it, and so whose replicas to ask, only ioredis knows.
    return replicas === undefined ? result : unreplicated(result, 0)
  }
  return byNode(cluster, mutations, dataset, run)
}

/** Items by the node that holds their slot; those of unknown nodes by slot, without a node. */
async function byNode<T extends { readonly key: string }, R>(
  cluster: RedisClusterConnection,
  items: readonly T[],
  { prefix }: Dataset,
  run: (node: RedisConnection | undefined, group: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  const nodes = nodesByAddress(cluster)
  const groups = new Map<RedisConnection | number, number[]>()
  for (const [i, { key }] of items.entries()) {
    const slot = hashSlot(prefix + key)
    const place = nodes.get(cluster.slots[slot]?.[0] ?? '') ?? slot
    const group = groups.get(place)
    if (group === undefined) groups.set(place, [i])
    else group.push(i)
  }
  const results: R[] = []
  const place = async ([node, group]: readonly [RedisConnection | number, readonly number[]]) => {
    const part = await run(
      typeof node === 'number' ? undefined : node,
      group.map((i) => items[i] as T),
    )
    for (const [n, i] of group.entries()) results[i] = part[n] as R
  }
  await Promise.all([...groups].map(place))
  return results
}

function nodesByAddress(cluster: RedisClusterConnection): ReadonlyMap<string, RedisConnection> {
  return new Map(
    cluster.nodes('all').map((node) => {
      const { host, port } = addressOf(node)
      return [`${host}:${port}`, node]
    }),
  )
}

/**
 * The node that holds a key, once ioredis has found it again: it learns of a new or restarted master by the
 * redirection of a command, here of one that changes nothing.
 */
async function findNode(cluster: RedisClusterConnection, key: string): Promise<RedisConnection> {
  await callBuffer(cluster, 'exists', [key])
  const node = nodesByAddress(cluster).get(cluster.slots[hashSlot(key)]?.[0] ?? '')
  if (node === undefined)
    throw new StoreError('UNAVAILABLE', 'No node of the cluster is known to hold this key; nothing was sent.')
  return node
}

/** Ask again, alone, for the items that were sent to the wrong node. */
async function follow<T, R extends ClusterRead | WriteResult>(
  results: readonly R[],
  items: readonly T[],
  again: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  if (!results.some(wasRedirected)) return results
  return Promise.all(
    results.map(async (result, i) => (wasRedirected(result) ? again(items[i] as T) : result)),
  )
}

/** Whether an item failed because its slot lies elsewhere. */
function wasRedirected(result: ClusterRead | WriteResult): boolean {
  return isStoreError(result) && isRedirect(result.cause)
}
