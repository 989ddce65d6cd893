import type { Fact, KnownStore } from './known-store.ts'
import { type FactName, factText, type Requirement, vocabulary } from './vocabulary.ts'

/** Requirements for a store, by the names of facts. */
export type Requirements = { readonly [N in FactName]?: Requirement<N> | undefined }

/** The outcome of one requirement. */
export interface Finding {
  readonly fact: FactName
  readonly outcome: 'met' | 'missed' | 'unknown'
  /** The requirement in words, as in `at least any`. */
  readonly required: string
  /** The value that the store has, in words; missing if it is not known. */
  readonly has?: string
  /** One sentence with the requirement, the value that the store has, and the source. */
  readonly sentence: string
}

/** A store beside requirements. */
export interface Screened {
  readonly store: string
  /** False if it lacks one of them for certain. */
  readonly passes: boolean
  /** A sentence for each requirement that it misses, then for each of which nothing is known. */
  readonly reasons: readonly string[]
  /** All requirements, in the order in which they are given. */
  readonly findings: readonly Finding[]
}

/** Which stores have what is required. One of which something is not known passes, and its reasons say so. */
export function screen(requirements: Requirements, stores: readonly KnownStore[]): readonly Screened[] {
  const asked = Object.entries(requirements) as [FactName, Requirement | undefined][]
  return stores.map((store) => {
    const findings = asked.flatMap(([fact, required]) =>
      required === undefined ? [] : [finding(store, fact, required)],
    )
    const sentences = (outcome: Finding['outcome']): readonly string[] =>
      findings.filter((one) => one.outcome === outcome).map(({ sentence }) => sentence)
    const missed = sentences('missed')
    return {
      store: store.name,
      passes: missed.length === 0,
      reasons: [...missed, ...sentences('unknown')],
      findings,
    }
  })
}

function finding({ title, facts }: KnownStore, name: FactName, requirement: Requirement): Finding {
  const fact: Fact | undefined = facts[name]
  const required = requiredText(name, requirement)
  const { label } = vocabulary[name]
  if (fact === undefined) {
    const sentence = `Not known whether ${title} meets ${label}: ${required} is required.`
    return { fact: name, outcome: 'unknown', required, sentence }
  }
  const has = factText(fact.value)
  const outcome = meets(name, requirement, fact.value) ? 'met' : 'missed'
  const but = outcome === 'met' ? 'and' : 'but'
  const said =
    vocabulary[name].kind === 'flag'
      ? `the answer must be ${required}, ${but} for ${title} it is ${has}`
      : `${required} is required, ${but} ${title} has ${has}`
  const sentence = `${label[0]?.toUpperCase()}${label.slice(1)}: ${said} (${fact.source}, checked ${fact.checked}).`
  return { fact: name, outcome, required, has, sentence }
}

function meets(name: FactName, required: Requirement, value: Fact['value']): boolean {
  const { kind, values = [] } = vocabulary[name]
  if (kind === 'flag') return value === required
  if (kind === 'scale') return values.indexOf(String(value)) >= values.indexOf(String(required))
  const has = value as readonly string[]
  if (typeof required === 'boolean') return has.length > 0 === required
  const asked = typeof required === 'string' ? [required] : required
  const isThere = (word: string): boolean => has.includes(word)
  return kind === 'choice' ? asked.some(isThere) : asked.every(isThere)
}

function requiredText(name: FactName, required: Requirement): string {
  const { kind } = vocabulary[name]
  if (kind === 'scale') return `at least ${String(required)}`
  if (typeof required === 'boolean') return kind === 'flag' ? factText(required) : 'any'
  const words = typeof required === 'string' ? [required] : required
  return words.join(kind === 'choice' ? ' or ' : ' and ')
}
