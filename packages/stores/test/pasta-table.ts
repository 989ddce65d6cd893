import type { Fact, KnownStore } from '../src/knowledge/known-store.ts'
import { type FactName, factText, vocabulary } from '../src/knowledge/vocabulary.ts'
import { table } from './stores-page.ts'

/** Table 1 of PaSTA: what it says of each store, `+` for yes, `-` for no and `?` where it does not know. */
const paper: Readonly<Record<string, Readonly<Partial<Record<FactName, string>>>>> = {
  mongodb: { inMemory: '+', cacheTuning: '+', quorums: '+', compression: '+' },
  cassandra: { inMemory: '+', cacheTuning: '+', quorums: '+', compression: '+' },
  couchdb: { inMemory: '-', cacheTuning: '-', quorums: '-', compression: '+' },
  elasticsearch: { inMemory: '-', cacheTuning: '+', quorums: '+', compression: '+' },
  riak: { inMemory: '+', cacheTuning: '-', quorums: '+', compression: '+' },
  hbase: { secondaryIndexes: '-', inMemory: '-', cacheTuning: '+', quorums: '-', compression: '+' },
  redis: { inMemory: '+', cacheTuning: '?', quorums: '-', compression: '?' },
}

/** The facts of its rows, in their order. */
export const tactics = [
  'dataModel',
  'sharding',
  'replication',
  'secondaryIndexes',
  'inMemory',
  'cacheTuning',
  'quorums',
  'compression',
] as const satisfies readonly FactName[]

/** The same table by the facts of today, each with its source; where the paper says something else, that follows. */
export function pastaTable(known: readonly KnownStore[]): string {
  const stores = Object.keys(paper).flatMap((name) => known.find((store) => store.name === name) ?? [])
  const cell = ({ name, facts }: KnownStore, row: (typeof tactics)[number]): string => {
    const fact: Fact | undefined = facts[row]
    if (fact === undefined) return '?'
    const said = paper[name]?.[row] ?? '+'
    const has = fact.value !== false && fact.value !== 'none' && factText(fact.value) !== 'none'
    const other =
      said === '?'
        ? ' (paper: ?)'
        : has === (said === '+') || row === 'dataModel'
          ? ''
          : ` (paper: ${said === '+' ? 'yes' : 'no'})`
    return `[${factText(fact.value)}](${fact.source})${other}`
  }
  return table(
    ['', ...stores.map(({ title }) => title)],
    tactics.map((row) => [vocabulary[row].label, ...stores.map((store) => cell(store, row))]),
  )
}
