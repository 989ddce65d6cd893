import type { Bytes, CallOptions, Mutation, WriteResult } from '@unikv/core'
import { isStoreError, StoreError } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { callBuffer, type RedisConnection } from '../client/redis-client.ts'
import { isReady } from '../client/redis-connection.ts'
import { countOf, drop, UnexpectedReply } from '../client/replies.ts'
import type { Dataset } from '../dataset.ts'
import { translate } from '../errors.ts'
import type { RedisSettings } from '../options.ts'
import { writeTo } from './write.ts'

type Replicas = NonNullable<RedisSettings['replicas']>

const mostReplicas = 1_000_000

/** Whether this call asks that replicas acknowledge. */
export function asksReplicas({ consistency }: CallOptions): boolean {
  return consistency === 'replicated'
}

/**
 * Write, then have the server wait until replicas acknowledge. A write that they did not acknowledge in time is on the
 * primary and may be lost with it: `OUTCOME_UNKNOWN`, since nothing must do it again blindly. Never rejects.
 *
 * @see https://redis.io/docs/latest/commands/wait/
 */
export async function writeReplicated(
  connection: RedisConnection,
  mutations: readonly Mutation<Bytes>[],
  dataset: Dataset & { readonly replicas: Replicas },
  { deadlineAt }: CallOptions,
): Promise<readonly WriteResult[]> {
  const { stream } = connection
  const results = await writeTo(connection, mutations, dataset)
  if (!results.some(tookEffect)) return results
  // WAIT speaks of the writes of its own connection: another one knows nothing of these.
  const acknowledged =
    isReady(connection) && connection.stream === stream
      ? await wait(connection, dataset.replicas, deadlineAt)
      : 0
  return isStoreError(acknowledged) || acknowledged < dataset.replicas.wait
    ? results.map((result) => unreplicated(result, acknowledged))
    : results
}

/** Result of a write that replicas are not known to have. */
export function unreplicated(result: WriteResult, acknowledged: number | StoreError): WriteResult {
  if (!tookEffect(result)) return result
  const why = isStoreError(acknowledged)
    ? 'the server did not say how many replicas acknowledged it'
    : `in time only ${acknowledged} replicas acknowledged it`
  return new StoreError(
    'OUTCOME_UNKNOWN',
    `The write took effect on the primary, but ${why}: it may be lost with the primary.`,
    { version: result.version, cause: isStoreError(acknowledged) ? acknowledged : undefined },
  )
}

/** How many replicas have the writes of this connection, or why that is not known. */
async function wait(
  connection: RedisConnection,
  { wait: count, timeoutMs }: Replicas,
  deadlineAt: number,
): Promise<number | StoreError> {
  // 0 would be for ever.
  const patienceMs = Math.max(1, Math.floor(Math.min(timeoutMs, deadlineAt - performance.now())))
  try {
    return countOf(await callBuffer(connection, 'wait', [String(count), String(patienceMs)]), mostReplicas)
  } catch (error) {
    if (error instanceof UnexpectedReply) drop(connection)
    return translate(error, false)
  }
}

function tookEffect(result: WriteResult): result is Exclude<WriteResult, StoreError> & { version: string } {
  return !isStoreError(result) && !('conditionFailed' in result)
}
