import { type CallOptions, StoreError } from '@unikv/core'
import { endOf } from '@unikv/core/adapter'
import type {
  CassandraClient,
  CassandraDecision,
  CassandraQueryOptions,
  CassandraResult,
  CassandraRetryPolicy,
} from './cassandra-client.ts'
import { cassandraError, type Failed } from './cassandra-errors.ts'
import { levels } from './consistency.ts'
import { Execution } from './execution.ts'

/** What may be sent again is decided above. */
const rethrow = (): CassandraDecision => ({ decision: 0, consistency: levels.one })
const retry: CassandraRetryPolicy = {
  onReadTimeout: rethrow,
  onWriteTimeout: rethrow,
  onUnavailable: rethrow,
  onRequestError: rethrow,
  rethrowResult: rethrow,
  retryResult: rethrow,
}

/** A statement on its way. */
export interface Request {
  readonly cql: string
  readonly params: readonly unknown[]
  /** Levels, and for scans and plain writes page and timestamp. */
  readonly options: CassandraQueryOptions
}

/** Executes prepared statements on a client, each within the deadline of its call. */
export class Session {
  readonly client: CassandraClient
  readonly #failed: Omit<Failed, 'isWrite'>

  constructor(client: CassandraClient, failed: Omit<Failed, 'isWrite'>) {
    this.client = client
    this.#failed = failed
  }

  /**
   * A read. `resultOf` must not throw.
   *
   * @throws {StoreError} by what Cassandra or the driver said
   */
  read<T>(request: Request, call: CallOptions, resultOf: (answer: CassandraResult) => T): Promise<T> {
    return this.#execute(request, call, false, resultOf)
  }

  /**
   * A write; a lightweight transaction answers with rows. From here on `call.sent` is set. `resultOf` must not throw.
   *
   * @throws {StoreError} by what Cassandra or the driver said
   */
  write<T>(request: Request, call: CallOptions, resultOf: (answer: CassandraResult) => T): Promise<T> {
    return this.#execute(request, call, true, resultOf)
  }

  #execute<T>(
    request: Request,
    call: CallOptions,
    isWrite: boolean,
    resultOf: (answer: CassandraResult) => T,
  ): Promise<T> {
    const refusal = endOf(call, isWrite)
    if (refusal !== undefined) return Promise.reject(refusal)
    if (isWrite) call.sent = true
    const answer = this.client.execute(request.cql, request.params, optionsOf(request, call, isWrite))
    const errorOf = (error: unknown): StoreError => cassandraError(error, { ...this.#failed, isWrite })
    return new Execution(call, isWrite, answer, { resultOf, errorOf }).result
  }
}

/**
 * Writes are no business of a driver that hedges and retries what is idempotent. Every option is named, whether it has a
 * value or not: objects that are spread together are dear, here and wherever the driver looks at them.
 */
function optionsOf(
  { options }: Request,
  { deadlineAt }: CallOptions,
  isWrite: boolean,
): CassandraQueryOptions {
  return {
    prepare: true,
    consistency: options.consistency,
    serialConsistency: options.serialConsistency,
    timestamp: options.timestamp,
    fetchSize: options.fetchSize,
    pageState: options.pageState,
    isIdempotent: !isWrite,
    retry,
    autoPage: false,
    readTimeout: readTimeoutOf(deadlineAt),
  } as CassandraQueryOptions
}

/** Later than the deadline, so that it ends no call; by it the driver sees that a connection is dead. */
function readTimeoutOf(deadlineAt: number): number {
  const leftMs = deadlineAt - performance.now()
  return leftMs < maxTimerMs ? Math.ceil(leftMs / 1_000) * 1_000 + 1_000 : 0
}

/** Longest time that a timer of Node takes, less what is added. */
const maxTimerMs = 2 ** 31 - 2_001

/** One mutation of a batch: it alone knows whether it was sent. */
export class ItemCall implements CallOptions {
  readonly deadlineAt: number
  readonly signal: AbortSignal | undefined
  readonly consistency: string | undefined
  readonly #batch: CallOptions
  #sent = false

  constructor(batch: CallOptions) {
    this.deadlineAt = batch.deadlineAt
    this.signal = batch.signal
    this.consistency = batch.consistency
    this.#batch = batch
  }

  get sent(): boolean {
    return this.#sent
  }

  set sent(sent: boolean) {
    this.#sent = sent
    if (sent) this.#batch.sent = true
  }

  get settled(): boolean {
    return this.#batch.settled === true
  }
}

/** The error for a record whose columns make no sense. */
export function corrupt(): StoreError {
  return new StoreError('CORRUPT', 'The row is not a record of unikv. Was it changed by hand?')
}
