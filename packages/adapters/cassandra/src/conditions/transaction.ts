import { type Bytes, type CallOptions, type Entry, isStoreError, type NotModified } from '@unikv/core'
import { bufferOf, versionBytes } from '@unikv/core/adapter'
import type { Backend } from '../backend.ts'
import { wantsMoreThanQuorum, writeConsistency } from '../client/consistency.ts'
import { writeOptions } from '../client/query-options.ts'
import { decisionOf } from '../client/replies.ts'
import { readColumns } from '../read.ts'
import { expiryColumn, secondsToLive } from '../row.ts'
import type { Columns, Condition, ConditionalStatements } from '../statements.ts'

/** A backend of a table with conditions. */
export type Conditional = Backend<ConditionalStatements>

/** A live record, as far as it was looked at. */
export type Found = Entry<Bytes> | NotModified | undefined

/** A row to write. */
export interface NewRow {
  readonly key: string
  readonly version: string
  readonly value: Bytes
  readonly expiresAt: number | undefined
}

/** The outcome of a transaction: whether it took effect, or the version that stood against it. */
export interface Answer {
  readonly applied: boolean
  readonly version: Buffer | undefined
}

const applied: Answer = Object.freeze({ applied: true, version: undefined })

/**
 * Replace a row under a condition; `known` is what it compares with, the version first.
 *
 * @throws {StoreError} `OUTCOME_UNKNOWN` if neither the replicas nor the row tell what became of it
 */
export function replaceIf(
  backend: Conditional,
  row: NewRow,
  condition: Condition,
  known: readonly unknown[],
  call: CallOptions,
): Promise<Answer> {
  const { key, version, value, expiresAt } = row
  const columns = [secondsToLive(expiresAt), versionBytes(version), expiryColumn(expiresAt), bufferOf(value)]
  const partition = Buffer.from(key)
  const params = [...columns, partition, ...known]
  const cql = backend.statements.set[condition]
  const [asked] = known
  return settled(backend, key, call, () => transact(backend, cql, params, partition, call), {
    took: (found) => found?.version === version && sameExpiry(found.expiresAt, expiresAt),
    left: (found) => isVersion(found, asked) && found?.version !== version,
  })
}

/**
 * Delete a row: any, or the live one of this version.
 *
 * @throws {StoreError} as `replaceIf`
 */
export function deleteIf(
  backend: Conditional,
  key: string,
  version: Buffer | undefined,
  call: CallOptions,
): Promise<Answer> {
  const cql = backend.statements.delete[version === undefined ? 'exists' : 'version']
  const partition = Buffer.from(key)
  const params = version === undefined ? [partition] : [partition, version]
  return settled(backend, key, call, () => transact(backend, cql, params, partition, call), {
    took: () => false,
    left: (found) => isVersion(found, version),
  })
}

/** The live record as all replicas agree on it, for any level of the call: it decides a write. */
export async function look(
  backend: Conditional,
  columns: Columns,
  key: string,
  call: CallOptions,
): Promise<Found> {
  const strong = { deadlineAt: call.deadlineAt, signal: call.signal, consistency: 'strong' }
  const found = await readColumns(backend, columns, key, strong)
  if (isStoreError(found)) throw found
  return found
}

/** Signs in a record of the outcome of a transaction whose answer tells nothing. */
interface Signs {
  /** It took effect. */
  readonly took: (found: Found) => boolean
  /** The record that it would have replaced is still there. */
  readonly left: (found: Found) => boolean
}

/**
 * Replicas that were hindered by other transactions may not know what became of one. A serial read ends what is under
 * way, and then the record often tells. Only what a node has given up for certain is made again: a request whose
 * connection broke may still be waiting in its node.
 */
async function settled(
  backend: Conditional,
  key: string,
  call: CallOptions,
  run: () => Promise<Answer>,
  { took, left }: Signs,
): Promise<Answer> {
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (!isStoreError(error) || error.code !== 'OUTCOME_UNKNOWN') throw error
      // A serial read shows what a quorum has, not that all have it who were asked for.
      if (wantsMoreThanQuorum(backend.settings, call.consistency)) throw error
      const found = await look(backend, 'head', key, call).catch(() => undefined)
      if (took(found)) return applied
      const { code } = (error.cause ?? {}) as { readonly code?: unknown }
      if (typeof code !== 'number' || !left(found)) throw error
    }
  }
}

async function transact(
  { session, routing, settings }: Conditional,
  cql: string,
  params: readonly unknown[],
  partition: Buffer,
  call: CallOptions,
): Promise<Answer> {
  const levels = writeConsistency(settings, call.consistency)
  const options = writeOptions({ ...levels, routingKey: routing(partition) }, session.timers.next(call))
  const row = decisionOf(await session.write({ cql, params, options }, call))
  if (row['[applied]']) return applied
  // A transaction without effect is as good as not sent.
  call.sent = false
  return { applied: false, version: Buffer.isBuffer(row.version) ? row.version : undefined }
}

function isVersion(found: Found, version: unknown): boolean {
  return Buffer.isBuffer(version) && found?.version === version.toString('hex')
}

function sameExpiry(one: number | undefined, other: number | undefined): boolean {
  return expiryColumn(one).getTime() === expiryColumn(other).getTime()
}
