import { clearTimeout, setTimeout } from '@unikv/core/platform'
import { closeAll } from './closing.ts'
import type { Opened } from './stack.ts'

/** Stores that were exchanged or removed: they take calls for a while, and are closed then. */
export class FormerStores {
  /** Stores, and what settles when they are closed or could not be. */
  readonly #closing = new Map<readonly Opened[], Promise<void>>()
  /** End the time of those that still take calls. */
  readonly #ends = new Set<() => void>()
  #hasEnded = false

  /** @throws {AggregateError} with the errors of stores that could not be closed */
  close(stores: readonly Opened[], lingerMs: number): Promise<void> {
    const closed = this.#closeLater(stores, lingerMs)
    const settled = closed.catch(() => {}) // who called is told
    this.#closing.set(stores, settled)
    void settled.then(() => this.#closing.delete(stores))
    return closed
  }

  /** From now on none takes calls any longer. Settles when all are closed. */
  async end(): Promise<void> {
    this.#hasEnded = true
    for (const end of this.#ends) end()
    await Promise.all(this.#closing.values())
  }

  async #closeLater(stores: readonly Opened[], lingerMs: number): Promise<void> {
    const users = this.#usersOf(stores)
    if (stores.length > 0 && !this.#hasEnded) await this.#linger(lingerMs)
    await Promise.all(users)
    await closeAll(stores)
  }

  /** The ends of earlier stores that stand on these. */
  #usersOf(stores: readonly Opened[]): readonly Promise<void>[] {
    const names = stores.map(({ name }) => name)
    return Array.from(this.#closing, ([earlier, closed]) =>
      earlier.some(({ uses }) => uses.some((name) => names.includes(name))) ? [closed] : [],
    ).flat()
  }

  async #linger(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    let end = (): void => {}
    await new Promise<void>((resolve) => {
      end = resolve
      timer = setTimeout(resolve, ms)
      this.#ends.add(end)
    })
    this.#ends.delete(end)
    clearTimeout(timer)
  }
}
