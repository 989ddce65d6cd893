import type { Pause } from '../log/pauses.ts'
import type { Observation } from '../observe/observations.ts'

/** If a larger share of the processes is new in a window, a new version is being brought out. */
const restlessShare = 0.2
/** A process that was not seen for so many windows is a new one. */
const longestAbsence = 12

/** Whether a store is at rest: its owner asked for no pause, and its processes stay the same. */
export class Stillness {
  /** Windows since each process was seen. */
  readonly #absences = new Map<string, number>()
  /** Windows since many processes began. */
  #windows = Infinity
  /** Windows since a pause of each store, and of all. */
  readonly #windowsOf = new Map<string | null, number>()
  #pauses: readonly Pause[] = []

  /** Note a window. */
  see({ names = [] }: Observation): void {
    this.#windows = this.#isRestless(names) ? 0 : this.#windows + 1
    for (const [name, windows] of this.#absences)
      if (windows < longestAbsence) this.#absences.set(name, windows + 1)
      else this.#absences.delete(name)
    for (const name of names) this.#absences.set(name, 0)
    for (const [store, windows] of this.#windowsOf) this.#windowsOf.set(store, windows + 1)
  }

  /** Note the pauses of now. */
  hear(pauses: readonly Pause[]): void {
    this.#pauses = pauses
    for (const { store } of pauses) this.#windowsOf.set(store, 0)
  }

  /** Whether the owner asked to leave it alone. */
  isPaused(store: string): boolean {
    return this.#pauses.some((pause) => pause.store === store || pause.store === null)
  }

  /** How many windows it has been at rest. */
  windows(store: string): number {
    const ofPauses = [store, null].map((one) => this.#windowsOf.get(one) ?? Infinity)
    return Math.min(this.#windows, ...ofPauses)
  }

  #isRestless(names: readonly string[]): boolean {
    const begun = names.filter((name) => !this.#absences.has(name))
    return this.#absences.size > 0 && begun.length > restlessShare * names.length
  }
}
