/** A tactic, in general terms. */
export interface KnownTactic {
  readonly name: string
  /** The built-in tactics that carry it out, or how else it is done. */
  readonly by: string
  /** Products that can do it, those that cannot, and those of which it is not known. */
  readonly can: readonly string[]
  readonly cannot: readonly string[]
  readonly unknown: readonly string[]
}

/** From where the table is known. */
export const knownFrom =
  'D. Preuveneers and W. Joosen, Automated Configuration of NoSQL Performance and Scalability Tactics (2020), Table 1'

/** Tactics by product, as in the paper's table. */
export const knownTactics: readonly KnownTactic[] = [
  {
    name: 'sharding',
    by: 'hookTactic, with a program of the owner',
    can: ['mongodb', 'cassandra', 'couchdb', 'elasticsearch', 'riak', 'hbase', 'redis'],
    cannot: [],
    unknown: [],
  },
  {
    name: 'replication',
    by: 'hookTactic, with a program of the owner',
    can: ['mongodb', 'cassandra', 'couchdb', 'elasticsearch', 'riak', 'hbase', 'redis'],
    cannot: [],
    unknown: [],
  },
  {
    name: 'secondary index',
    by: 'add-index, drop-index',
    can: ['mongodb', 'cassandra', 'couchdb', 'elasticsearch', 'riak', 'redis'],
    cannot: ['hbase'],
    unknown: [],
  },
  {
    name: 'in-memory mode',
    by: 'tierIn, or hookTactic for a node in memory',
    can: ['mongodb', 'cassandra', 'riak', 'redis'],
    cannot: ['couchdb', 'elasticsearch', 'hbase'],
    unknown: [],
  },
  {
    name: 'cache tuning',
    by: 'add-cache, grow-cache, cache-policy, remove-cache, in front of any store',
    can: ['mongodb', 'cassandra', 'elasticsearch', 'hbase'],
    cannot: ['couchdb', 'riak'],
    unknown: ['redis'],
  },
  {
    name: 'quorums',
    by: 'readsAt, for the levels that the owner allows',
    can: ['mongodb', 'cassandra', 'elasticsearch', 'riak'],
    cannot: ['couchdb', 'hbase', 'redis'],
    unknown: [],
  },
  {
    name: 'compression',
    by: 'compress, in front of any store',
    can: ['mongodb', 'cassandra', 'couchdb', 'elasticsearch', 'riak', 'hbase'],
    cannot: [],
    unknown: ['redis'],
  },
]
