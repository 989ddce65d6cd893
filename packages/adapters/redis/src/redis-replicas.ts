import {
  type Bytes,
  type CallOptions,
  isStoreError,
  type Mutation,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import type { Lane } from './lane.ts'
import { callBuffer, type RedisConnection } from './redis-client.ts'
import { isReady } from './redis-connection.ts'
import type { Replicas } from './redis-options.ts'
import { writeTo } from './redis-write.ts'

/** Whether this call asks that replicas acknowledge. */
export function asksReplicas({ consistency }: CallOptions): boolean {
  return consistency === 'replicated'
}

/**
 * Write, then have the server wait until replicas acknowledge. What they did not acknowledge in time stands on the
 * primary and may be lost with it: `OUTCOME_UNKNOWN`, since nothing must do it again blindly. Never rejects.
 *
 * @see https://redis.io/docs/latest/commands/wait/
 */
export async function writeReplicated(
  connection: RedisConnection,
  mutations: readonly Mutation<Bytes>[],
  lane: Lane & { readonly replicas: Replicas },
  { deadlineAt }: CallOptions,
): Promise<readonly WriteResult[]> {
  const { stream } = connection
  const results = await writeTo(connection, mutations, lane)
  if (!results.some(tookEffect)) return results
  // WAIT speaks of the writes of its own connection: another one knows nothing of these.
  const acknowledged =
    isReady(connection) && connection.stream === stream
      ? await wait(connection, lane.replicas, deadlineAt)
      : 0
  return acknowledged >= lane.replicas.wait
    ? results
    : results.map((result) => unreplicated(result, acknowledged))
}

/** What is left of a result where replicas are not known to have it. */
export function unreplicated(result: WriteResult, acknowledged: number): WriteResult {
  if (!tookEffect(result)) return result
  return new StoreError(
    'OUTCOME_UNKNOWN',
    `The write took effect on the primary, but in time only ${acknowledged} replicas acknowledged it: it may be lost with the primary.`,
    { version: result.version },
  )
}

/** How many replicas have the writes of this connection. */
async function wait(
  connection: RedisConnection,
  { wait: count, timeoutMs = 1_000 }: Replicas,
  deadlineAt: number,
): Promise<number> {
  // 0 would be for ever.
  const patienceMs = Math.max(1, Math.floor(Math.min(timeoutMs, deadlineAt - performance.now())))
  try {
    return Number(await callBuffer(connection, 'wait', [String(count), String(patienceMs)]))
  } catch {
    return 0
  }
}

function tookEffect(result: WriteResult): result is Exclude<WriteResult, StoreError> & { version: string } {
  return !isStoreError(result) && !('conditionFailed' in result)
}
