import { checkPartitions } from './parameters.ts'
import type { CheckedModel } from './session-model.ts'
import { checkUserPartition } from './users.ts'

/**
 * Refuse a model that does not have users and numbers for each of so many sessions at the same time.
 *
 * @throws {StoreError} `INVALID_CONFIG` naming the parameter, if it is one
 */
export function checkPlaces({ parameters, users }: CheckedModel, sessions: number): void {
  checkPartitions(parameters, sessions)
  checkUserPartition(users, sessions)
}
