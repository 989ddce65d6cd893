import type { CallOptions, Mutation } from '@unikv/core'
import type { Backend } from './backend.ts'

/** Most records that one sweep removes. */
const sweepRows = 128
/** Writes with an expiry between two sweeps: fewer than a sweep removes, so that sweeping keeps up. */
const writesBetween = 64
const timeoutMs = 2_000

/** Removes expired records in the wake of writes that set an expiry, one sweep at a time. */
export class Sweeper {
  #writes = 0
  #running: Promise<void> | undefined
  #call: CallOptions | undefined

  /** Count mutations that are on their way, and sweep if it is time. What fails here, fails nobody. */
  after(mutations: readonly Mutation<unknown>[], backend: Backend<unknown>): void {
    for (const mutation of mutations) {
      if (mutation.type !== 'delete' && typeof mutation.expiresAt === 'number') this.#writes++
    }
    if (this.#writes < writesBetween || this.#running !== undefined) return
    this.#writes = 0
    this.#running = this.#sweep(backend).finally(() => {
      this.#running = undefined
    })
  }

  /** Start nothing more. Resolves when the sweep under way has ended. */
  async stop(): Promise<void> {
    this.#writes = Number.NEGATIVE_INFINITY
    if (this.#call !== undefined) this.#call.settled = true
    await this.#running
  }

  async #sweep({ connections, statements }: Backend<unknown>): Promise<void> {
    this.#call = { deadlineAt: performance.now() + timeoutMs, settled: false }
    try {
      await connections.execute(statements.sweep(), [sweepRows], this.#call, true)
    } catch {
      // The next sweep finds the same records.
    }
  }
}
