import { kindOf, StoreError } from '@unikv/core/adapter'
import type { EntityType, Group } from '../definition/entity-type.ts'
import { isKeyPart } from '../definition/key-parts.ts'
import type { Types } from '../layout/types.ts'

/** @throws {StoreError} `INVALID_ARGUMENT` if it is neither a group of a type of this database nor a list of such groups */
export function checkGroups(given: unknown, types: Types): void {
  if (!Array.isArray(given)) return checkGroup(given, types)
  for (const group of given) checkGroup(group, types)
  if (given.length > 0) return
  const message = 'The list of groups of run() is empty: name those that change together.'
  throw new StoreError('INVALID_ARGUMENT', message, { operation: 'run' })
}

function checkGroup(group: unknown, types: Types): void {
  const { root, id } = Object(group) as Partial<Group>
  if (typeof root !== 'string' || !Array.isArray(id)) {
    const message = `run() takes a group such as Bid.group({ sellerId: 7, itemNo: 3 }), got ${kindOf(group)}.`
    throw new StoreError('INVALID_ARGUMENT', message, { operation: 'run' })
  }
  if (typeof (group as Partial<EntityType>).group === 'function') {
    const message = `run() takes a group, got an entity type. Use ${root}.group() with the properties that name the group.`
    throw new StoreError('INVALID_ARGUMENT', message, { operation: 'run' })
  }
  if (!id.every(isKeyPart)) {
    const message = `A group of run() consists of texts, numbers and booleans. Make it by ${root}.group(), which checks them.`
    throw new StoreError('INVALID_ARGUMENT', message, { operation: 'run' })
  }
  if (types.all.some(({ layout: { type } }) => type.root === root && type.groupBy.length === id.length))
    return
  const message = `The group is one of ${root}, which is not a type of this database, or has another number of properties.`
  throw new StoreError('INVALID_ARGUMENT', message, { operation: 'run' })
}

/** @throws {StoreError} `INVALID_ARGUMENT` if it is not a function */
export function checkWork(work: unknown): void {
  if (typeof work === 'function') return
  const message = `run() takes an async function of the transaction, got ${kindOf(work)}.`
  throw new StoreError('INVALID_ARGUMENT', message, { operation: 'run' })
}
