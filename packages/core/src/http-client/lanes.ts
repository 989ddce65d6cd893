import { closed } from '../adapter/adapter-errors.ts'
import type { StoreError } from '../contract/errors.ts'

/** So many requests at the same time; others wait for their turn. */
export class Lanes {
  #free: number
  #isClosed = false
  readonly #waiting: { begin: () => void; refuse: (error: StoreError) => void }[] = []

  constructor(lanes: number) {
    this.#free = lanes
  }

  async enter(): Promise<() => void> {
    if (this.#isClosed) throw closed()
    if (this.#free > 0) this.#free--
    else await new Promise<void>((begin, refuse) => this.#waiting.push({ begin, refuse }))
    return () => {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next.begin()
    }
  }

  close(): void {
    this.#isClosed = true
    for (const { refuse } of this.#waiting.splice(0)) refuse(closed())
  }
}
