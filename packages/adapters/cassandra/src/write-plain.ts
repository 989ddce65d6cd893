import {
  type Bytes,
  type CallOptions,
  isStoreError,
  type Mutation,
  type SetMutation,
  type WriteResult,
} from '@unikv/core'
import { versionBytes } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { writeConsistency } from './consistency.ts'
import { readColumns } from './read.ts'
import { expiryColumn, secondsToLive } from './row.ts'
import type { PlainStatements } from './statements.ts'
import { nextTimestamp } from './timestamps.ts'

/**
 * One mutation by a plain write. The later timestamp wins, and timestamps are of this process's clock, so that what one
 * process writes one after the other takes effect in this order.
 */
export async function writePlain(
  backend: Backend<PlainStatements>,
  mutation: Mutation<Bytes>,
  call: CallOptions,
): Promise<WriteResult> {
  const { statements } = backend
  const { key, version } = mutation
  if (mutation.type !== 'set') await run(backend, statements.delete, [Buffer.from(key)], call)
  else {
    const { expiresAt } = mutation
    const end = expiresAt === 'keep' ? await expiryOf(backend, key, call) : expiresAt
    await run(backend, statements.set, rowOf(mutation, end), call)
  }
  return { version }
}

function rowOf(
  { key, value, version }: SetMutation<Bytes>,
  expiresAt: number | undefined,
): readonly unknown[] {
  return [Buffer.from(key), versionBytes(version), expiryColumn(expiresAt), value, secondsToLive(expiresAt)]
}

/** The expiry that the record has now. A write that comes between this and ours is lost to ours, expiry and all. */
async function expiryOf(
  backend: Backend<PlainStatements>,
  key: string,
  call: CallOptions,
): Promise<number | undefined> {
  const found = await readColumns(backend, 'head', key, call)
  return found === undefined || isStoreError(found) ? undefined : found.expiresAt
}

function run(
  { session, settings }: Backend,
  cql: string,
  params: readonly unknown[],
  call: CallOptions,
): Promise<unknown> {
  const { consistency } = writeConsistency(settings, call.consistency)
  return session.write({ cql, params, options: { consistency, timestamp: nextTimestamp() } }, call)
}
