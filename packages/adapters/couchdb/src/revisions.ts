import type { Known } from './document.ts'

/** Documents whose last known state is kept. */
const most = 4_096

/**
 * The last known state of documents that were read or written here, so that most writes need not ask for the revision
 * first. A hint only: the server compares the revision, and a refused write asks.
 */
export class Revisions {
  readonly #known = new Map<string, Known>()

  get(id: string): Known | undefined {
    return this.#known.get(id)
  }

  set(id: string, known: Known): void {
    this.#known.delete(id)
    this.#known.set(id, known)
    if (this.#known.size > most) this.#known.delete(this.#known.keys().next().value as string)
  }

  forget(id: string): void {
    this.#known.delete(id)
  }
}
