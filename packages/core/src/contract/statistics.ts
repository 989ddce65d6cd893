/**
 * Figures of the server of a store, or of the disk under an embedded one. A figure that it does not tell is left out. Counters run since
 * the server started. Several servers are added up. Never holds a key, a value or a secret.
 */
export interface ServerStatistics {
  /** Version of the server. */
  readonly version?: string | undefined
  /** Since the server that started last, in milliseconds. */
  readonly uptimeMs?: number | undefined
  /** Connections of all clients, and the most that there may be. */
  readonly connections?: number | undefined
  readonly maxConnections?: number | undefined
  /** Memory that the server takes, and the most that it may take. */
  readonly memoryBytes?: number | undefined
  readonly maxMemoryBytes?: number | undefined
  /** Size of the data, and the most that may be stored. `scope` says whose data it is. */
  readonly storedBytes?: number | undefined
  readonly maxStoredBytes?: number | undefined
  /** Number of records, which some servers estimate, and some count with internal and expired ones. */
  readonly records?: number | undefined
  /** The data that `storedBytes` and `records` are about: this dataset's, its database's, or the server's. */
  readonly scope?: 'dataset' | 'database' | 'server' | undefined
  /** Bytes of the disk under an embedded store that are in use, and its size. */
  readonly diskUsedBytes?: number | undefined
  readonly diskBytes?: number | undefined
  /** Counter: reads that the server's cache could answer, or found records for where the store is a cache itself. */
  readonly cacheHits?: number | undefined
  /** Counter: the others. */
  readonly cacheMisses?: number | undefined
  /** Counter: records that made room for others. */
  readonly evictions?: number | undefined
  /** Counter: records removed because their time had come. */
  readonly expirations?: number | undefined
  /** Counter: operations of all clients, in the server's own terms: commands, statements or transactions. */
  readonly operations?: number | undefined
  /** Counters: bytes from and to clients. */
  readonly receivedBytes?: number | undefined
  readonly sentBytes?: number | undefined
}
