import type { Bytes, CallOptions, Mutation, WriteResult } from '@unikv/core'
import { endOf } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { isCluster } from './client/redis-client.ts'
import { writeCluster } from './cluster/redis-cluster.ts'
import { asksReplicas, writeReplicated } from './server/replicas.ts'
import { writeTo } from './server/write.ts'

/** Write at once, or when the client is connected: until then nothing was sent. */
export function write(
  backend: Backend,
  mutations: readonly Mutation<Bytes>[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  const { servers, connection } = backend
  if (servers.isReady(connection, call)) return writeNow(backend, mutations, call)
  call.sent = false
  return servers.ready(connection, call).then(() => {
    const refusal = endOf(call, true)
    if (refusal !== undefined) throw refusal
    return writeNow(backend, mutations, call)
  })
}

function writeNow(
  backend: Backend,
  mutations: readonly Mutation<Bytes>[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  const { servers, connection } = backend
  const replicas = asksReplicas(call) ? backend.replicas : undefined
  const dataset = replicas === undefined ? backend.dataset : { ...backend.dataset, replicas }
  if (isCluster(connection)) return writeCluster(connection, mutations, dataset, servers.nodes, call)
  call.sent = true
  if (replicas === undefined) return writeTo(connection, mutations, dataset)
  return writeReplicated(connection, mutations, { ...dataset, replicas }, call)
}
