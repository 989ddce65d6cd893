import { StoreError } from '@unikv/core'
import { checkWhole, type Parameter, type Parameters } from '../model/parameters.ts'
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

/** The least value of each parameter. */
const least = {
  ITEMS_PER_USER: 0,
  ITEMS_PER_SET: 0,
  POSTS_PER_USER: 0,
  SUBMISSIONS_PER_USER: 0,
  CONTENT_LENGTH: 0,
  SET_NUM: 1,
  USER_NUM: 1,
  NUM_UPDATE_ITEMS: 1,
  MIN_USER_ID: 0,
  MIN_SET_ID: 0,
  MIN_SEQ_NO: 1,
}

/** Updates that choose by themselves, and the number of items that they choose from. */
const chosen = {
  UPDATE_ITEM: 'ITEMS_PER_USER',
  UPDATE_SHARED: 'ITEMS_PER_SET',
  UPDATE_POST: 'POSTS_PER_USER',
} as const

/**
 * Refuse numbers that do not count anything, and updates of more items than there are.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkMicro(parameters: Parameters, used: ReadonlySet<string> = new Set()): void {
  checkWhole(parameters, least)
  const { NUM_UPDATE_ITEMS: count } = parameters
  for (const [name, from] of Object.entries(chosen)) {
    const most = parameters[from]
    if (!used.has(name) || typeof count !== 'number' || typeof most !== 'number' || count <= most) continue
    throw new StoreError(
      'INVALID_CONFIG',
      `NUM_UPDATE_ITEMS (${count}) is above ${from} (${most}), so ${name} would find too few items. Raise ${from}.`,
    )
  }
}

function constant(parameter: Parameter | undefined, standard: number): number {
  return typeof parameter === 'number' ? parameter : standard
}
