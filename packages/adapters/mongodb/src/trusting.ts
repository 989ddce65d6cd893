import { isUntrusted, unreachable } from '@unikv/core/adapter'
import type { MongoClient, ServerHeartbeatFailedEvent } from 'mongodb'
import { secretsOf, whereOf } from './mongodb-client.ts'
import { rootCause } from './mongodb-errors.ts'

/**
 * Do `work` by a client that has yet to find its servers, and end it as soon as every one of them has failed by TLS: the
 * driver would go on trying as long as it may wait for a server.
 *
 * @throws {StoreError} `UNAVAILABLE` that no repetition mends, and what `work` throws
 */
export async function trusting<T>(
  client: MongoClient,
  closing: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const distrust = new AbortController()
  const untrusted = new Set<string>()
  const onFailed = ({ connectionId, failure }: ServerHeartbeatFailedEvent): void => {
    const cause = rootCause(failure, secretsOf(client))
    if (!isUntrusted(cause)) return
    untrusted.add(connectionId)
    if (untrusted.size >= client.options.hosts.length)
      distrust.abort(unreachable(`MongoDB at ${whereOf(client)}`, cause))
  }
  client.on('serverHeartbeatFailed', onFailed)
  try {
    return await work(AbortSignal.any([closing, distrust.signal]))
  } catch (error) {
    throw distrust.signal.aborted ? distrust.signal.reason : error
  } finally {
    client.off('serverHeartbeatFailed', onFailed)
  }
}
