import type { Awaitable } from '@unikv/core'
import { invalidArgument, messageOf } from '../options/invalid.ts'
import type { OwnSessions, OwnSessionsRun, OwnWorkload } from './define-workload.ts'

/** Chooses operations by the sessions of a module, and hands each its state. */
export class OwnOrder {
  readonly #sessions: OwnSessions<unknown>
  readonly #names: readonly string[]
  /** States of operations that were picked and not begun. */
  readonly #picked: unknown[] = []

  /** @param names the operations of the mix, in the order of their indexes */
  constructor(sessions: OwnSessions<unknown>, names: readonly string[]) {
    this.#sessions = sessions
    this.#names = names
  }

  /** Wait for an operation. */
  ready(ended: AbortSignal): Awaitable<boolean> {
    return this.#sessions.ready(ended)
  }

  /**
   * Index of the next operation.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` if the mix has no such operation
   */
  pick(): number {
    const { operation, state } = this.#sessions.next()
    const index = this.#names.indexOf(operation)
    if (index === -1)
      throw invalidArgument(
        `Sessions came to ${operation}, which is not in the mix. Leave the mix out: sessions choose operations by themselves.`,
      )
    this.#picked.push(state)
    return index
  }

  /** The state of the operation that was picked first. */
  take(): unknown {
    return this.#picked.shift()
  }

  /** States are those of sessions. */
  give(): void {}

  /** The run is over. */
  end(): void {
    this.#sessions.end?.()
  }
}

/**
 * The order of a module's sessions; `undefined` if it has none.
 *
 * @param file the module in messages
 * @throws {StoreError} `INVALID_ARGUMENT` with what `sessions` of the module threw
 */
export async function ownOrder(
  { sessions }: OwnWorkload<unknown>,
  names: readonly string[],
  run: OwnSessionsRun,
  file: string,
): Promise<OwnOrder | undefined> {
  if (sessions === undefined) return undefined
  try {
    return new OwnOrder(await sessions(run), names)
  } catch (cause) {
    throw invalidArgument(`sessions of ${file} failed: ${messageOf(cause)}`, cause)
  }
}
