import { type GroupCall, isStoreError, type StoreError } from '@unikv/core'
import { endOf } from '@unikv/core/adapter'
import { pause } from '@unikv/core/platform'
import type { Connections } from '../client/connections.ts'
import type { GroupStatements } from './group-statements.ts'

/** A transaction as the server knows it: its number, the process that runs it, and when the server started. */
export type CommitIdentity = readonly [transaction: string, process: string, startedAt: string]

/** Between two questions. */
const pauseMs = 20

/**
 * Whether a transaction was committed whose answer was lost. One that still goes on is ended: its connection is lost, so that its
 * commit may never come.
 *
 * @param lost the error without the answer
 * @throws {StoreError} `OUTCOME_UNKNOWN` if it cannot be told before the call ends: the server does not answer, or was started again
 */
export async function fateOf(
  connections: Connections,
  { fate }: GroupStatements,
  named: CommitIdentity,
  call: GroupCall,
  lost: StoreError,
): Promise<boolean> {
  while (endOf(call, true) === undefined) {
    const answer = await asked(connections, fate, named, call)
    if (answer !== undefined) {
      const [isSameServer, status] = answer
      // After a crash the number may be that of another transaction.
      if (isSameServer !== 't') throw lost
      if (status === 'committed') return true
      if (status === 'aborted') return false
    }
    await pause(pauseMs)
  }
  throw lost
}

async function asked(
  connections: Connections,
  fate: GroupStatements['fate'],
  named: CommitIdentity,
  { deadlineAt, signal }: GroupCall,
): Promise<readonly (string | null)[] | undefined> {
  try {
    const [row] = await connections.execute(fate, named, { deadlineAt, signal }, false)
    return row
  } catch (error) {
    if (isStoreError(error) && error.retryable) return undefined
    throw error
  }
}
