import type { Transaction } from './transaction.ts'

/** Cards, countries and addresses, as a merchant writes them down. */
export interface Listed {
  readonly cards?: readonly string[]
  readonly countries?: readonly string[]
  /** First and last address: `['10.0.0.0', '10.0.255.255']`. */
  readonly addresses?: readonly (readonly [first: string, last: string])[]
}

/** A list in memory: to look something up takes well below a millisecond, however long the list is. */
export class List {
  readonly #cards: ReadonlySet<string>
  readonly #countries: ReadonlySet<string>
  readonly #addresses: readonly (readonly [first: number, last: number])[]

  constructor({ cards = [], countries = [], addresses = [] }: Listed) {
    this.#cards = new Set(cards)
    this.#countries = new Set(countries)
    const ranges = addresses.map(([first, last]) => [numberOf(first), numberOf(last)] as const)
    this.#addresses = ranges.toSorted((a, b) => a[0] - b[0])
  }

  has({ card, country, ip }: Transaction): boolean {
    return this.#cards.has(card) || this.#countries.has(country) || this.#hasAddress(numberOf(ip))
  }

  /** The last range that begins at the address or before it. Ranges do not overlap. */
  #hasAddress(address: number): boolean {
    let [low, high] = [0, this.#addresses.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#addresses[middle]?.[0] as number) <= address) low = middle + 1
      else high = middle
    }
    return address <= (this.#addresses[low - 1]?.[1] ?? -1)
  }
}

/** An IPv4 address as a number. */
function numberOf(ip: string): number {
  return ip.split('.').reduce((number, part) => number * 256 + Number(part), 0)
}
