import { fileURLToPath } from 'node:url'
import { StoreError } from '@unikv/core'
import { fromPlain, messageOf, type PlainError } from '@unikv/core/adapter'
import { startWorkerThread } from 'synckit'
import type { RemoteAnswer, RemoteCall } from './calls.ts'
import { unpack } from './packed.ts'

/** Settings of a thread that is waited for. */
export interface BridgeOptions {
  readonly blockMs: number
  readonly execArgv: readonly string[]
}

type Run = (call: RemoteCall) => RemoteAnswer

/** A worker thread of its own, and the calls that block until it answers. */
export class Bridge {
  readonly #run: Run
  #ended: StoreError | undefined

  constructor({ blockMs, execArgv }: BridgeOptions) {
    const worker = fileURLToPath(new URL('./keyvalue-worker.js', import.meta.url))
    try {
      this.#run = startWorkerThread<(call: RemoteCall) => Promise<RemoteAnswer>>(worker, {
        timeout: blockMs,
        execArgv: [...execArgv],
      })
    } catch (cause) {
      throw new StoreError('INVALID_CONFIG', `The worker thread cannot start: ${messageOf(cause)}`, { cause })
    }
  }

  /**
   * The answer to a call.
   *
   * @throws {StoreError} what the KeyValue rejects with, or what became of a call that the thread did not answer
   */
  ask(call: RemoteCall): unknown {
    const isClose = call.what === 'close'
    // To close twice is harmless.
    if (isClose && this.#ended?.code === 'CLOSED') return undefined
    if (this.#ended !== undefined) throw this.#ended
    const answer = this.#answerTo(call)
    if (isClose) this.#ended = closed()
    if ('error' in answer) throw fromPlain(unpack(answer.error) as PlainError)
    return unpack(answer.value)
  }

  #answerTo(call: RemoteCall): RemoteAnswer {
    try {
      return this.#run(call)
    } catch (cause) {
      throw this.#unanswered(call, cause)
    }
  }

  #unanswered(call: RemoteCall, cause: unknown): StoreError {
    const context = { cause, operation: call.what }
    const isLate = messageOf(cause).endsWith('timed-out')
    if (!isLate) this.#ended = ended(cause)
    else if (call.what === 'close') this.#ended = closed()
    const why = isLate ? 'No answer within blockMs' : `The worker thread ended (${messageOf(cause)})`
    if (writes[call.what]) {
      const message = `${why}; the write may or may not have taken effect. Read the key to find out.`
      return new StoreError('OUTCOME_UNKNOWN', message, context)
    }
    if (!isLate) return ended(cause, call.what)
    const message = `${why}; nothing was changed. Raise blockMs, or check the module and its store.`
    return new StoreError('TIMEOUT', message, context)
  }
}

/** Whether a call may change something once the worker thread has it. */
const writes: Readonly<Record<RemoteCall['what'], boolean>> = {
  facts: false,
  get: false,
  getEntry: false,
  getMany: false,
  has: false,
  head: false,
  revalidate: false,
  keys: false,
  entries: false,
  count: false,
  close: false,
  set: true,
  setMany: true,
  delete: true,
  deleteMany: true,
  write: true,
  take: true,
  touch: true,
  increment: true,
  incrementEntry: true,
  clear: true,
}

/** A thread that cannot be started is a mistake in the settings; one that ended does not come back. */
function ended(cause: unknown, operation?: string): StoreError {
  const { code } = Object(cause) as { readonly code?: unknown }
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
  const message = `The worker thread ended (${messageOf(cause)}). Nothing was sent; call syncFrom again.`
  const options = { cause, operation, retryable: false }
  return new StoreError(isMissing ? 'INVALID_CONFIG' : 'UNAVAILABLE', message, options)
}

function closed(): StoreError {
  return new StoreError('CLOSED', 'This KeyValue is closed. Call syncFrom again.')
}
