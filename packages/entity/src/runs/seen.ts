import type { Bytes, GroupEntry, GroupRange, GroupTransaction } from '@unikv/core'

/** A range that was listed, and what was in it. */
interface SeenRange {
  readonly range: GroupRange
  readonly found: readonly GroupEntry[]
}

/** Everything that a transaction has read. */
export class Seen {
  readonly #values: Map<string, Bytes | undefined> = new Map()
  readonly #ranges: SeenRange[] = []

  get isEmpty(): boolean {
    return this.#values.size === 0 && this.#ranges.length === 0
  }

  has(key: string): boolean {
    return this.#values.has(key)
  }

  get(key: string): Bytes | undefined {
    return this.#values.get(key)
  }

  values(keys: readonly string[], values: readonly (Bytes | undefined)[]): void {
    for (const [at, key] of keys.entries()) this.#values.set(key, values[at])
  }

  range(range: GroupRange, found: readonly GroupEntry[]): readonly GroupEntry[] {
    this.#ranges.push({ range, found })
    return found
  }

  /** Whether another transaction reads the same. */
  async isSame(transaction: GroupTransaction): Promise<boolean> {
    const keys = [...this.#values.keys()]
    const values = keys.length === 0 ? [] : await transaction.get(keys)
    if (!keys.every((key, at) => sameBytes(this.#values.get(key), values[at]))) return false
    for (const { range, found } of this.#ranges)
      if (!sameEntries(found, await transaction.list(range))) return false
    return true
  }
}

function sameEntries(before: readonly GroupEntry[], now: readonly GroupEntry[]): boolean {
  if (before.length !== now.length) return false
  return before.every(({ key, value }, at) => key === now[at]?.key && sameBytes(value, now[at]?.value))
}

function sameBytes(before: Bytes | undefined, now: Bytes | undefined): boolean {
  if (before === undefined || now === undefined) return before === now
  return Buffer.compare(before, now) === 0
}
