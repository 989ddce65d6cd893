import type { Bytes } from '@unikv/core'
import type { OutsideEntry } from '../outside/outside-index.ts'

/**
 * Shared by the attempts of one run: numbers that were taken and entries that were added for an attempt that lost serve the next
 * one, if it asks for the same.
 */
export class RunMemory {
  readonly #numbers: Map<string, number[]> = new Map()
  readonly #used: Map<string, number> = new Map()
  readonly #tokens: Map<string, string> = new Map()
  readonly #added: Map<string, OutsideEntry> = new Map()
  /** The mark of the last sweep that removed entries of a group, by its name. */
  readonly #marks: Map<string, Bytes | undefined> = new Map()

  /** Begin an attempt: what earlier ones took may be used again. */
  begin(): void {
    this.#used.clear()
  }

  /** The next number of this counter that an earlier attempt took, or a new one. One that `take` keeps serves the next attempt even if it fails then. */
  async numberOf(counter: string, take: (keep: (number: number) => void) => Promise<void>): Promise<number> {
    const at = this.#used.get(counter) ?? 0
    this.#used.set(counter, at + 1)
    const taken = this.#numbers.get(counter) ?? []
    this.#numbers.set(counter, taken)
    if (taken[at] === undefined)
      await take((number) => {
        taken[at] = number
      })
    return taken[at] as number
  }

  /** The token of the entity of this name: its id, and its keys in indexes outside of the group. */
  tokenOf(name: string, make: () => string): string {
    const token = this.#tokens.get(name) ?? make()
    this.#tokens.set(name, token)
    return token
  }

  /**
   * Told of the mark that an attempt has read in a group. Returns whether it is another one than before: then a sweep may have removed the entries
   * that were added, so entities get new tokens, and entries of their own.
   */
  sweptSince(group: string, mark: Bytes | undefined): boolean {
    const before = this.#marks.get(group)
    const isSame = mark === undefined ? before === undefined : sameBytes(mark, before)
    if (isSame) return false
    this.#marks.set(group, mark)
    this.#tokens.clear()
    return true
  }

  /** Entries that are not there yet. */
  missing(entries: readonly OutsideEntry[]): readonly OutsideEntry[] {
    return entries.filter((entry) => !this.#added.has(nameOf(entry)))
  }

  /** The entry may be there from now on. */
  add(entry: OutsideEntry): void {
    this.#added.set(nameOf(entry), entry)
  }

  /** Entries that were added, but not for these: no entity has them. */
  unused(entries: readonly OutsideEntry[]): readonly OutsideEntry[] {
    const used = new Set(entries.map(nameOf))
    return [...this.#added].filter(([name]) => !used.has(name)).map(([, entry]) => entry)
  }
}

function nameOf({ group, key }: OutsideEntry): string {
  return `${group}\n${key}`
}

function sameBytes(one: Bytes, other: Bytes | undefined): boolean {
  return other !== undefined && Buffer.compare(one, other) === 0
}
