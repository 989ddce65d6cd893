import { StoreError } from '@unikv/core/adapter'
import type { AnyEntityType } from '../definition/entity-type.ts'

/** Refusal of a second entity with one id. */
export function exists({ name }: AnyEntityType): StoreError {
  return new StoreError(
    'CONDITION_FAILED',
    `There is already ${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name} with this id. Use update() to replace it.`,
    {
      operation: 'create',
    },
  )
}

/** Refusal of an entity whose number names its group. */
export function numberedFirst({ name, generated }: AnyEntityType): StoreError {
  const message = `The generated \`${generated}\` of ${name} names its group, so a transaction on a group cannot create one. Use create() of the database, or run() over a list of groups.`
  return new StoreError('INVALID_ARGUMENT', message, { operation: 'create' })
}

/** Refusal of an entity in a group that the transaction is not on. */
export function notInGroup(operation: string, type: AnyEntityType, areSeveral: boolean): StoreError {
  const { name, groupBy } = type
  const message = areSeveral
    ? `This ${name} is in none of the groups of the transaction. Name its group in the list of run(): ${type.root}.group() with its ${groupBy.join(', ')}.`
    : `This ${name} is not in the group of the transaction: its ${groupBy.join(', ')} ${groupBy.length === 1 ? 'differs' : 'differ'}. Run another transaction for it, or one over a list of groups.`
  return new StoreError('INVALID_ARGUMENT', message, { operation })
}

/** Refusal of a change to what is not there. */
export function missing({ name }: AnyEntityType): StoreError {
  return new StoreError('CONDITION_FAILED', `There is no ${name} with this id. Use create() for a new one.`, {
    operation: 'update',
  })
}

/** Refusal of a call after the end of its transaction. */
export function afterEnd(operation: string): StoreError {
  const message = `tx.${operation}() was called after the end of its transaction. Await every call inside the function of run().`
  return new StoreError('INVALID_ARGUMENT', message, { operation })
}

/** Refusal of a call that was under way when its transaction ended. */
export function endedBefore(operation: string): StoreError {
  const message = `The transaction ended before tx.${operation}() did, which changed nothing. Await every call inside the function of run().`
  return new StoreError('INVALID_ARGUMENT', message, { operation })
}

/** Refusal of a transaction whose function did not wait for its own calls: changes would be left out. */
export function unfinished(): StoreError {
  const message =
    'The function of run() ended while calls of its transaction were under way, so nothing was changed. Await every call inside it.'
  return new StoreError('INVALID_ARGUMENT', message, { operation: 'run' })
}
