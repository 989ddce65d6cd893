import { type CallOptions, isStoreError, type StoreError } from '@unikv/core'
import { endOf } from '@unikv/core/adapter'
import type { Failed } from '../errors.ts'
import type { CassandraClient, CassandraResult } from './cassandra-client.ts'
import { executeAll, executeOne, type Request, type ResultOf, type Target } from './execution.ts'
import { ReadTimers } from './read-timers.ts'

/** Executes prepared statements on a client, each within the deadline of its call. */
export class Session {
  readonly client: CassandraClient
  readonly timers: ReadTimers = new ReadTimers()
  readonly #reads: Target
  readonly #writes: Target

  constructor(client: CassandraClient, failed: Omit<Failed, 'isWrite'>) {
    this.client = client
    this.#reads = { client, failed: { ...failed, isWrite: false } }
    this.#writes = { client, failed: { ...failed, isWrite: true } }
  }

  /**
   * A read.
   *
   * @throws {StoreError} by what Cassandra or the driver said
   */
  async read(request: Request, call: CallOptions): Promise<CassandraResult> {
    return answerOf(await this.readAll([request], call, 1, same))
  }

  /**
   * A write; a lightweight transaction answers with rows. From here on `call.sent` is set.
   *
   * @throws {StoreError} by what Cassandra or the driver said
   */
  async write(request: Request, call: CallOptions): Promise<CassandraResult> {
    return answerOf(await this.writeAll([request], call, 1, same))
  }

  /** Reads, at most `width` of them under way at a time: the result or the error of each. */
  readAll<T>(
    requests: readonly Request[],
    call: CallOptions,
    width: number,
    resultOf: ResultOf<T>,
  ): Promise<(T | StoreError)[]> {
    const refusal = endOf(call, false)
    if (refusal !== undefined) return refused(requests, refusal)
    return execute(this.#reads, requests, call, width, resultOf)
  }

  /** Writes, in the same way. From here on `call.sent` is set. */
  writeAll<T>(
    requests: readonly Request[],
    call: CallOptions,
    width: number,
    resultOf: ResultOf<T>,
  ): Promise<(T | StoreError)[]> {
    const refusal = endOf(call, true)
    if (refusal !== undefined) return refused(requests, refusal)
    call.sent = true
    return execute(this.#writes, requests, call, width, resultOf)
  }
}

/** Most calls have one statement, and what keeps several together costs as much as they do. */
function execute<T>(
  target: Target,
  requests: readonly Request[],
  call: CallOptions,
  width: number,
  resultOf: ResultOf<T>,
): Promise<(T | StoreError)[]> {
  if (requests.length === 0) return Promise.resolve([])
  return requests.length === 1
    ? executeOne(target, requests[0] as Request, call, resultOf)
    : executeAll(target, requests, call, width, resultOf)
}

function refused(requests: readonly Request[], refusal: StoreError): Promise<StoreError[]> {
  return Promise.resolve(requests.map(() => refusal))
}

const same = (answer: CassandraResult): CassandraResult => answer

function answerOf([answer]: readonly (CassandraResult | StoreError)[]): CassandraResult {
  if (isStoreError(answer)) throw answer
  return answer as CassandraResult
}
