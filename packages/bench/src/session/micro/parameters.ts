import { StoreError } from '@unikv/core'
import { checkWhole, mostNumber, numbersOf } from '../model/bounds.ts'
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

const each = [0, 1_000_000] as const
const count = [1, 1_000_000_000] as const

/** Bounds of the parameters, all of which are whole. */
const bounds = {
  ITEMS_PER_USER: each,
  ITEMS_PER_SET: each,
  POSTS_PER_USER: each,
  SUBMISSIONS_PER_USER: each,
  CONTENT_LENGTH: [0, 10_000_000],
  SET_NUM: count,
  USER_NUM: count,
  NUM_UPDATE_ITEMS: [1, 1_000_000],
  MIN_USER_ID: [0, mostNumber],
  MIN_SET_ID: [0, mostNumber],
  MIN_SEQ_NO: [1, mostNumber],
} as const

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
  checkWhole(parameters, bounds)
  const [, count] = numbersOf(parameters['NUM_UPDATE_ITEMS']) ?? []
  for (const [name, from] of Object.entries(chosen)) {
    const [most] = numbersOf(parameters[from]) ?? []
    if (!used.has(name) || count === undefined || most === undefined || count <= most) continue
    throw new StoreError(
      'INVALID_CONFIG',
      `NUM_UPDATE_ITEMS (${count}) is above ${from} (${most}), so ${name} would find too few items. Raise ${from}.`,
    )
  }
}

function constant(parameter: Parameter | undefined, standard: number): number {
  return typeof parameter === 'number' ? parameter : standard
}
