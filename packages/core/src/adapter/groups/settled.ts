import type { Awaitable } from '../../contract/awaitable.ts'
import { endOf } from '../../contract/call.ts'
import { isStoreError, type StoreError } from '../../contract/errors.ts'
import type { GroupCall } from '../../contract/groups.ts'
import { pause } from '../../platform/timers.ts'

/** Between two questions. */
const pauseMs = 20

/** The fate of a commit: it took effect or not; the store has forgotten it; or the answer is older than the commit, and cannot know. */
export type Fate = 'committed' | 'not committed' | 'forgotten' | 'too early'

/**
 * Whether a commit took effect whose answer was lost. The store is asked until it can tell, or the call ends; a question that the network or the server cannot
 * take now is asked again.
 *
 * Only a trace of a commit tells its fate. That its group is not there tells nothing: it looks the same before the commit, and after others have emptied and swept it.
 *
 * @param lost the error without the answer
 * @throws {StoreError} `lost` if it cannot be told
 */
export async function settled(
  call: GroupCall,
  lost: StoreError,
  ask: () => Awaitable<Fate>,
): Promise<boolean> {
  while (endOf(call, true) === undefined) {
    const fate = await asked(ask)
    if (fate === 'forgotten') break
    if (fate !== 'too early') return fate === 'committed'
    await pause(pauseMs, { signal: call.signal })
  }
  throw lost
}

async function asked(ask: () => Awaitable<Fate>): Promise<Fate> {
  try {
    return await ask()
  } catch (error) {
    const isPassing = isStoreError(error) && (error.retryable || error.code === 'OUTCOME_UNKNOWN')
    return isPassing ? 'too early' : 'forgotten'
  }
}

/** Whether an error leaves open if a commit took effect. */
export function isOutcomeUnknown(error: unknown): error is StoreError {
  return isStoreError(error) && error.code === 'OUTCOME_UNKNOWN'
}
