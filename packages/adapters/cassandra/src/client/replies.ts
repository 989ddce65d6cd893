import type { StoreError } from '@unikv/core'
import { unanswered } from '@unikv/core/adapter'
import type { CassandraResult } from './cassandra-client.ts'

// Which answers to its statements the store understands. Everything else is an error: an answer to another statement must
// never make a miss or a success.

/** The rows of a read, at most `most` of them. */
export function rowsOf({ rows }: CassandraResult, most: number): readonly object[] | StoreError {
  return Array.isArray(rows) && rows.length <= most ? rows : odd(false)
}

/** Whether a write that gives no rows was answered as such. */
export function isDone({ rows }: CassandraResult): boolean {
  return rows === undefined || rows === null || (Array.isArray(rows) && rows.length === 0)
}

/** Whether a transaction was applied, as its row says. */
export interface Decision {
  readonly '[applied]': boolean
  readonly version?: unknown
}

/** The one row of a transaction. @throws {StoreError} `OUTCOME_UNKNOWN` */
export function decisionOf({ rows }: CassandraResult): Decision {
  const [row] = Array.isArray(rows) && rows.length === 1 ? (rows as readonly Partial<Decision>[]) : []
  if (typeof row?.['[applied]'] !== 'boolean') throw odd(true)
  return row as Decision
}

/** The error of an answer that is not one to the statement. */
export function odd(isWrite: boolean): StoreError {
  const cause = new Error('The answer does not match this statement. Check what answers at this address.')
  return unanswered('Cassandra', isWrite, cause)
}
