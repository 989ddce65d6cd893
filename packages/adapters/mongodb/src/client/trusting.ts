import { isUntrusted, unreachable } from '@unikv/core/adapter'
import { AbortController, AbortSignal } from '@unikv/core/platform'
import type { MongoClient, ServerHeartbeatFailedEvent } from 'mongodb'
import { rootCause } from '../errors.ts'
import { secretsOf } from './mongodb-client.ts'

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
  const onFailed = ({ connectionId, failure }: ServerHeartbeatFailedEvent): void => {
    const causes = [failure, ...failuresOfOthers(client, connectionId)].map((one) =>
      rootCause(one, secretsOf(client)),
    )
    if (causes.every(isUntrusted)) distrust.abort(unreachable(`MongoDB at ${connectionId}`, causes[0]))
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

/** Errors of the other servers that the driver knows, seeds and members; `null`: one did not fail. Reads an undocumented member. */
function failuresOfOthers(client: MongoClient, address: string): readonly unknown[] {
  const { topology } = client as { readonly topology?: Topology | undefined }
  const servers = [...(topology?.description.servers.values() ?? [])]
  return servers.filter((one) => one.address !== address).map(({ error }) => error)
}

interface Topology {
  readonly description: {
    readonly servers: ReadonlyMap<string, { readonly address: string; readonly error: Error | null }>
  }
}
