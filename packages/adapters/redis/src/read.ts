import type { Bytes, CallOptions, Read, ReadResult } from '@unikv/core'
import type { Backend } from './backend.ts'
import { isCluster } from './client/redis-client.ts'
import { readCluster } from './cluster/redis-cluster.ts'
import { readFrom } from './server/read.ts'

/** Read keys at once, or when the client is connected. */
export function read(
  backend: Backend,
  reads: readonly Read[],
  call: CallOptions,
): Promise<readonly ReadResult<Bytes>[]> {
  const { servers, connection } = backend
  if (servers.isReady(connection, call)) return readNow(backend, reads)
  return servers.ready(connection, call).then(() => readNow(backend, reads))
}

function readNow(
  { connection, dataset }: Backend,
  reads: readonly Read[],
): Promise<readonly ReadResult<Bytes>[]> {
  return isCluster(connection)
    ? readCluster(connection, reads, dataset)
    : readFrom(connection, reads, dataset)
}
