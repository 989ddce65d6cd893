import type { Near, Place, Position } from './sphere.ts'

/** Where everything is now. */
export interface Tracker {
  /** Keep where something is now. */
  move(position: Position): Promise<void>
  /** The nearest ones of a place, the nearest first. */
  nearest(place: Place, limits: Limits): Promise<readonly Near[]>
  close(): Promise<void>
}

export interface Limits {
  readonly most: number
  readonly withinKm: number
}

/** Gathers moves while others are being written: of a thing that moved twice meanwhile the last place is written. */
export class Gatherer {
  readonly #write: (positions: readonly Position[]) => Promise<unknown>
  #waiting = new Map<string, Position>()
  #writing: Promise<unknown> | undefined
  #next: Promise<unknown> | undefined

  /** @param write called with each thing at most once, and only after the last call has ended */
  constructor(write: (positions: readonly Position[]) => Promise<unknown>) {
    this.#write = write
  }

  async move(position: Position): Promise<void> {
    this.#waiting.set(position.id, position)
    this.#next ??= this.#begin(this.#writing)
    await this.#next
  }

  async #begin(before: Promise<unknown> | undefined): Promise<void> {
    await before?.catch(() => {}) // told to those who waited for it
    const positions = [...this.#waiting.values()]
    this.#waiting = new Map()
    this.#writing = this.#next
    this.#next = undefined
    await this.#write(positions)
  }
}
