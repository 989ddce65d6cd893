import { StoreError } from '@unikv/core'
import type { Parameter, Parameters } from '../model/parameters.ts'
import type { Users } from '../model/users.ts'

/** Parameters of the benchmark Micro: how much content there is, and how much of it an interaction touches. */
export interface MicroParameters {
  /** Items of a user that sessions choose from. */
  readonly ITEMS_PER_USER: number
  /** Items of a set that sessions choose from. */
  readonly ITEMS_PER_SET: number
  readonly POSTS_PER_USER: number
  /** Submissions that each user has sent. */
  readonly SUBMISSIONS_PER_USER: number
  /** Letters of a content. */
  readonly CONTENT_LENGTH: number
  readonly SET_NUM: number
  readonly USER_NUM: number
  /** Items that one update changes. */
  readonly NUM_UPDATE_ITEMS: number
  readonly MIN_USER_ID: number
  readonly MIN_SET_ID: number
  /** The lowest number of a content. */
  readonly MIN_SEQ_NO: number
}

/** The parameters with their defaults. */
export const microParameters: MicroParameters & Readonly<Record<string, number>> = {
  ITEMS_PER_USER: 1,
  ITEMS_PER_SET: 1,
  POSTS_PER_USER: 1,
  SUBMISSIONS_PER_USER: 1,
  CONTENT_LENGTH: 100,
  SET_NUM: 1,
  USER_NUM: 2,
  NUM_UPDATE_ITEMS: 1,
  MIN_USER_ID: 1,
  MIN_SET_ID: 1,
  MIN_SEQ_NO: 1,
}

/** The users of a model that names none. */
export function microUsers({ MIN_USER_ID, USER_NUM }: Parameters): Users {
  return { first: constant(MIN_USER_ID, 1), count: constant(USER_NUM, 1) }
}

/**
 * Refuse updates of more items than there are.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkMicro(parameters: Parameters): void {
  const { NUM_UPDATE_ITEMS: count, ITEMS_PER_SET: most } = parameters
  if (typeof count !== 'number' || typeof most !== 'number' || count <= most) return
  throw new StoreError(
    'INVALID_CONFIG',
    `NUM_UPDATE_ITEMS (${count}) is above ITEMS_PER_SET (${most}), so an update would find too few items. Raise ITEMS_PER_SET.`,
  )
}

function constant(parameter: Parameter | undefined, standard: number): number {
  return typeof parameter === 'number' ? parameter : standard
}
