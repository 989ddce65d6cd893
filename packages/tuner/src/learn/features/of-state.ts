import { type BusyQuery, type Feature, layers, type PromiseState, type Unit } from './feature.ts'

const mostPromises = 4
const mostQueries = 2

/** Products that are told apart; of others none is 1. */
const kinds = [
  'postgres',
  'mysql',
  'mongodb',
  'redis',
  'cassandra',
  'couchdb',
  'sqlite',
  'lmdb',
  'memcached',
  'dynamodb',
  'hbase',
  's3',
] as const

/** Tactics that are told apart: they are not layers. */
const tactics = ['add-index', 'drop-index', 'more-connections', 'hedge-reads', 'limit-calls'] as const

const yes = (name: string, of: (seen: Parameters<Feature['of']>[0]) => boolean): Feature => {
  return { name, unit: 'yes', of: (seen) => Number(of(seen)) }
}

/** How each promise stands. */
export const ofPromises: readonly Feature[] = Array.from({ length: mostPromises }, (_, i): Feature[] => {
  const of = (take: (promise: PromiseState) => number): Feature['of'] => {
    return ({ promises }) => {
      const promise = promises[i]
      return promise === undefined ? 0 : take(promise)
    }
  }
  const name = `promise ${i + 1}`
  return [
    { name: `use of ${name}`, unit: 'times', of: of(({ use }) => use) },
    { name: `${name} is broken`, unit: 'yes', of: of(({ brokenFor }) => Number(brokenFor !== undefined)) },
    { name: `time that ${name} is broken`, unit: 's', of: of(({ brokenFor }) => brokenFor ?? 0) },
  ]
}).flat()

/** How the store is made up: now, and once what was approved is done. */
export const ofConfiguration: readonly Feature[] = [
  ...layers.map((layer) => yes(`layer ${layer} is there`, ({ present }) => present.has(layer))),
  ...layers.map((layer) => yes(`layer ${layer} is intended`, ({ intended }) => intended.has(layer))),
  yes('it is a mirror', ({ pair }) => pair === 'mirror'),
  yes('it is a fallback', ({ pair }) => pair === 'fallback'),
  ...kinds.map((kind) => yes(`the store is ${kind}`, (seen) => seen.kind === kind)),
  { name: 'indexes', unit: 'count', of: ({ indexes }) => indexes },
  ...tactics.map((name) => yes(`${name} is in effect`, ({ inEffect }) => inEffect.has(name))),
  ...tactics.map((name) => yes(`${name} is approved`, ({ underWay }) => underWay.has(name))),
  yes('the store is being changed', ({ isChanging }) => isChanging),
  { name: 'time since that began or ended', unit: 's', of: ({ forSeconds }) => forSeconds },
]

const figures: readonly (readonly [name: string, unit: Unit, of: (query: BusyQuery) => number])[] = [
  ['rate of', 'calls/s', (query) => query.figures.callsPerSecond],
  ['p99 of', 'ms', (query) => query.figures.p99Ms],
  ['an index serves', 'yes', ({ isIndexed }) => Number(isIndexed)],
]

/** The busiest queries by attributes. */
export const ofQueries: readonly Feature[] = Array.from({ length: mostQueries }, (_, i) =>
  figures.map(([name, unit, of]): Feature => {
    return {
      name: `${name} the ${i === 0 ? 'busiest' : 'second'} query over 30 s`,
      unit,
      of: ({ queries }) => {
        const query = queries[i]
        return query === undefined ? 0 : of(query)
      },
    }
  }),
).flat()
