import type { FactName, FactValue } from './vocabulary.ts'

/** A fact about a store. */
export interface Fact<N extends FactName = FactName> {
  readonly value: FactValue<N>
  /** The same in a short sentence. */
  readonly says: string
  /** The page that says so: a URL of the official documentation, or in a file of one's own any other proof. */
  readonly source: string
  /** The day it was checked, as in `2026-11-27`. */
  readonly checked: string
  /** The version of the software that it holds for. */
  readonly version: string
}

/** Facts about a store as its makers tell them, whether or not the adapter of unikv makes use of them. */
export interface KnownStore {
  /** As in `StoreFacts`; another name for a store that unikv does not open. */
  readonly name: string
  readonly title: string
  /** Why unikv does not open it, as the end of a sentence. @default it does, or nothing is known of that */
  readonly unopened?: string
  /** A fact that is not known is not there. */
  readonly facts: { readonly [N in FactName]?: Fact<N> }
}

/** The same as it is written down: `checked` and `version` stand once. */
export interface WrittenStore {
  readonly name: string
  readonly title: string
  readonly unopened?: string
  readonly checked: string
  readonly version: string
  readonly facts: {
    readonly [N in FactName]?: Pick<Fact<N>, 'value' | 'says' | 'source'> & Partial<Fact<N>>
  }
}

/** A store with all that each of its facts says. */
export function known({ checked, version, facts, ...store }: WrittenStore): KnownStore {
  const whole = Object.entries(facts).map(([fact, written]) => [fact, { checked, version, ...written }])
  return { ...store, facts: Object.fromEntries(whole) as KnownStore['facts'] }
}
