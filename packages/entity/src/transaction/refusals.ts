import { StoreError } from '@unikv/core'
import type { AnyEntityType } from '../definition/entity-type.ts'

/** Refusal of a second entity with one id. */
export function exists({ name }: AnyEntityType): StoreError {
  return new StoreError('CONDITION_FAILED', `There is already a ${name} with this id.`, {
    operation: 'create',
  })
}

/** Refusal of an entity whose number names its group. */
export function numberedFirst({ name, generated }: AnyEntityType): StoreError {
  const message = `The generated \`${generated}\` of ${name} names its group, so a transaction on a group cannot create one. Use create() of the database.`
  return new StoreError('INVALID_ARGUMENT', message, { operation: 'create' })
}

/** Refusal of a change to what is not there. */
export function missing({ name }: AnyEntityType): StoreError {
  return new StoreError('CONDITION_FAILED', `There is no ${name} with this id. Use create() for a new one.`, {
    operation: 'update',
  })
}
