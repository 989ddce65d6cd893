import type { StoreError } from '@unikv/core'
import { leave, type Queued, type Told } from './queued.ts'

/** Waits until it is told of all of these. A caller that goes before that leaves, so that nothing of it is kept. */
export class AllTold {
  /** Rejects with an error of one of them, at once, if `isStrict`. */
  readonly answer: Promise<void>
  readonly #left = new Map<Queued, Told>()

  constructor(queued: readonly Queued[], isStrict: boolean) {
    this.answer = new Promise((resolve, reject) => {
      for (const one of queued) {
        const tell = (error: StoreError | undefined): void => {
          this.#left.delete(one)
          if (error !== undefined && isStrict) reject(error)
          else if (this.#left.size === 0) resolve()
        }
        this.#left.set(one, tell)
        one.told.add(tell)
      }
    })
  }

  leave(): void {
    for (const [one, tell] of this.#left) leave(one, tell)
  }
}
