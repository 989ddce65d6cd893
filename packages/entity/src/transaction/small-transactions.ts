import {
  type Awaitable,
  type GroupCall,
  type GroupChange,
  type Groups,
  isStoreError,
  StoreError,
} from '@unikv/core'
import { type Call, endOf } from '@unikv/core/adapter'
import type { AnyEntityType } from '../definition/entity-type.ts'
import { counterOf, nextNumber } from '../layout/counter.ts'
import type { Outcome, Runner, RunPlan } from './runner.ts'
import { Workspace } from './workspace.ts'

/** The work of a small transaction: it reads by key, and answers with its changes. */
export type SmallChange = (space: Workspace) => Awaitable<readonly GroupChange[]>

/** Runs a transaction of the database itself on another group, again where it loses a conflict. */
export type Transact = (group: string, call: Call, change: SmallChange) => Promise<void>

/** Small transactions over these groups, counted by this runner as no transactions of the application. */
export function smallTransactions(groups: Groups, runner: Runner, plan: RunPlan): Transact {
  return async (group, call, change) => {
    try {
      await runner.run(() => attemptChange(groups, group, call, change), call, plan)
    } catch (error) {
      if (!isStoreError(error) || error.code !== 'OUTCOME_UNKNOWN') throw error
      throw endOf(call, false) ?? stepLost(error)
    }
  }
}

/** The fate of a number or an entry does not matter: the transaction that wants it has changed nothing. */
function stepLost(cause: StoreError): StoreError {
  const message =
    'The reply of the store to a number or an entry of an index was lost, before the transaction changed anything. Try again.'
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
