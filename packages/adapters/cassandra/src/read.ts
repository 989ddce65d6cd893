import {
  type Bytes,
  type CallOptions,
  isStoreError,
  type Read,
  type ReadResult,
  toStoreError,
} from '@unikv/core'
import { inParallel } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { readConsistency } from './consistency.ts'
import { type Row, resultOf } from './row.ts'
import type { Columns } from './statements.ts'

/**
 * Read keys, each by its own statement: every one goes to a node that has it. (One statement with `IN` makes its
 * coordinator ask the others, and fails as a whole.)
 */
export function read(
  backend: Backend,
  reads: readonly Read[],
  call: CallOptions,
): Promise<readonly ReadResult<Bytes>[]> {
  return inParallel(reads, backend.settings.concurrency, (one) =>
    readOne(backend, one, call).catch((error: unknown) => toStoreError(error, {})),
  )
}

async function readOne(
  backend: Backend,
  { key, head, ifNotVersion }: Read,
  call: CallOptions,
): Promise<ReadResult<Bytes>> {
  if (head === true) return readColumns(backend, 'head', key, call)
  if (ifNotVersion !== undefined) {
    // A known body must not travel, and CQL has no conditional column: look first.
    const found = await readColumns(backend, 'head', key, call)
    if (found === undefined || isStoreError(found) || found.version === ifNotVersion) return found
  }
  return readColumns(backend, 'full', key, call)
}

/** One row, as far as it is wanted. */
export async function readColumns(
  { session, statements, settings }: Backend,
  columns: Columns,
  key: string,
  call: CallOptions,
): Promise<ReadResult<Bytes>> {
  const cql = statements.read[columns]
  const consistency = readConsistency(settings, call.consistency)
  const { rows = [] } = await session.read({ cql, params: [Buffer.from(key)], consistency }, call)
  const [row] = rows
  return row === undefined ? undefined : resultOf(row as Row)
}
