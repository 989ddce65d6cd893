import { AbortController, pause } from '@unikv/core/platform'
import type { RunNamespace } from './run-namespace.ts'

/** Tells other machines, again and again, that a run still works, also while one of its cells takes long. */
export class SignsOfLife {
  readonly #end = new AbortController()
  readonly #ended: Promise<void>

  /**
   * @param namespaces where to tell it; may grow
   * @param everyMs milliseconds between two signs
   */
  constructor(namespaces: ReadonlyMap<unknown, Pick<RunNamespace, 'heartbeat'>>, everyMs = 10_000) {
    this.#ended = this.#tell(namespaces, everyMs)
  }

  /** Tell nothing more; resolves when nothing is under way. */
  end(): Promise<void> {
    this.#end.abort()
    return this.#ended
  }

  async #tell(
    namespaces: ReadonlyMap<unknown, Pick<RunNamespace, 'heartbeat'>>,
    everyMs: number,
  ): Promise<void> {
    const { signal } = this.#end
    while (!signal.aborted) {
      await pause(everyMs, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      // A store that takes no sign now gets the next one.
      for (const namespace of namespaces.values()) await namespace.heartbeat().catch(() => {})
    }
  }
}
