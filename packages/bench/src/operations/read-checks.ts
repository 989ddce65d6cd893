import { type Awaitable, type Bytes, StoreError } from '@unikv/core'
import { compareKeys } from '@unikv/core/adapter'

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
  readonly #keyMatches: KeyMatches

  /**
   * @param matches whether a value is one that is written for the key with this number
   * @param keyMatches the same for a key that a scan found
   */
  constructor(matches: (number: number, value: Bytes) => boolean, keyMatches: KeyMatches = () => undefined) {
    this.#matches = matches
    this.#keyMatches = keyMatches
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

  /**
   * Check what a scan found from a key on: its keys rise, and those whose numbers are known have values of theirs.
   *
   * @throws {StoreError} `CORRUPT` for a wrong value, or for keys in the wrong order
   */
  checkScan(from: string, number: number, entries: readonly ScannedEntry[]): void {
    for (const [index, [key]] of entries.entries()) {
      const before = entries[index - 1]?.[0]
      if (before === undefined ? compareKeys(key, from) >= 0 : compareKeys(before, key) < 0) continue
      this.checked++
      this.wrong++
      throw new StoreError('CORRUPT', 'A scan returned keys in the wrong order.')
    }
    const wrongBefore = this.wrong
    for (const [key, { value }] of entries) {
      const isRight = key === from ? this.#matches(number, value) : this.#keyMatches(key, value)
      if (isRight === undefined) continue
      this.checked++
      if (!isRight) this.wrong++
    }
    if (this.wrong > wrongBefore) throw new StoreError('CORRUPT', 'A scan returned a wrong value.')
  }
}

type ScannedEntry = readonly [key: string, entry: { readonly value: Bytes }]

/** Whether a value is one of a key's; `undefined`: that cannot be told by the name of the key. */
type KeyMatches = (key: string, value: Bytes) => boolean | undefined
