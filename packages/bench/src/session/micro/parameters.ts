import { invalidConfig } from '@unikv/core/adapter'
import {
  checkNumbers,
  defaultsOf,
  mostNumber,
  type NumbersOf,
  numbersOf,
  whole,
} from '../model/declared-numbers.ts'
import type { Parameters } from '../model/parameters.ts'

const numbers = {
  /** Items of a user that sessions choose from. */
  ITEMS_PER_USER: whole(1, 0, 1_000_000),
  /** Items of a set that sessions choose from. */
  ITEMS_PER_SET: whole(1, 0, 1_000_000),
  POSTS_PER_USER: whole(1, 0, 1_000_000),
  /** Submissions that each user has sent. */
  SUBMISSIONS_PER_USER: whole(1, 0, 1_000_000),
  /** Letters of a content. */
  CONTENT_LENGTH: whole(100, 0, 10_000_000),
  SET_NUM: whole(1, 1, 1_000_000_000),
  USER_NUM: whole(2, 1, 1_000_000_000),
  /** Items that one update changes. */
  NUM_UPDATE_ITEMS: whole(1, 1, 1_000_000),
  MIN_USER_ID: whole(1, 0, mostNumber),
  MIN_SET_ID: whole(1, 0, mostNumber),
  /** The lowest number of a content. */
  MIN_SEQ_NO: whole(1, 1, mostNumber),
}

/** Parameters of the benchmark Micro: how much content there is, and how much of it an interaction touches. */
export type MicroParameters = NumbersOf<typeof numbers>

/** The parameters with their defaults. */
export const microParameters = defaultsOf(numbers)

/** Updates that choose by themselves, and the number of items that they choose from. */
const chosen = {
  UPDATE_ITEM: 'ITEMS_PER_USER',
  UPDATE_SHARED: 'ITEMS_PER_SET',
  UPDATE_POST: 'POSTS_PER_USER',
}

/**
 * Refuse numbers that do not count anything, and updates of more items than there are.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkMicro(parameters: Parameters, used: ReadonlySet<string> = new Set()): void {
  checkNumbers(parameters, numbers)
  const [, count] = numbersOf(parameters['NUM_UPDATE_ITEMS']) ?? []
  for (const [name, from] of Object.entries(chosen)) {
    const [most] = numbersOf(parameters[from]) ?? []
    if (!used.has(name) || count === undefined || most === undefined || count <= most) continue
    throw invalidConfig(
      `NUM_UPDATE_ITEMS (${count}) is above ${from} (${most}), so ${name} would find too few items. Raise ${from}.`,
    )
  }
}
