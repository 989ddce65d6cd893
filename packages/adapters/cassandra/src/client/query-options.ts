import type { CassandraDecision, CassandraQueryOptions, CassandraRetryPolicy } from './cassandra-client.ts'
import { levels } from './consistency.ts'

/** Options in which statements differ: levels, where they go, and for scans and plain writes page and timestamp. */
export interface Particulars {
  readonly consistency: number
  readonly serialConsistency?: number
  readonly routingKey?: object | undefined
  readonly timestamp?: number
  readonly fetchSize?: number
  readonly pageState?: string
}

/** Options of one read, with the `readTimeout` that `ReadTimers` gives. */
export function readOptions(particulars: Particulars, readTimeout: number): CassandraQueryOptions {
  return optionsOf(particulars, readTimeout, true)
}

/**
 * The same of one write. A driver that hedges and retries idempotent statements must leave writes alone.
 */
export function writeOptions(particulars: Particulars, readTimeout: number): CassandraQueryOptions {
  return optionsOf(particulars, readTimeout, false)
}

/** Layers above decide what may be sent again. */
const rethrow = (): CassandraDecision => ({ decision: 0, consistency: levels.one })
const retry: CassandraRetryPolicy = {
  onReadTimeout: rethrow,
  onWriteTimeout: rethrow,
  onUnavailable: rethrow,
  onRequestError: rethrow,
  rethrowResult: rethrow,
  retryResult: rethrow,
}

/**
 * Every option is named, whether it has a value or not: objects that are spread together are dear, here and wherever the
 * driver looks at them.
 */
function optionsOf(
  { consistency, serialConsistency, routingKey, timestamp, fetchSize, pageState }: Particulars,
  readTimeout: number,
  isIdempotent: boolean,
): CassandraQueryOptions {
  return {
    prepare: true,
    consistency,
    serialConsistency,
    routingKey,
    timestamp,
    fetchSize,
    pageState,
    isIdempotent,
    retry,
    autoPage: false,
    readTimeout,
  } as CassandraQueryOptions
}
