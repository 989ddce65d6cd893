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
import type { CassandraResult } from './client/cassandra-client.ts'
import { isSerialRead, readConsistency } from './client/consistency.ts'
import type { Request } from './client/execution.ts'
import { readOptions } from './client/query-options.ts'
import { rowsOf } from './client/replies.ts'
import { inTurn } from './conditions/turns.ts'
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
  const { session, settings } = backend
  const { concurrency } = settings
  if (isSerialRead(settings, call.consistency) || reads.some(looksFirst))
    return inParallel(reads, concurrency, (one) =>
      inOrder(backend, one, call).catch((error: unknown) => toStoreError(error, {})),
    )
  const { consistency } = readConsistency(settings, call.consistency)
  const requests = reads.map(({ key, head }) =>
    requestOf(backend, head === true ? 'head' : 'full', key, consistency, session.timers.next(call)),
  )
  return session.readAll(requests, call, concurrency, firstOf)
}

/** Whether a read takes more than one statement. */
function looksFirst({ head, ifNotVersion }: Read): boolean {
  return head !== true && ifNotVersion !== undefined
}

/** A serial read is a transaction too. */
function inOrder(backend: Backend, one: Read, call: CallOptions): Promise<ReadResult<Bytes>> {
  if (!isSerialRead(backend.settings, call.consistency)) return readOne(backend, one, call)
  return inTurn(backend, one.key, call, () => readOne(backend, one, call))
}

function readOne(backend: Backend, one: Read, call: CallOptions): Promise<ReadResult<Bytes>> {
  const { key, head, ifNotVersion } = one
  if (head === true) return readColumns(backend, 'head', key, call)
  return ifNotVersion === undefined
    ? readColumns(backend, 'full', key, call)
    : readChanged(backend, key, ifNotVersion, call)
}

/** A known body must not travel, and CQL has no conditional column: look first. */
async function readChanged(
  backend: Backend,
  key: string,
  ifNotVersion: string,
  call: CallOptions,
): Promise<ReadResult<Bytes>> {
  const found = await readColumns(backend, 'head', key, call)
  if (found === undefined || isStoreError(found) || found.version === ifNotVersion) return found
  return readColumns(backend, 'full', key, call)
}

/** One row, as far as it is wanted. */
export async function readColumns(
  backend: Backend,
  columns: Columns,
  key: string,
  call: CallOptions,
): Promise<ReadResult<Bytes>> {
  const { session, settings } = backend
  const { consistency } = readConsistency(settings, call.consistency)
  const request = requestOf(backend, columns, key, consistency, session.timers.next(call))
  return firstOf(await session.read(request, call))
}

function requestOf(
  { statements, routing }: Backend,
  columns: Columns,
  key: string,
  consistency: number,
  readTimeout: number,
): Request {
  const partition = Buffer.from(key)
  const options = readOptions({ consistency, routingKey: routing(partition) }, readTimeout)
  return { cql: statements.read[columns], params: [partition], options }
}

function firstOf(answer: CassandraResult): ReadResult<Bytes> {
  const rows = rowsOf(answer, 1)
  if (isStoreError(rows)) return rows
  const [row] = rows
  return row === undefined ? undefined : resultOf(row as Row)
}
