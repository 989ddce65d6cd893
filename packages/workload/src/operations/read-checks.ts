import { type Awaitable, type Bytes, StoreError } from '@unikv/core'

/** How many values were checked, and how many of them no write of their key had given. */
export interface CheckCounts {
  readonly checked: number
  readonly wrong: number
}

/** Compares what reads return with what was written. */
export class ReadChecks implements CheckCounts {
  checked = 0
  wrong = 0
  readonly #matches: (number: number, value: Bytes) => boolean

  /** @param matches whether a value is one that is written for the key with this number */
  constructor(matches: (number: number, value: Bytes) => boolean) {
    this.#matches = matches
  }

  /**
   * The answer of a read, when it was checked.
   *
   * @throws {StoreError} `CORRUPT` for a wrong value
   */
  async of(number: number, answer: Awaitable<Bytes | undefined>): Promise<Bytes | undefined> {
    const value = await answer
    this.check([number], [value])
    return value
  }

  /**
   * Check the values of these keys; a key without one is a miss, and is not checked.
   *
   * @throws {StoreError} `CORRUPT` for a wrong value, when all of them are counted
   */
  check(numbers: readonly number[], values: readonly (Bytes | undefined)[]): void {
    const wrongBefore = this.wrong
    for (const [index, value] of values.entries()) {
      if (value === undefined) continue
      this.checked++
      if (!this.#matches(numbers[index] as number, value)) this.wrong++
    }
    if (this.wrong > wrongBefore) throw new StoreError('CORRUPT', 'A read returned a wrong value.')
  }
}
