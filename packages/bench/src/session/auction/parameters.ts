import { invalidConfig } from '@unikv/core/adapter'
import {
  checkNumbers,
  defaultsOf,
  mostNumber,
  type NumbersOf,
  numbersOf,
  real,
  whole,
} from '../model/declared-numbers.ts'
import type { Parameters } from '../model/parameters.ts'

/** Products of two of them are exact. */
const most = 1_000_000_000

const numbers = {
  USER_NUM: whole(100, 1, most),
  MIN_USER_ID: whole(1, 0, mostNumber),
  MIN_INITIAL_BID: real(50, 0, most),
  MAX_INITIAL_BID: real(500, 0, most),
  /** The price at which an item can be bought at once, as a multiple of its initial bid. */
  MIN_BUY_NOW_FACTOR: real(2, 0, 1_000),
  MAX_BUY_NOW_FACTOR: real(4, 0, 1_000),
  /** How long an auction lasts. */
  MIN_DURATION_DAYS: real(2, 0, 36_500),
  MAX_DURATION_DAYS: real(10, 0, 36_500),
  MIN_SALE_PRICE: real(50, 0, most),
  MAX_SALE_PRICE: real(1_000, 0, most),
  MIN_SALE_QUANTITY: whole(10, 1, most),
  MAX_SALE_QUANTITY: whole(500, 1, most),
  /** Letters of a name. */
  NAME_LENGTH: whole(16, 0, 1_000_000),
}

/** Parameters of the benchmark Auction. Amounts are in units of money, of which entities hold hundredths. */
export type AuctionParameters = NumbersOf<typeof numbers>

/** The parameters with their defaults. */
export const auctionParameters = defaultsOf(numbers)

/**
 * Refuse numbers that do not count anything, and ranges that are upside down.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkAuctionParameters(parameters: Parameters): void {
  checkNumbers(parameters, numbers)
  for (const [name, parameter] of Object.entries(parameters)) {
    const upper = name.replace(/^MIN_/, 'MAX_')
    const [, low] = numbersOf(parameter) ?? []
    const [high] = numbersOf(parameters[upper]) ?? []
    if (upper === name || low === undefined || high === undefined || low <= high) continue
    throw invalidConfig(`${name} (${low}) must be at most ${upper} (${high}).`)
  }
}
