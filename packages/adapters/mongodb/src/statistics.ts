import { type CallOptions, isStoreError, type ServerStatistics } from '@unikv/core'
import { figureOf } from '@unikv/core/adapter'
import type { Document } from 'mongodb'
import type { Backend } from './backend.ts'

/** Parts of `serverStatus` that cost something and are not looked at. */
const leftOut = { repl: 0, locks: 0, tcmalloc: 0, transactions: 0, mirroredReads: 0, metrics: 0 }

/**
 * Figures of `serverStatus`, for which a user needs the role `clusterMonitor`, and `collStats`. A user who may ask only one of them gets
 * its figures.
 */
export async function statistics<V>({ commands }: Backend<V>, call: CallOptions): Promise<ServerStatistics> {
  const { collection } = commands.target
  const asked = [{ collStats: collection }, { serverStatus: 1, ...leftOut }].map((command) =>
    commands.run(command, call, false).catch((error: unknown) => {
      if (isStoreError(error) && error.code === 'ACCESS_DENIED') return error
      throw error
    }),
  )
  const [size, status] = (await Promise.all(asked)) as [Document | Error, Document | Error]
  if (isStoreError(size) && isStoreError(status)) throw status
  return {
    ...(isStoreError(status) ? {} : ofServer(status)),
    ...(isStoreError(size) ? {} : ofCollection(size)),
  }
}

function ofCollection({ totalSize, storageSize, count }: Document): ServerStatistics {
  return { storedBytes: figureOf(totalSize ?? storageSize), records: figureOf(count), scope: 'dataset' }
}

function ofServer(status: Document): ServerStatistics {
  const { version, uptimeMillis, connections, mem, opcounters, network, wiredTiger } = status
  const current = figureOf(connections?.current)
  const available = figureOf(connections?.available)
  const resident = figureOf(mem?.resident)
  const asked = figureOf(wiredTiger?.cache?.['pages requested from the cache'])
  const cacheMisses = figureOf(wiredTiger?.cache?.['pages read into cache'])
  const operations = Object.values((opcounters ?? {}) as Document).map((count) => figureOf(count) ?? 0)
  return {
    version: typeof version === 'string' ? version : undefined,
    uptimeMs: figureOf(uptimeMillis),
    connections: current,
    maxConnections: current === undefined || available === undefined ? undefined : current + available,
    memoryBytes: resident === undefined ? undefined : resident * 1024 * 1024,
    cacheHits:
      asked === undefined || cacheMisses === undefined ? undefined : Math.max(0, asked - cacheMisses),
    cacheMisses,
    operations: operations.reduce((sum, count) => sum + count, 0),
    receivedBytes: figureOf(network?.bytesIn),
    sentBytes: figureOf(network?.bytesOut),
  }
}
