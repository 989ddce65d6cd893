import { portableRandom } from '@unikv/bench/statistics'
import type { Transaction } from './transaction.ts'

/** Payments by stolen cards, and how many of them are by one device. */
const shareOfThieves = 0.01
const paymentsOfThief = 200
/** Payments of an honest person. */
const paymentsOfPerson = 20

/** Payments of made-up people, the same for the same seed. */
export class MadeUpPayments {
  readonly #random: () => number
  readonly #people: number
  readonly #thieves: number

  /** @param records how many payments there will be */
  constructor(seed: number, records: number) {
    const random = portableRandom(seed)
    this.#random = () => random.next()
    this.#people = Math.max(100, Math.round(records / paymentsOfPerson))
    this.#thieves = Math.max(1, Math.round((records * shareOfThieves) / paymentsOfThief))
  }

  /** A person pays with two cards from one address. A thief pays with the card of anybody. */
  paymentAt(at: number): Transaction {
    const person = this.#below(this.#people)
    const isTheft = this.#random() < shareOfThieves
    return {
      card: `card-${2 * person + this.#below(2)}`,
      ip: addressOf(person),
      device: isTheft ? `thief-${this.#below(this.#thieves)}` : `device-${person}`,
      country: ['BE', 'NL', 'DE', 'FR'][this.#below(4)] as string,
      cents: 100 + this.#below(20_000),
      at,
    }
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }
}

function addressOf(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
}
