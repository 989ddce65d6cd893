import { addFrames, type Frame } from '../figures.ts'

/** How long the periods of a summary are. */
export type Resolution = keyof typeof periodMs

/** Lengths of periods in milliseconds. They begin on whole ones, in UTC. */
export const periodMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

export const resolutions = Object.keys(periodMs) as readonly Resolution[]

/** When the period began that a time belongs to. */
export function periodStart(resolution: Resolution, at: number): number {
  return at - (at % periodMs[resolution])
}

/** The work of one process in one period, so far. */
export interface Summary {
  /** Id of the writer. */
  readonly writerId: string
  readonly resolution: Resolution
  readonly startAt: number
  readonly frame: Frame
}

/** Most summaries that wait for a store that does not answer: minutes of two hours, and some hours and days. */
const mostWaiting = 150

/** The present minute, hour and day, and what of earlier ones waits to be written. */
export class Periods {
  readonly #present = new Map<Resolution, Summary>()
  #waiting: Summary[] = []
  /** Summaries that are kept as they are. */
  readonly #written = new WeakSet<Summary>()
  /** Summaries that were given up since the last look, as the store failed for too long. */
  #lost = 0

  add(frame: Frame, at: number, writerId: string): void {
    for (const resolution of resolutions) {
      const startAt = periodStart(resolution, at)
      const before = this.#present.get(resolution)
      if (before?.startAt === startAt && before.writerId === writerId) {
        if (Object.keys(frame).length > 0)
          this.#present.set(resolution, { ...before, frame: addFrames([before.frame, frame]) })
      } else {
        if (before !== undefined && this.#isNew(before)) this.#wait(before)
        this.#present.set(resolution, { writerId, resolution, startAt, frame })
      }
    }
  }

  /** Waiting summaries, and present ones with something new, to be written whole. */
  toWrite(): readonly Summary[] {
    return [...this.#waiting, ...this.#present.values()].filter((summary) => this.#isNew(summary))
  }

  /** These were written: those of earlier periods no longer wait. */
  written(summaries: readonly Summary[]): void {
    for (const summary of summaries) this.#written.add(summary)
    this.#waiting = this.#waiting.filter((summary) => this.#isNew(summary))
  }

  /** How many summaries were given up since the last call of this. */
  takeLost(): number {
    const lost = this.#lost
    this.#lost = 0
    return lost
  }

  #isNew(summary: Summary): boolean {
    return Object.keys(summary.frame).length > 0 && !this.#written.has(summary)
  }

  #wait(summary: Summary): void {
    this.#waiting.push(summary)
    if (this.#waiting.length <= mostWaiting) return
    this.#waiting.shift()
    this.#lost++
  }
}
