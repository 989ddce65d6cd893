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
export function writePlain(
  backend: Backend<PlainStatements>,
  mutation: Mutation<Bytes>,
  call: CallOptions,
): Promise<WriteResult> {
  const { statements } = backend
  const { key, version } = mutation
  if (mutation.type !== 'set') return run(backend, statements.delete, [Buffer.from(key)], version, call)
  const { expiresAt } = mutation
  return expiresAt === 'keep'
    ? keep(backend, mutation, call)
    : run(backend, statements.set, rowOf(mutation, expiresAt), version, call)
}

async function keep(
  backend: Backend<PlainStatements>,
  mutation: SetMutation<Bytes>,
  call: CallOptions,
): Promise<WriteResult> {
  const end = await expiryOf(backend, mutation.key, call)
  return run(backend, backend.statements.set, rowOf(mutation, end), mutation.version, call)
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
  version: string,
  call: CallOptions,
): Promise<WriteResult> {
  const { consistency } = writeConsistency(settings, call.consistency)
  const options = { consistency, timestamp: nextTimestamp() }
  return session.write({ cql, params, options }, call, () => ({ version }))
}
