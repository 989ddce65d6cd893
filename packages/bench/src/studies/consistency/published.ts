/** A published cost of strong consistency. */
export interface PublishedCost {
  readonly store: string
  readonly strong: string
  readonly eventual: string
  /** Reduction of the throughput from eventual to strong, in per cent, with 32 client sessions. */
  readonly costPercent: number
}

/**
 * Published figures: Klein, Gorton, Ernst, Donohoe, Pham and Matser, Performance Evaluation of NoSQL Databases (2015), figures 7 and
 * 8: nine nodes in three groups, reads and writes of health records.
 */
export const published: readonly PublishedCost[] = [
  {
    store: 'Cassandra',
    strong: 'write EACH_QUORUM, read LOCAL_QUORUM',
    eventual: 'ONE, ONE',
    costPercent: 25,
  },
  { store: 'Riak', strong: 'quorum, quorum', eventual: 'noquorum, noquorum', costPercent: 10 },
]
