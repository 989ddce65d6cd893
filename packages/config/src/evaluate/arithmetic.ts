import { BigNumber } from 'bignumber.js'
import { limits } from '../tree/limits.ts'
import { asJsonNumber } from '../tree/numbers.ts'
import { type Trail, wrongAt } from '../tree/trail.ts'

/** Where a number stands, and its text. */
export interface Operand {
  readonly trail: Trail
  readonly text: string
}

/**
 * The exact sum or product of numbers, as text. It keeps the decimal places of the numbers, unless it is whole.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a text that is not a number, or has too many digits
 */
export function calculated(trail: Trail, kind: '+' | '*', operands: readonly Operand[]): string {
  let result = new Decimal(kind === '+' ? 0 : 1)
  let places = 0
  for (const operand of operands) {
    const text = numberOf(operand)
    const own = placesOf(text)
    places = kind === '+' ? Math.max(places, own) : places + own
    result = kind === '+' ? result.plus(text) : result.times(text)
    if ((result.precision(true) ?? 0) > limits.digits || places > limits.digits)
      throw wrongAt(trail, `the result has more than ${limits.digits} digits`)
  }
  return result.isInteger() ? result.toFixed() : result.toFixed(places)
}

/** A class of our own: settings of the one that is shared belong to the application. */
const Decimal = BigNumber.clone({ EXPONENTIAL_AT: 1e9, RANGE: 1e9 })

function numberOf({ trail, text }: Operand): string {
  const number = text.length > limits.digits ? undefined : asJsonNumber(text.trim())
  if (number === undefined) throw wrongAt(trail, 'its value is not a number')
  if (Math.abs(powerOf(number)) > limits.digits)
    throw wrongAt(trail, `its power of ten is beyond ${limits.digits}`)
  return number
}

/** Digits behind the point, written out. */
function placesOf(number: string): number {
  const fraction = /\.(\d+)/.exec(number)?.[1]?.length ?? 0
  return Math.max(0, fraction - powerOf(number))
}

function powerOf(number: string): number {
  return Number(/[eE](.*)$/.exec(number)?.[1] ?? 0)
}
