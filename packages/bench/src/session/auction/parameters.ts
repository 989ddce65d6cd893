import { StoreError } from '@unikv/core'
import { checkBounds, checkWhole, mostNumber, numbersOf } from '../model/bounds.ts'
import type { Parameters } from '../model/parameters.ts'
import type { Users } from '../model/users.ts'

/** Parameters of the benchmark Auction. Amounts are in units of money, of which entities hold hundredths. */
export interface AuctionParameters {
  readonly USER_NUM: number
  readonly MIN_USER_ID: number
  readonly MIN_INITIAL_BID: number
  readonly MAX_INITIAL_BID: number
  /** The price at which an item can be bought at once, as a multiple of its initial bid. */
  readonly MIN_BUY_NOW_FACTOR: number
  readonly MAX_BUY_NOW_FACTOR: number
  /** How long an auction lasts. */
  readonly MIN_DURATION_DAYS: number
  readonly MAX_DURATION_DAYS: number
  readonly MIN_SALE_PRICE: number
  readonly MAX_SALE_PRICE: number
  readonly MIN_SALE_QUANTITY: number
  readonly MAX_SALE_QUANTITY: number
  /** Letters of a name. */
  readonly NAME_LENGTH: number
}

/** The parameters with their defaults. */
export const auctionParameters: AuctionParameters & Readonly<Record<string, number>> = {
  USER_NUM: 100,
  MIN_USER_ID: 1,
  MIN_INITIAL_BID: 50,
  MAX_INITIAL_BID: 500,
  MIN_BUY_NOW_FACTOR: 2,
  MAX_BUY_NOW_FACTOR: 4,
  MIN_DURATION_DAYS: 2,
  MAX_DURATION_DAYS: 10,
  MIN_SALE_PRICE: 50,
  MAX_SALE_PRICE: 1_000,
  MIN_SALE_QUANTITY: 10,
  MAX_SALE_QUANTITY: 500,
  NAME_LENGTH: 16,
}

const most = 1_000_000_000
const quantity = [1, most] as const
const amount = [0, most] as const
const factor = [0, 1_000] as const
const days = [0, 36_500] as const

/** Bounds of whole parameters. */
const whole = {
  USER_NUM: [1, most],
  MIN_USER_ID: [0, mostNumber],
  MIN_SALE_QUANTITY: quantity,
  MAX_SALE_QUANTITY: quantity,
  NAME_LENGTH: [0, 1_000_000],
} as const

/** Bounds of the others: products of them are exact. */
const others = {
  MIN_INITIAL_BID: amount,
  MAX_INITIAL_BID: amount,
  MIN_BUY_NOW_FACTOR: factor,
  MAX_BUY_NOW_FACTOR: factor,
  MIN_DURATION_DAYS: days,
  MAX_DURATION_DAYS: days,
  MIN_SALE_PRICE: amount,
  MAX_SALE_PRICE: amount,
} as const

/**
 * Refuse numbers that do not count anything, and ranges that are upside down.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkAuctionParameters(parameters: Parameters): void {
  checkWhole(parameters, whole)
  checkBounds(parameters, others)
  for (const [name, parameter] of Object.entries(parameters)) {
    const upper = name.replace(/^MIN_/, 'MAX_')
    const [, low] = numbersOf(parameter) ?? []
    const [high] = numbersOf(parameters[upper]) ?? []
    if (upper === name || low === undefined || high === undefined || low <= high) continue
    throw new StoreError('INVALID_CONFIG', `${name} (${low}) must be at most ${upper} (${high}).`)
  }
}

/** Milliseconds of a day. */
export const dayMs = 86_400_000

/** The users of a model that names none. */
export function auctionUsers({ MIN_USER_ID, USER_NUM }: Parameters): Users {
  return {
    first: typeof MIN_USER_ID === 'number' ? MIN_USER_ID : 1,
    count: typeof USER_NUM === 'number' ? USER_NUM : 1,
  }
}
