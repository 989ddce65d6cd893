import {
  type Bytes,
  type CallOptions,
  isStoreError,
  type Mutation,
  type SetMutation,
  type WriteResult,
} from '@unikv/core'
import type { Backend } from './backend.ts'
import { writeConsistency } from './client/consistency.ts'
import type { Request } from './client/execution.ts'
import { writeOptions } from './client/query-options.ts'
import { isDone, odd } from './client/replies.ts'
import { readColumns } from './read.ts'
import { recordBytes } from './record-bytes.ts'
import { secondsToLive } from './row.ts'
import type { PlainStatements } from './statements.ts'
import { nextTimestamp } from './timestamps.ts'

type Plain = Backend<PlainStatements>

/**
 * Mutations by a plain write each. The later timestamp wins, and timestamps are of this process's clock, so that what one
 * process writes one after the other takes effect in this order. The caller's own values are not looked at again.
 */
export function writePlain(
  backend: Plain,
  mutations: readonly Mutation<Bytes>[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  const { session, settings } = backend
  const { consistency } = writeConsistency(settings, call.consistency)
  const requests = mutations.map((mutation) =>
    requestOf(backend, mutation, consistency, session.timers.next(call)),
  )
  return session.writeAll(
    requests,
    call,
    settings.concurrency,
    (answer, i): WriteResult =>
      isDone(answer) ? { version: (mutations[i] as Mutation<Bytes>).version } : odd(true),
  )
}

/** Whether the expiry that a record has now must be read first. */
export function keepsExpiry(mutation: Mutation<Bytes>): mutation is SetMutation<Bytes> {
  return mutation.type === 'set' && mutation.expiresAt === 'keep'
}

/** Replace a record, but not its expiry. A write that comes between is lost to this one, expiry and all. */
export async function writeKeeping(
  backend: Plain,
  mutation: SetMutation<Bytes>,
  call: CallOptions,
): Promise<WriteResult> {
  const found = await readColumns(backend, 'head', mutation.key, call)
  const expiresAt = found === undefined || isStoreError(found) ? undefined : found.expiresAt
  const [result] = await writePlain(backend, [{ ...mutation, expiresAt }], call)
  return result as WriteResult
}

function requestOf(
  { statements: { set, setExpiring, delete: remove }, routing }: Plain,
  mutation: Mutation<Bytes>,
  consistency: number,
  readTimeout: number,
): Request {
  const key = Buffer.from(mutation.key)
  const particulars = { consistency, routingKey: routing(key), timestamp: nextTimestamp() }
  const options = writeOptions(particulars, readTimeout)
  if (mutation.type !== 'set') return { cql: remove, params: [key], options }
  const expiresAt = mutation.expiresAt as number | undefined
  const seconds = secondsToLive(expiresAt)
  const record = recordBytes(mutation, expiresAt)
  return seconds === 0
    ? { cql: set, params: [key, record], options }
    : { cql: setExpiring, params: [key, record, seconds], options }
}
