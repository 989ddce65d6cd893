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
  if (mutation.type !== 'set') await run(backend, statements.delete, [Buffer.from(mutation.key)], call)
  else await run(backend, statements.set, await rowOf(backend, mutation, call), call)
  return { version: mutation.version }
}

async function rowOf(
  backend: Backend<PlainStatements>,
  { key, value, version, expiresAt }: SetMutation<Bytes>,
  call: CallOptions,
): Promise<readonly unknown[]> {
  const end = expiresAt === 'keep' ? await expiryOf(backend, key, call) : expiresAt
  return [Buffer.from(key), versionBytes(version), expiryColumn(end), value, secondsToLive(end)]
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

async function run(
  { session, settings }: Backend,
  cql: string,
  params: readonly unknown[],
  call: CallOptions,
): Promise<void> {
  const consistency = writeConsistency(settings, call.consistency)
  await session.write({ cql, params, options: { ...consistency, timestamp: nextTimestamp() } }, call)
}
