import type { Awaitable, GroupCall, GroupChange, Groups } from '@unikv/core'
import { type Call, isOutcomeUnknown, isStoreError, StoreError } from '@unikv/core/adapter'
import type { AnyEntityType } from '../definition/entity-type.ts'
import { counterOf, nextNumber } from '../layout/counter.ts'
import type { Outcome, Runner, RunPlan } from './runner.ts'
import { Workspace } from './workspace.ts'

/** The work of a small transaction: it reads by key, and answers with its changes. */
export type SmallChange = (space: Workspace) => Awaitable<readonly GroupChange[]>

/** Runs a transaction of the database itself on another group, again where it loses a conflict. */
export type Transact = (group: string, call: Call, change: SmallChange) => Promise<void>

/**
 * Small transactions over these groups, counted by this runner as no transactions of the application. One whose fate is lost is run again: a number may be left
 * out, and what is added or removed twice is as it should be.
 */
export function smallTransactions(groups: Groups, runner: Runner, plan: RunPlan): Transact {
  return async (group, call, change) => {
    let lost: StoreError | undefined
    const attempt = async (): Promise<Outcome<undefined>> => {
      try {
        return await attemptChange(groups, group, call, change)
      } catch (error) {
        if (!isOutcomeUnknown(error)) throw error
        lost = error
        return { committed: false }
      }
    }
    try {
      await runner.run(attempt, call, plan)
    } catch (error) {
      if (lost === undefined || !isStoreError(error) || error.code !== 'OVERLOADED') throw error
      throw stepLost(lost)
    }
  }
}

/** The policy gave up. The transaction that wants the number or the entry has changed nothing. */
function stepLost(cause: StoreError): StoreError {
  const message =
    'Replies of the store to a number or an entry of an index were lost, before the transaction changed anything. Try again.'
  return new StoreError('UNAVAILABLE', message, { cause })
}

/** Take the next number of a counter outside of groups: from 1. */
export async function takeNumber(
  transact: Transact,
  type: AnyEntityType,
  counter: string,
  call: Call,
): Promise<number> {
  let number = 0
  await transact(counter, call, async (space) => {
    number = nextNumber(type, await space.get('n'))
    return [{ key: 'n', value: counterOf(number) }]
  })
  return number
}

async function attemptChange(
  groups: Groups,
  group: string,
  call: GroupCall,
  change: SmallChange,
): Promise<Outcome<undefined>> {
  const space = await Workspace.open(groups, group, call)
  let changes: readonly GroupChange[]
  try {
    changes = await change(space)
  } catch (error) {
    await space.rollback()
    if (space.hasLost) return { committed: false }
    throw error
  }
  return (await space.commit(changes)) ? { committed: true, result: undefined } : { committed: false }
}
