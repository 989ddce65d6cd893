import { portableRandom } from '@unikv/workload/statistics'
import type { Transaction } from './transaction.ts'

/** Some devices that pay with many cards. */
const thieves = 10
const shareOfThieves = 0.001

/** Payments of made-up people, the same for the same seed. */
export class MadeUpPayments {
  readonly #random: () => number
  readonly #people: number

  /** @param records how many payments there will be: some twenty by each address */
  constructor(seed: number, records: number) {
    const random = portableRandom(seed)
    this.#random = () => random.next()
    this.#people = Math.max(100, Math.round(records / 20))
  }

  paymentAt(at: number): Transaction {
    const isTheft = this.#random() < shareOfThieves
    return {
      card: `card-${this.#below(this.#people * 2)}`,
      ip: addressOf(this.#below(this.#people)),
      device: isTheft ? `thief-${this.#below(thieves)}` : `device-${this.#below(this.#people)}`,
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
