import { agingClock, clearTimeout, setImmediate, setTimeout } from '../platform/timers.ts'

/*
 * Connections that died unseen: a process was frozen, or a network forgot them. Nothing tells of that but the clock, so a
 * connection that was idle for longer than a bound is asked for an answer before a call depends on it.
 */

/** A connection that was idle for this long is checked before it is used. */
export const idleLimitMs = 2_000

/** How long a server may take to answer that check. */
const patienceMs = 300

/** When each connection of a pool was last used. */
export class LastUses<C extends object> {
  readonly #usedAt = new WeakMap<C, number>()
  /** Connections last used before this time are taken for dead, because another one of that age was. */
  #deadTo = 0

  /** A connection was used. */
  note(connection: C): void {
    this.#usedAt.set(connection, agingClock())
  }

  /** Whether a connection was idle for so long that it must be asked. One that is not known is new. */
  isIdle(connection: C): boolean {
    const usedAt = this.#usedAt.get(connection)
    return usedAt !== undefined && agingClock() - usedAt > idleLimitMs
  }

  /** Whether an idle connection may be used; see `answersSoon`. */
  async lives(connection: C, ask: (answered: (lives?: boolean) => void) => void): Promise<boolean> {
    const askedAt = agingClock()
    if ((this.#usedAt.get(connection) ?? askedAt) < this.#deadTo) return false
    const lives = await answersSoon(ask)
    if (!lives) this.#deadTo = Math.max(this.#deadTo, askedAt)
    return lives
  }
}

/**
 * Whether a server answers soon. A refusal is an answer, too. `ask` gets what to call with any answer; it may call it
 * with `false` for a connection that is known to be lost.
 */
export function answersSoon(ask: (answered: (lives?: boolean) => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (lives = true): void => {
      clearTimeout(timer)
      resolve(lives)
    }
    // Read data that has arrived first: the process may have been blocked.
    const timer = setTimeout(() => setImmediate(() => resolve(false)), patienceMs)
    try {
      ask(settle)
    } catch {
      settle(false)
    }
  })
}
