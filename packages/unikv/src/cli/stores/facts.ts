import { type Fact, factNames, factText, type KnownStore, type Screened } from '@unikv/stores/knowledge'
import type { Section } from '../columns.ts'

const notKnown = 'not known'

/** A fact with its name. */
interface Named {
  readonly name: string
  readonly fact: Fact
}

/** The facts about a store, with their sources. */
export function factSections(store: KnownStore): Section[] {
  const found = factNames.flatMap((name) => {
    const fact: Fact | undefined = store.facts[name]
    return fact === undefined ? [] : [{ name, fact }]
  })
  const unknown = factNames.filter((name) => store.facts[name] === undefined)
  return [
    `${store.title} itself, as its makers describe it. unikv does not make use of all of it:`,
    {
      head: ['fact', 'value', 'in words'],
      rows: found.map(({ name, fact }) => [name, factText(fact.value), fact.says]),
    },
    ...(unknown.length === 0 ? [] : [`Not known: ${unknown.join(', ')}.`]),
    ...sourcesOf(found),
  ]
}

/** Facts side by side: first those that differ. */
export function comparedFacts(chosen: readonly KnownStore[]): Section[] {
  const rows = factNames.map((name) => [name, ...chosen.map((store) => valueOf(store, name))])
  const isSame = ([, ...values]: readonly string[]): boolean => new Set(values).size === 1
  const same = rows.filter(isSame).map(([name, value]) => `${name}: ${value}`)
  return [
    'The stores themselves, as their makers describe them:',
    { head: ['', ...chosen.map(({ name }) => name)], rows: rows.filter((row) => !isSame(row)) },
    `The same in all: ${same.join('; ') || 'nothing'}.`,
  ]
}

/** The stores that are out, and of the others the requirements of which nothing is known. */
export function screeningSections(screened: readonly Screened[]): Section[] {
  const rowsOf = (isIn: boolean, outcome: 'missed' | 'unknown'): readonly (readonly string[])[] =>
    screened
      .filter(({ passes }) => passes === isIn)
      .flatMap(({ store, findings }) =>
        findings
          .filter((one) => one.outcome === outcome)
          .map(({ fact, required, has = notKnown }) => [store, fact, required, has]),
      )
  const missed = { head: ['out', 'fact', 'required', 'it has'], rows: rowsOf(false, 'missed') }
  const unknown = { head: ['not sure', 'fact', 'required', 'it has'], rows: rowsOf(true, 'unknown') }
  return [missed, unknown].filter(({ rows }) => rows.length > 0)
}

function valueOf({ facts }: KnownStore, name: (typeof factNames)[number]): string {
  const fact: Fact | undefined = facts[name]
  return fact === undefined ? notKnown : factText(fact.value)
}

/** A paragraph for each version and day, in which each source stands once. */
function sourcesOf(found: readonly Named[]): readonly string[] {
  const days = grouped(found, ({ fact }) => `${fact.version}, checked ${fact.checked}`)
  return Array.from(days, ([day, facts]) => {
    const sources = grouped(facts, ({ fact }) => fact.source)
    const lines = Array.from(sources, ([url, of]) => `· ${of.map(({ name }) => name).join(', ')}:\n  ${url}`)
    return `Sources of these facts (${day}):\n${lines.join('\n')}`
  })
}

function grouped(found: readonly Named[], by: (one: Named) => string): ReadonlyMap<string, readonly Named[]> {
  const groups = new Map<string, Named[]>()
  for (const one of found) groups.set(by(one), [...(groups.get(by(one)) ?? []), one])
  return groups
}
