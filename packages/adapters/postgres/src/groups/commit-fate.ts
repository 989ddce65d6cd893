import type { GroupCall, StoreError } from '@unikv/core'
import { type Fate, settled } from '@unikv/core/adapter'
import type { Connections } from '../client/connections.ts'
import type { GroupStatements } from './group-statements.ts'

/** A transaction as the server knows it: its number, the process that runs it, and when the server started. */
export type CommitIdentity = readonly [transaction: string, process: string, startedAt: string]

/**
 * Whether a transaction was committed whose answer was lost. One that still goes on is ended: its connection is lost, so that its
 * commit may never come.
 *
 * @param lost the error without the answer
 * @throws {StoreError} `OUTCOME_UNKNOWN` if it cannot be told before the call ends: the server does not answer, or was started again
 */
export function fateOf(
  connections: Connections,
  { fate }: GroupStatements,
  named: CommitIdentity,
  call: GroupCall,
  lost: StoreError,
): Promise<boolean> {
  const { deadlineAt, signal } = call
  return settled(call, lost, async (): Promise<Fate> => {
    const [row] = await connections.execute(fate, named, { deadlineAt, signal }, false)
    const [isSameServer, status] = row ?? []
    // After a crash the number may be that of another transaction.
    if (isSameServer !== 't') return 'forgotten'
    if (status === 'committed') return 'committed'
    return status === 'aborted' ? 'not committed' : 'too early'
  })
}
