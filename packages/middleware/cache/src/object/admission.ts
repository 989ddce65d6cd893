import { heard } from '@unikv/core/adapter'
import type { Counters } from '../cache-stats.ts'
import type { EntrySettings } from '../entry-options.ts'
import { keyOf } from '../tags/tag-names.ts'
import { unkept } from '../tags/tagging.ts'
import type { Times } from './entry-maker.ts'

/** Asks the application whether an entry is kept, and for how long it is fresh. */
export class Admission {
  readonly #settings: Pick<EntrySettings, 'keepIf' | 'freshFor'>
  readonly #counters: Counters

  constructor(settings: Pick<EntrySettings, 'keepIf' | 'freshFor'>, counters: Counters) {
    this.#settings = settings
    this.#counters = counters
  }

  /** The times of an entry (`undefined`: absent), or that it is not to be kept. */
  admit(canonical: string, value: unknown, times: Times): Times | typeof unkept {
    const { keepIf, freshFor } = this.#settings
    if (keepIf === undefined && freshFor === undefined) return times
    const key = keyOf(canonical)
    try {
      if (keepIf !== undefined && !decided(keepIf(key, value))) return unkept
      if (freshFor === undefined || value === undefined || times.isOwn) return times
      return { ...times, freshForMs: milliseconds(freshFor(key, value)) }
    } catch {
      this.#counters.refusals++
      return unkept
    }
  }
}

/** @throws for what is neither yes nor no */
function decided(told: unknown): boolean {
  if (typeof heard(told) === 'boolean') return told as boolean
  throw new TypeError('keepIf must return true or false.')
}

/** @throws if it is not a time */
function milliseconds(told: unknown): number {
  if (typeof heard(told) === 'number' && (told as number) >= 0) return told as number
  throw new TypeError('freshForMs must return milliseconds.')
}
